// Package keysvcecho guards the routes of an Echo v5 application with keysvc.
package keysvcecho

import (
	"net/http"

	"github.com/labstack/echo/v5"

	"github.com/keysvc/keysvc-go"
	"github.com/keysvc/keysvc-go/internal/bridge"
	"github.com/keysvc/keysvc-go/internal/capture"
)

// New makes middleware for Echo v5. An error is a keysvc.ErrConfiguration, and names each field at fault.
//
// A handler finds the verdict under keysvc.ContextDecisionKey, and by keysvc.DecisionFromContext in the context of its request.
// MiddlewareRequest.Raw is the *echo.Context. The caller's address is that of c.RealIP: set Echo.IPExtractor behind a proxy.
//
// An error that a handler returns goes on unchanged; what is recorded is the status that Echo's own error handler gives it,
// without headers and body unless the answer had begun.
func New(options keysvc.MiddlewareOptions) (echo.MiddlewareFunc, error) {
	engine, err := bridge.Open(options)
	if err != nil {
		return nil, err
	}
	if engine == nil {
		return func(next echo.HandlerFunc) echo.HandlerFunc { return next }, nil
	}
	wants := engine.Wants()
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) error { return handle(c, next, engine, wants) }
	}, nil
}

// Must is [New] for options that are known to be right. It panics with the error when they are not.
func Must(options keysvc.MiddlewareOptions) echo.MiddlewareFunc {
	middleware, err := New(options)
	if err != nil {
		panic(err)
	}
	return middleware
}

func handle(c *echo.Context, next echo.HandlerFunc, engine bridge.Engine, wants bridge.Wants) error {
	r := c.Request()
	if engine.Bypasses(r.Method, r.URL.Path, bridge.SentPath(r.URL)) || engine.Passed(r.Context(), bridge.IdentityOf(r.Header)) {
		return next(c)
	}
	call := engine.Begin(r.Context(), describe(c, wants))
	if call.IsSkipped() {
		return next(c)
	}
	if denial := call.Denial(); denial != nil {
		defer call.End(r.Context(), bridge.Answer{})
		answer(c.Response(), denial)
		return nil
	}
	if decision := call.Decision(); decision != nil {
		c.Set(keysvc.ContextDecisionKey, decision)
	}
	if failure := call.Failure(); failure != nil {
		c.Set(keysvc.ContextErrorKey, failure)
	}
	c.SetRequest(r.WithContext(call.Context(r.Context())))
	if !wants.Event {
		return next(c)
	}
	return record(c, next, call, wants)
}

func describe(c *echo.Context, wants bridge.Wants) bridge.Request {
	r := c.Request()
	request := bridge.Request{
		Method: r.Method, Path: bridge.SentPath(r.URL), RawQuery: r.URL.RawQuery, Host: r.Host, Header: r.Header,
		Route: c.Path(), Raw: c, Identity: bridge.IdentityOf(r.Header),
	}
	if wants.ClientIP {
		request.ClientIP = c.RealIP()
	}
	return request
}

func answer(w http.ResponseWriter, denial *bridge.Denial) {
	header := w.Header()
	for name, values := range denial.Header {
		header[name] = values
	}
	w.WriteHeader(denial.Status)
	_, _ = w.Write(denial.Body) // A caller that has gone away needs no answer.
}

// record runs the handler, and records also when it panics. The panic goes on by itself.
func record(c *echo.Context, next echo.HandlerFunc, call bridge.Call, wants bridge.Wants) (err error) {
	if c.Request().Method == http.MethodHead {
		wants.BodyBytes = 0
	}
	original := c.Response()
	recording := capture.Wrap(original, capture.Wants{Header: wants.Header, BodyBytes: wants.BodyBytes})
	c.SetResponse(recording)
	hasReturned := false
	defer func() {
		// Echo's error handler writes after us, to its own response.
		c.SetResponse(original)
		_, status := echo.ResolveResponseStatus(original, err)
		if recording.Status() == http.StatusSwitchingProtocols {
			status = http.StatusSwitchingProtocols // Echo does not know of connections that were taken over.
		}
		call.End(c.Request().Context(), bridge.Answer{
			Status: status, Route: c.Path(), Header: recording.SentHeader(err != nil || !hasReturned), Body: recording.KeptBody(),
			Panicked: !hasReturned,
		})
	}()
	err = next(c)
	hasReturned = true
	return err
}
