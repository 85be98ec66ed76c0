package keysvc

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/keysvc/keysvc-go/internal/bridge"
	"github.com/keysvc/keysvc-go/internal/redact"
)

// What the service takes of the fields of an event.
const (
	methodCharactersMax = 64
	textCharactersMax   = 8192
	nameCharactersMax   = 4096
	idCharactersMax     = 128
	statusMax           = 599
	latencyMax          = 24 * time.Hour
)

// End implements bridge.Call.
func (c *call) End(ctx context.Context, answer bridge.Answer) {
	e := c.engine
	if c.isSkipped || c.isAbandoned || e.options.Mode == ModeValidate || c.denial != nil && !e.recordsDenied {
		return
	}
	if c.denial != nil {
		answer.Status, answer.Header, answer.Body = c.denial.Status, c.denial.Header, c.denial.Body
	}
	if answer.Panicked {
		answer.Status = http.StatusInternalServerError
	}
	event := Event{
		Timestamp:  c.startedAt,
		Method:     ownMethod(c.request.Method),
		StatusCode: min(answer.Status, statusMax),
		LatencyMs:  float64(min(e.now().Sub(c.startedAt), latencyMax)) / float64(time.Millisecond),
		APIID:      e.options.APIID,
		Path:       c.recordedPath(),
	}
	c.describeCaller(ctx, &event)
	c.describeEndpoint(ctx, &event, answer.Route)
	c.describeCaptured(ctx, &event, answer)
	e.record(c, event)
}

func (c *call) describeCaller(ctx context.Context, event *Event) {
	e := c.engine
	if c.result != nil {
		if isRequestID(c.result.RequestID) {
			event.RequestID = c.result.RequestID
		}
		if c.result.Consumer != nil {
			event.ConsumerID = redact.Clip(c.result.Consumer.ID, idCharactersMax)
		}
	}
	if e.options.Mode == ModeIngest {
		given := c.resolveLate(ctx, "RequestIDResolver", e.options.RequestIDResolver)
		if isRequestID(given) && redact.Text(given, c.secrets) == given {
			event.RequestID = given
		}
	}
	if event.RequestID == "" {
		event.RequestID = newRequestID(c.startedAt, e.random)
	}
	if c.key != "" || c.isRefused {
		event.APIKey = maskKey(c.key)
	}
	name := c.resolveLate(ctx, "ConsumerNameResolver", e.options.ConsumerNameResolver)
	event.ConsumerName = c.clean(name, nameCharactersMax)
}

// describeEndpoint uses what was resolved for the validation, where there was one.
func (c *call) describeEndpoint(ctx context.Context, event *Event, route string) {
	c.guarded("PathResolver", func() { c.resolveEndpoint(ctx) })
	if route == "" {
		route = c.request.Route
	}
	if named := c.endpointOr(route); named != c.request.Path {
		event.Endpoint = c.clean(named, textCharactersMax)
	} else {
		event.Endpoint = strings.Clone(c.clean(named, textCharactersMax))
	}
}

func (c *call) describeCaptured(ctx context.Context, event *Event, answer bridge.Answer) {
	e := c.engine
	if e.capturesAgent {
		event.UserAgent = c.clean(c.request.Header.Get("User-Agent"), textCharactersMax)
	}
	if e.options.CaptureClientIP {
		c.guarded("ClientIPResolver", func() { c.resolveClientIP(ctx) })
		event.ClientIP = strings.Clone(c.clientIP)
	}
	if e.options.CaptureRequestHeaders {
		header := c.request.Header
		if c.request.Host != "" {
			header = header.Clone()
			header.Set("Host", c.request.Host)
		}
		event.RequestHeaders = redact.Headers(header, e.stripped, c.secrets)
	}
	if e.options.CaptureResponseHeaders && answer.Header != nil {
		event.ResponseHeaders = redact.Headers(answer.Header, e.stripped, c.secrets)
	}
	if e.options.CaptureResponseBody && c.hasBody(answer.Status) {
		goesOn := len(answer.Body) == bodyBytesKept
		event.ResponseBody = redact.Prefix(string(answer.Body), goesOn, bodyCharactersMax, c.secrets)
	}
}

// hasBody tells whether HTTP sends a body with an answer.
func (c *call) hasBody(status int) bool {
	return c.request.Method != http.MethodHead && status >= 200 && status != http.StatusNoContent &&
		status != http.StatusNotModified
}

// endpointOr gives what PathResolver said, else the template, else the path.
func (c *call) endpointOr(route string) string {
	switch {
	case c.endpoint != "":
		return c.endpoint
	case route != "" && !isCatchAll(route):
		return route
	case c.request.Path == "":
		return "/" // The service needs one.
	}
	return c.request.Path
}

// isCatchAll tells whether a template says nothing, because it takes every path: "/", "*", "/*", "/*any", "/+", "/{path...}".
func isCatchAll(route string) bool {
	route = strings.TrimPrefix(route, "/")
	if route == "" {
		return true
	}
	isWildcard := route[0] == '*' || route[0] == '+' || strings.HasSuffix(route, "...}") && route[0] == '{'
	return isWildcard && !strings.Contains(route, "/")
}

func (c *call) recordedPath() string {
	path := redact.Text(c.request.Path, c.secrets)
	if c.engine.options.CaptureQueryParams && c.request.RawQuery != "" {
		path += "?" + redact.Query(c.request.RawQuery, c.engine.queryName, c.secrets)
	}
	return strings.Clone(redact.Clip(path, textCharactersMax))
}

// ownMethod gives a method that is no part of the request's first line: events wait, and would keep all of it in memory, the
// query too, which may be a megabyte.
func ownMethod(method string) string {
	for _, common := range []string{
		http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead, http.MethodOptions,
	} {
		if method == common {
			return common
		}
	}
	return strings.Clone(redact.Clip(method, methodCharactersMax))
}

// clean hides secrets, then cuts: the other way round, a part of one could stay.
func (c *call) clean(text string, bytesMax int) string {
	if text == "" {
		return ""
	}
	return redact.Clip(redact.Text(text, c.secrets), bytesMax)
}

// resolveLate calls a function of the options after the answer. Its panic is told, and the event goes without what it names.
func (c *call) resolveLate(
	ctx context.Context, name string, resolver func(context.Context, *MiddlewareRequest) string,
) (text string) {
	if resolver != nil {
		c.guarded(name, func() { text = resolver(ctx, c.middlewareRequest()) })
	}
	return text
}

func (c *call) guarded(name string, run func()) {
	defer func() {
		if value := recover(); value != nil {
			c.tell(operationRecord, panicError(name, value))
		}
	}()
	run()
}

// panicError leaves out what was thrown, which could hold anything, but for faults that the runtime describes.
func panicError(name string, value any) error {
	if fault, isFault := value.(runtime.Error); isFault {
		return fmt.Errorf("keysvc: %s panicked: %w", name, fault)
	}
	return fmt.Errorf("keysvc: %s panicked with a %T", name, value)
}
