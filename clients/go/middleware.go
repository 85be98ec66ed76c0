package keysvc

import (
	"net"
	"net/http"
	"strings"

	"github.com/keysvc/keysvc-go/internal/bridge"
	"github.com/keysvc/keysvc-go/internal/capture"
)

// New makes middleware for net/http. An error is an [ErrConfiguration], and names each field at fault.
//
// The middleware's own client, made when the options have none, sends events in the background and needs no end; but events
// of the last second are lost when the process ends. Give it a [Client] and close that to lose none.
func New(options MiddlewareOptions) (func(http.Handler) http.Handler, error) {
	engine, err := newEngine(options)
	if err != nil {
		return nil, err
	}
	if engine == nil {
		return func(next http.Handler) http.Handler { return next }, nil
	}
	wants := engine.Wants()
	return func(next http.Handler) http.Handler { return &guard{engine: engine, wants: wants, next: next} }, nil
}

// Must is [New] for options that are known to be right. It panics with the error when they are not.
func Must(options MiddlewareOptions) func(http.Handler) http.Handler {
	middleware, err := New(options)
	if err != nil {
		panic(err)
	}
	return middleware
}

// guard is a handler that is guarded.
type guard struct {
	engine *engine
	wants  bridge.Wants
	next   http.Handler
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if g.engine.Bypasses(r.Method, r.URL.Path, bridge.SentPath(r.URL)) || g.engine.Passed(r.Context(), bridge.IdentityOf(r.Header)) {
		g.next.ServeHTTP(w, r)
		return
	}
	c := g.engine.begin(r.Context(), g.describe(r))
	switch {
	case c.isSkipped:
		g.next.ServeHTTP(w, r)
	case c.denial != nil:
		defer c.End(r.Context(), bridge.Answer{})
		answer(w, c.denial)
	default:
		g.serve(w, r, c)
	}
}

// serve lets the handler run, and records also when it panics. The panic goes on by itself.
func (g *guard) serve(w http.ResponseWriter, r *http.Request, c *call) {
	r = r.WithContext(c.Context(r.Context()))
	if !g.wants.Event {
		g.next.ServeHTTP(w, r)
		return
	}
	wants := capture.Wants{Header: g.wants.Header, BodyBytes: g.wants.BodyBytes}
	if r.Method == http.MethodHead {
		wants.BodyBytes = 0
	}
	recording := capture.Wrap(w, wants)
	hasReturned := false
	defer func() {
		c.End(r.Context(), bridge.Answer{
			Status:   recording.Status(),
			Route:    routeOf(r.Pattern),
			Header:   recording.SentHeader(!hasReturned),
			Body:     recording.KeptBody(),
			Panicked: !hasReturned,
		})
	}()
	g.next.ServeHTTP(recording, r)
	hasReturned = true
}

func (g *guard) describe(r *http.Request) bridge.Request {
	request := bridge.Request{
		Method:   r.Method,
		Path:     bridge.SentPath(r.URL),
		RawQuery: r.URL.RawQuery,
		Host:     r.Host,
		Header:   r.Header,
		Route:    routeOf(r.Pattern),
		Raw:      r,
		Identity: bridge.IdentityOf(r.Header),
	}
	if g.wants.ClientIP {
		request.ClientIP = hostOf(r.RemoteAddr)
	}
	return request
}

// routeOf takes the path out of a pattern such as "GET example.com/u/{id}".
func routeOf(pattern string) string {
	if at := strings.IndexByte(pattern, '/'); at >= 0 {
		return strings.TrimSuffix(pattern[at:], "{$}")
	}
	return ""
}

func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

func answer(w http.ResponseWriter, denial *bridge.Denial) {
	header := w.Header()
	for name, values := range denial.Header {
		header[name] = values
	}
	w.WriteHeader(denial.Status)
	_, _ = w.Write(denial.Body) // A caller that has gone away needs no answer.
}
