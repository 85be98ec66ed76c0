// Package keysvcgin guards the routes of a Gin application with keysvc.
package keysvcgin

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/keysvc/keysvc-go"
	"github.com/keysvc/keysvc-go/internal/bridge"
)

// New makes middleware for Gin. An error is a keysvc.ErrConfiguration, and names each field at fault.
//
// A handler finds the verdict under keysvc.ContextDecisionKey, and by keysvc.DecisionFromContext in the context of its request.
// MiddlewareRequest.Raw is the *gin.Context. The caller's address is that of c.ClientIP: set the engine's trusted proxies.
func New(options keysvc.MiddlewareOptions) (gin.HandlerFunc, error) {
	engine, err := bridge.Open(options)
	if err != nil {
		return nil, err
	}
	if engine == nil {
		return func(*gin.Context) {}, nil
	}
	wants := engine.Wants()
	return func(c *gin.Context) { handle(c, engine, wants) }, nil
}

// Must is [New] for options that are known to be right. It panics with the error when they are not.
func Must(options keysvc.MiddlewareOptions) gin.HandlerFunc {
	middleware, err := New(options)
	if err != nil {
		panic(err)
	}
	return middleware
}

func handle(c *gin.Context, engine bridge.Engine, wants bridge.Wants) {
	if engine.Bypasses(c.Request.Method, c.Request.URL.Path, bridge.SentPath(c.Request.URL)) {
		return
	}
	if engine.Passed(c.Request.Context(), bridge.IdentityOf(c.Request.Header)) {
		restore(c)
		return
	}
	// Not the context of Gin itself, which is used again for other requests.
	call := engine.Begin(c.Request.Context(), describe(c, wants))
	if call.IsSkipped() {
		return
	}
	if denial := call.Denial(); denial != nil {
		defer call.End(c.Request.Context(), bridge.Answer{})
		answer(c, denial)
		return
	}
	if decision := call.Decision(); decision != nil {
		c.Set(keysvc.ContextDecisionKey, decision)
	}
	if failure := call.Failure(); failure != nil {
		c.Set(keysvc.ContextErrorKey, failure)
	}
	c.Request = c.Request.WithContext(call.Context(c.Request.Context()))
	if wants.Event {
		record(c, call, wants)
	}
}

// restore keeps anew what Gin forgets when a handler hands the request to another route with HandleContext.
func restore(c *gin.Context) {
	if decision, has := keysvc.DecisionFromContext(c.Request.Context()); has {
		c.Set(keysvc.ContextDecisionKey, decision)
	}
	if failure := keysvc.ValidationErrorFromContext(c.Request.Context()); failure != nil {
		c.Set(keysvc.ContextErrorKey, failure)
	}
}

func describe(c *gin.Context, wants bridge.Wants) bridge.Request {
	r := c.Request
	request := bridge.Request{
		Method: r.Method, Path: bridge.SentPath(r.URL), RawQuery: r.URL.RawQuery, Host: r.Host, Header: r.Header,
		Route: c.FullPath(), Raw: c, Identity: bridge.IdentityOf(r.Header),
	}
	if wants.ClientIP {
		request.ClientIP = c.ClientIP()
	}
	return request
}

func answer(c *gin.Context, denial *bridge.Denial) {
	header := c.Writer.Header()
	for name, values := range denial.Header {
		header[name] = values
	}
	c.Abort()
	c.Writer.WriteHeader(denial.Status)
	_, _ = c.Writer.Write(denial.Body) // A caller that has gone away needs no answer.
}

// record runs the rest of the chain, and records also when it panics. The panic goes on by itself.
func record(c *gin.Context, call bridge.Call, wants bridge.Wants) {
	if c.Request.Method == http.MethodHead {
		wants.BodyBytes = 0
	}
	recording := newWriter(c.Writer, wants)
	c.Writer = recording
	hasReturned := false
	defer func() {
		c.Writer = recording.ResponseWriter
		status := recording.finalStatus()
		call.End(c.Request.Context(), bridge.Answer{
			Status: status, Route: c.FullPath(), Header: recording.sentHeader(!hasReturned || isGinsOwn(c, status)),
			Body: recording.body.Kept(), Panicked: !hasReturned,
		})
	}()
	c.Next()
	hasReturned = true
}

// isGinsOwn tells whether Gin, which found no route, writes the answer after us when nobody else has.
func isGinsOwn(c *gin.Context, status int) bool {
	return c.FullPath() == "" && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed)
}
