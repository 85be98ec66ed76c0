package keysvc_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unsafe"

	"github.com/keysvc/keysvc-go"
)

// isPartOf tells whether a text lies in the memory of another.
func isPartOf(text, whole string) bool {
	if text == "" || whole == "" {
		return false
	}
	at, from := uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(unsafe.Pointer(unsafe.StringData(whole)))
	return at >= from && at < from+uintptr(len(whole))
}

// Thousands of events may wait, and each of them would keep a megabyte that somebody sent without a key.
func TestAnEventThatWaitsKeepsNothingElseOfItsRequest(t *testing.T) {
	for _, path := range []string{"/v1/things", "/v1/" + strings.Repeat("x", 9000), "/v1/%22"} {
		request := httptest.NewRequest("GET", path+"?"+strings.Repeat("q", 100_000), nil)
		request.Header.Set("User-Agent", strings.Repeat("u", 100_000))
		request.Header.Set("X-Forwarded-For", "192.0.2.7, "+strings.Repeat("1", 100_000))
		client := &double{}
		handler := guarded(t, client, keysvc.MiddlewareOptions{
			CaptureClientIP: true, ClientIPResolver: resolver("X-Forwarded-For"), CaptureResponseBody: true,
		}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("b", 100_000)) })
		handler.ServeHTTP(httptest.NewRecorder(), request)
		event := client.one(t)
		sent := []string{request.RequestURI, request.URL.Path, request.Header.Get("User-Agent"), request.Header.Get("X-Forwarded-For")}
		for name, text := range map[string]string{
			"Method": event.Method, "Path": event.Path, "Endpoint": event.Endpoint, "UserAgent": event.UserAgent, "ClientIP": event.ClientIP,
		} {
			for i, whole := range sent {
				if isPartOf(text, whole) {
					t.Errorf("%s of %.20s keeps text %d of the request", name, path, i)
				}
			}
		}
		if isPartOf(event.Method, request.Method) {
			t.Errorf("the method keeps the request's first line")
		}
	}
}
