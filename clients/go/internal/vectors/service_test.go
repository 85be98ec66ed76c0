package vectors_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// fake is the service: it answers as the case says, and keeps what it gets.
type fake struct {
	address string
	ended   chan struct{}

	mutex     sync.Mutex
	validated []map[string]any
	ingested  []byte
	events    []map[string]any
}

func startFake(t *testing.T, one vector) *fake {
	f := &fake{ended: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /key/validate", func(w http.ResponseWriter, r *http.Request) { f.validate(w, r, one) })
	mux.HandleFunc("POST /ingest", f.ingest)
	server := &http.Server{Handler: mux}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.address = listener.Addr().String()
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		close(f.ended)
		_ = server.Close()
	})
	return f
}

// refusing asks where nobody listens, and sends events to the service. To close the service's port and open it again would
// not do: somebody else may take it.
type refusing struct{ *http.Transport }

func (r refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Path == "/key/validate" {
		request = request.Clone(request.Context())
		request.URL.Host = "127.0.0.1:1"
	}
	return r.Transport.RoundTrip(request)
}

func (f *fake) validate(w http.ResponseWriter, r *http.Request, one vector) {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	f.mutex.Lock()
	f.validated = append(f.validated, body)
	f.mutex.Unlock()
	service := one.Service
	switch {
	case service == nil:
		w.WriteHeader(http.StatusTeapot)
	case service.Failure == "timeout":
		<-f.ended
	case service.Failure == "reset":
		connection, _, _ := w.(http.Hijacker).Hijack()
		_ = connection.(*net.TCPConn).SetLinger(0)
		_ = connection.Close()
	case service.Verdict != nil:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(service.Verdict)
	default:
		for name, value := range service.Headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(service.Status)
		_, _ = io.WriteString(w, service.Body)
	}
}

func (f *fake) ingest(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var batch struct{ Events []map[string]any }
	_ = json.Unmarshal(body, &batch)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.ingested = append(f.ingested, body...)
	f.events = append(f.events, batch.Events...)
	_ = json.NewEncoder(w).Encode(map[string]any{"accepted": len(batch.Events), "duplicates": 0, "rejected": []int{}})
}
