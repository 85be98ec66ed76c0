package streams_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/keysvc/keysvc-go"
)

// received gives a request as the server reads it.
func received(t *testing.T, target string) *http.Request {
	t.Helper()
	text := "GET " + target + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_0123456789abcdefghij\r\n\r\n"
	request, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	return request
}

func TestThePathIsRecordedAsItCame(t *testing.T) {
	for framework, guard := range frameworks {
		for target, path := range map[string]string{
			"/a|b?x=%7C":       "/a|b",
			"/a%7Cb%7c%41":     "/a%7Cb%7c%41",
			`/a"b`:             `/a"b`,
			"/a%2Fb|c":         "/a%2Fb|c",
			"/café":            "/café",
			"/caf%C3%A9":       "/caf%C3%A9",
			"/a%2Fb//c?":       "/a%2Fb//c",
			"http://x/a%2Fb?x": "/a%2Fb",
		} {
			client := &client{}
			handler := guard(client, func(http.ResponseWriter, *http.Request) {})
			handler.ServeHTTP(httptest.NewRecorder(), received(t, target))
			if event := client.next(t); event.Path != path {
				t.Errorf("%s, %s: recorded %s", framework, target, event.Path)
			}
		}
	}
}

func TestAPathThatSomethingBeforeTheMiddlewareHasRewrittenIsRecordedAsThat(t *testing.T) {
	client := &client{}
	guarded := keysvc.Must(options(client))(http.NotFoundHandler())
	http.StripPrefix("/v1", guarded).ServeHTTP(httptest.NewRecorder(), received(t, "/v1/a%2Fb|c"))
	if event := client.next(t); event.Path != "/a%2Fb|c" {
		t.Errorf("recorded %s", event.Path)
	}
}
