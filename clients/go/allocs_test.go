//go:build !race

package keysvc_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/keysvc/keysvc-go"
)

// light is a client that costs nothing itself.
type light struct{ result *keysvc.VerificationResult }

func (l light) Verify(context.Context, string, keysvc.VerifyOptions) (*keysvc.VerificationResult, error) {
	return l.result, nil
}

func (light) Ingest(context.Context, ...keysvc.Event) error { return nil }

// nothing is a writer that costs nothing itself, and can do all that the server's can.
type nothing struct{ http.ResponseWriter }

func (nothing) Header() http.Header            { return nil }
func (nothing) WriteHeader(int)                {}
func (nothing) Write(part []byte) (int, error) { return len(part), nil }
func (nothing) Flush()                         {}

func TestAllocationsStayWithinTheirBudget(t *testing.T) {
	client := light{&keysvc.VerificationResult{
		Reason: keysvc.ReasonValid, RequestID: "req_1", Consumer: &keysvc.Consumer{ID: "consumer_1"},
	}}
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	bare := testing.AllocsPerRun(1000, func() { next.ServeHTTP(nothing{}, withKeyOnce) })
	for _, one := range []struct {
		name      string
		options   keysvc.MiddlewareOptions
		allocsMax float64
	}{
		{"switched off", keysvc.MiddlewareOptions{Enabled: keysvc.Ptr(false)}, 0},
		{"an excluded path", keysvc.MiddlewareOptions{ExcludePaths: []string{"/health", "/v1/*"}}, 0},
		{"a skipped method", keysvc.MiddlewareOptions{SkipMethods: []string{"GET"}}, 0},
		{"ModeIngest", keysvc.MiddlewareOptions{Mode: keysvc.ModeIngest}, 12},
		{"ModeValidate", keysvc.MiddlewareOptions{Mode: keysvc.ModeValidate}, 40},
		{"ModeBoth", keysvc.MiddlewareOptions{}, 40},
	} {
		one.options.APIID, one.options.Client = "api_1", client
		handler := keysvc.Must(one.options)(next)
		allocs := testing.AllocsPerRun(1000, func() { handler.ServeHTTP(nothing{}, withKeyOnce) }) - bare
		t.Logf("%s: %v allocations", one.name, allocs)
		if allocs > one.allocsMax {
			t.Errorf("%s: %v allocations, at most %v", one.name, allocs, one.allocsMax)
		}
	}
}

var withKeyOnce = withKey("GET", "/v1/things?x=1")
