package keysvc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/keysvc/keysvc-go/internal/bridge"
	"github.com/keysvc/keysvc-go/internal/keysource"
	"github.com/keysvc/keysvc-go/internal/redact"
)

// call is a request under way.
type call struct {
	engine    *engine
	request   bridge.Request
	startedAt time.Time
	// seen is made when the first function of the options asks for it.
	seen *MiddlewareRequest
	// key is the caller's key when it has the form of one, and secrets is all that may be one.
	key     string
	secrets []string
	// endpoint and clientIP are what functions of the options said. Each is asked once, for the validation or the event.
	endpoint, clientIP       string
	hasEndpoint, hasClientIP bool
	// isRefused: what was presented cannot be a key, and the service was not asked.
	isRefused bool
	isSkipped bool
	// isAbandoned: the caller went away before the verdict.
	isAbandoned bool
	denial      *bridge.Denial
	// result is the verdict, of a denied request too.
	result  *VerificationResult
	outcome outcome
}

var _ bridge.Call = (*call)(nil)

// begin judges a request.
func (e *engine) begin(ctx context.Context, request bridge.Request) *call {
	c := &call{engine: e, request: request, startedAt: e.now()}
	if protects := e.options.ShouldProtect; protects != nil && !protects(ctx, c.middlewareRequest()) {
		c.isSkipped = true
		return c
	}
	if e.options.Mode == ModeIngest {
		// No key is checked, but one that is there must not be recorded.
		c.secrets = e.source.Find(request.Header, request.RawQuery).Secrets
		return c
	}
	c.judge(ctx)
	return c
}

// judge finds the key and asks the service about it.
func (c *call) judge(ctx context.Context) {
	finding, err := c.findKey(ctx)
	c.secrets, c.key = finding.Secrets, finding.Key
	switch {
	case c.abandonedBy(ctx):
		return
	case err != nil:
		c.fail(operationKey, err)
		return
	case finding.State == keysource.Missing:
		c.deny(ErrorCodeMissingKey)
		return
	case finding.State == keysource.Malformed:
		c.isRefused = true
		c.deny(ErrorCodeNotFound)
		return
	}
	credits := c.engine.credits
	if resolve := c.engine.options.CreditsResolver; resolve != nil {
		credits = resolve(ctx, c.middlewareRequest())
	}
	switch {
	case c.abandonedBy(ctx):
		return
	case credits < 0:
		c.fail(operationCredits, errors.New("keysvc: CreditsResolver gave a negative cost"))
		return
	}
	result, err := c.verify(ctx, credits)
	switch {
	case err != nil && c.abandonedBy(ctx):
	case err != nil && c.engine.options.FailureMode == FailureOpen && passesOpen(err) && !c.isOverdue(ctx):
		c.outcome.failure = err
		c.tell(operationVerify, err)
	case err != nil:
		c.fail(operationVerify, err)
	case !result.Allowed():
		c.result = result
		c.deny(ErrorCode(result.Reason))
	default:
		c.result, c.outcome.decision = result, result
	}
}

// abandonedBy tells whether the caller has gone, and denies then: whatever failed meanwhile, nobody is told and nothing recorded.
func (c *call) abandonedBy(ctx context.Context) bool {
	if !errors.Is(ctx.Err(), context.Canceled) {
		return false
	}
	c.isAbandoned = true
	c.deny(ErrorCodeServiceUnavailable)
	return true
}

// isOverdue tells that the request's own deadline has passed. The service has not failed then, and whoever chose the deadline,
// which may be the caller by a header, would choose to pass.
func (c *call) isOverdue(ctx context.Context) bool {
	deadline, has := ctx.Deadline()
	return ctx.Err() != nil || has && !c.engine.now().Before(deadline)
}

func (c *call) findKey(ctx context.Context) (keysource.Finding, error) {
	find := c.engine.options.GetConsumerKey
	if find == nil {
		return c.engine.source.Find(c.request.Header, c.request.RawQuery), nil
	}
	key, err := find(ctx, c.middlewareRequest())
	if err != nil {
		return keysource.Finding{}, fmt.Errorf("keysvc: GetConsumerKey failed: %w", err)
	}
	return keysource.Judge(key), nil
}

// verify asks once.
func (c *call) verify(ctx context.Context, credits int) (*VerificationResult, error) {
	e := c.engine
	c.resolveEndpoint(ctx)
	options := VerifyOptions{
		APIID: e.options.APIID, Credits: &credits, Method: redact.Clip(c.request.Method, methodCharactersMax),
		Endpoint: c.clean(c.endpointOr(c.request.Route), textCharactersMax),
	}
	if e.capturesAgent {
		options.UserAgent = c.clean(c.request.Header.Get("User-Agent"), textCharactersMax)
	}
	if e.options.CaptureClientIP {
		c.resolveClientIP(ctx)
		options.ClientIP = c.clientIP
	}
	bounded, cancel := context.WithTimeout(ctx, e.options.Timeout)
	defer cancel()
	if e.hasOwnTimeout {
		bounded = context.WithValue(bounded, boundKey{}, true)
	}
	result, err := e.client.Verify(bounded, c.key, options)
	if err == nil && (result == nil || result.Reason == "") {
		err = errNoVerdict
	}
	return result, err
}

func (c *call) resolveEndpoint(ctx context.Context) {
	if !c.hasEndpoint {
		c.hasEndpoint = true
		c.endpoint = c.resolve(ctx, c.engine.options.PathResolver)
	}
}

func (c *call) resolveClientIP(ctx context.Context) {
	if !c.hasClientIP {
		c.hasClientIP = true
		c.clientIP = c.findClientIP(ctx)
	}
}

// resolve calls a function of the options that may be unset.
func (c *call) resolve(ctx context.Context, resolver func(context.Context, *MiddlewareRequest) string) string {
	if resolver == nil {
		return ""
	}
	return resolver(ctx, c.middlewareRequest())
}

func (c *call) middlewareRequest() *MiddlewareRequest {
	if c.seen == nil {
		c.seen = &MiddlewareRequest{
			Headers: c.request.Header, Path: c.request.Path, Method: c.request.Method, Raw: c.request.Raw,
		}
	}
	return c.seen
}

// fail denies because the key could not be checked.
func (c *call) fail(operation string, err error) {
	c.deny(ErrorCodeServiceUnavailable)
	c.tell(operation, err)
}

func (c *call) tell(operation string, err error) {
	tell(c.engine.options.OnError, MiddlewareErrorEvent{
		Operation: operation, Method: c.request.Method, Path: redact.Text(c.request.Path, c.secrets), Err: err,
	})
}

func (c *call) deny(code ErrorCode) {
	c.denial = c.engine.denial(code, c.result)
}

// IsSkipped implements bridge.Call.
func (c *call) IsSkipped() bool { return c.isSkipped }

// Denial implements bridge.Call.
func (c *call) Denial() *bridge.Denial { return c.denial }

// Decision implements bridge.Call.
func (c *call) Decision() any {
	if c.outcome.decision == nil {
		return nil
	}
	return c.outcome.decision
}

// Failure implements bridge.Call.
func (c *call) Failure() error { return c.outcome.failure }

// Context implements bridge.Call.
func (c *call) Context(parent context.Context) context.Context {
	c.outcome.engine, c.outcome.identity = c.engine, c.request.Identity
	c.outcome.outer, _ = parent.Value(outcomeKey{}).(*outcome)
	return context.WithValue(parent, outcomeKey{}, &c.outcome)
}
