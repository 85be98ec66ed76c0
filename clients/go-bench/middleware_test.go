// Package bench_test measures what the middleware costs a request, beside another middleware that wraps and records.
//
//	go test -bench . -benchmem
//
// It is a module of its own, so that nobody who uses keysvc-go gets what it compares with.
package bench_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	metric "go.opentelemetry.io/otel/metric/noop"
	trace "go.opentelemetry.io/otel/trace/noop"

	"github.com/keysvc/keysvc-go"
)

// light is a client that costs nothing itself: what is measured is the middleware.
type light struct{ result *keysvc.VerificationResult }

func (l light) Verify(context.Context, string, keysvc.VerifyOptions) (*keysvc.VerificationResult, error) {
	return l.result, nil
}

func (light) Ingest(context.Context, ...keysvc.Event) error { return nil }

// writer costs nothing, and can flush as that of HTTP/1.1 and HTTP/2 can.
type writer struct{ header http.Header }

func (w writer) Header() http.Header          { return w.header }
func (writer) WriteHeader(int)                {}
func (writer) Write(part []byte) (int, error) { return len(part), nil }
func (writer) Flush()                         {}

func BenchmarkMiddleware(b *testing.B) {
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for _, one := range []struct {
		name    string
		handler http.Handler
	}{
		{"bare", next},
		{"keysvc switched off", guard(keysvc.MiddlewareOptions{Enabled: keysvc.Ptr(false)}, next)},
		{"keysvc excluded", guard(keysvc.MiddlewareOptions{ExcludePaths: []string{"/v1/*"}}, next)},
		{"keysvc ModeIngest", guard(keysvc.MiddlewareOptions{Mode: keysvc.ModeIngest}, next)},
		{"keysvc ModeValidate", guard(keysvc.MiddlewareOptions{Mode: keysvc.ModeValidate}, next)},
		{"keysvc ModeBoth", guard(keysvc.MiddlewareOptions{}, next)},
		{"keysvc ModeBoth, all captured", guard(keysvc.MiddlewareOptions{
			CaptureQueryParams: true, CaptureRequestHeaders: true, CaptureResponseHeaders: true, CaptureResponseBody: true,
			CaptureClientIP: true,
		}, next)},
		{"otelhttp, no-op providers", otelhttp.NewHandler(next, "bench",
			otelhttp.WithTracerProvider(trace.NewTracerProvider()), otelhttp.WithMeterProvider(metric.NewMeterProvider()))},
	} {
		b.Run(one.name, func(b *testing.B) {
			request := httptest.NewRequest(http.MethodGet, "/v1/things?x=1", nil)
			request.Header.Set("Authorization", "Bearer sk_0123456789abcdefghij")
			request.Header.Set("User-Agent", "bench/1.0")
			request.Header.Set("Accept", "application/json")
			w := writer{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				one.handler.ServeHTTP(w, request)
			}
		})
	}
}

func guard(options keysvc.MiddlewareOptions, next http.Handler) http.Handler {
	options.APIID = "api_1"
	options.Client = light{&keysvc.VerificationResult{
		Reason: keysvc.ReasonValid, RequestID: "req_1", Consumer: &keysvc.Consumer{ID: "consumer_1"},
	}}
	return keysvc.Must(options)(next)
}
