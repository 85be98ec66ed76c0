package keysvc_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/keysvc/keysvc-go"
)

// double is a ClientAPI that answers as it is told, and keeps what it got.
type double struct {
	verify func(ctx context.Context, key string, options keysvc.VerifyOptions) (*keysvc.VerificationResult, error)

	mutex    sync.Mutex
	verified []keysvc.VerifyOptions
	events   []keysvc.Event
}

func (d *double) Verify(
	ctx context.Context, key string, options keysvc.VerifyOptions,
) (*keysvc.VerificationResult, error) {
	d.mutex.Lock()
	d.verified = append(d.verified, options)
	d.mutex.Unlock()
	if d.verify == nil {
		return &keysvc.VerificationResult{Reason: keysvc.ReasonValid, RequestID: "req_1"}, nil
	}
	return d.verify(ctx, key, options)
}

func (d *double) Ingest(_ context.Context, events ...keysvc.Event) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.events = append(d.events, events...)
	return nil
}

func (d *double) recorded() []keysvc.Event {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return append([]keysvc.Event(nil), d.events...)
}

// one gives the only event, after a request that has ended.
func (d *double) one(t *testing.T) keysvc.Event {
	t.Helper()
	events := d.recorded()
	if len(events) != 1 {
		t.Fatalf("%d events instead of 1", len(events))
	}
	return events[0]
}

// guarded makes a handler with a double for the service.
func guarded(t *testing.T, client keysvc.ClientAPI, options keysvc.MiddlewareOptions, next http.HandlerFunc) http.Handler {
	t.Helper()
	options.APIID, options.Client = "api_1", client
	middleware, err := keysvc.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return middleware(next)
}

func withKey(method, target string) *http.Request {
	request := httptest.NewRequest(method, target, nil)
	request.Header.Set("Authorization", "Bearer sk_0123456789abcdefghij")
	return request
}

func serve(handler http.Handler, request *http.Request) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer
}

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }

// fakeService is the service over a real socket. What it gets is kept.
type fakeService struct {
	*httptest.Server
	mutex    sync.Mutex
	validate []json.RawMessage
	events   []map[string]any
	raw      []byte
}

func newFakeService(t *testing.T, validate http.HandlerFunc) *fakeService {
	t.Helper()
	fake := &fakeService{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /key/validate", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fake.mutex.Lock()
		fake.validate = append(fake.validate, body)
		fake.mutex.Unlock()
		validate(w, r)
	})
	mux.HandleFunc("POST /ingest", fake.ingest)
	fake.Server = httptest.NewServer(mux)
	t.Cleanup(fake.Close)
	return fake
}

func (f *fakeService) ingest(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var batch struct{ Events []map[string]any }
	_ = json.Unmarshal(body, &batch)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.raw = append(f.raw, body...)
	f.events = append(f.events, batch.Events...)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"accepted": len(batch.Events), "duplicates": 0, "rejected": []any{}})
}
