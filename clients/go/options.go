package keysvc

import (
	"context"
	"net/http"
	"time"
)

// TimeoutDefault is how long a call to the service may take when the options do not say.
const TimeoutDefault = 2 * time.Second

// BaseURLDefault is where the service is when neither an option nor KEYSVC_BASE_URL says so.
const BaseURLDefault = "http://127.0.0.1:8080"

// MiddlewareOptions is what a middleware does. Only ProjectKey and APIID are required.
type MiddlewareOptions struct {
	// ProjectKey is the project credential, which the service gets as Bearer token. When neither it nor RootKey is set, it is
	// read from the environment variable KEYSVC_PROJECT_KEY, else from KEYSVC_ROOT_KEY. Not needed with a Client.
	ProjectKey string
	// APIID scopes validations and records to this API; it has the form api_<id>. Required.
	APIID string
	// Mode defaults to ModeBoth.
	Mode MiddlewareMode
	// Enabled is the one switch that bypasses the service: when it is false, handlers are used as they are, nothing is read,
	// sent or recorded, and the other options are not looked at. Default true.
	Enabled *bool
	// RootKey is the old name of ProjectKey. To set both is an error.
	RootKey string

	// KeyLocation is in which part of a request the caller's key is. Default KeyInHeader.
	KeyLocation KeyLocation
	// KeyName is the header, parameter or cookie. Default: the header Authorization for KeyBearer and X-API-Key for KeyRaw,
	// else api_key.
	KeyName string
	// KeyScheme says how a header holds the key. Default: KeyBearer when KeyName is Authorization or neither is set, else
	// KeyRaw.
	KeyScheme KeyScheme
	// GetConsumerKey finds the caller's key in place of KeyLocation, KeyName and KeyScheme. An empty key is a missing one; an
	// error is a fault of the application, answered 503. KeyName still says which header or parameter is never recorded.
	GetConsumerKey func(context.Context, *MiddlewareRequest) (string, error)

	// Credits is what a request costs; a pointer to 0 only checks. Default 1.
	Credits *int
	// CreditsResolver gives the cost of a request, in place of Credits. A negative cost is a fault, answered 503.
	CreditsResolver func(context.Context, *MiddlewareRequest) int

	// ExcludePaths are exact paths, or prefixes that end in "*", that are never validated, charged or recorded. They are
	// compared with the decoded path. A path that routers may read in more than one way is never excluded: one with an empty,
	// "." or ".." segment, a backslash, an encoded slash, or another escape of a character that needs none, as in "/%68ealth".
	ExcludePaths []string
	// ShouldProtect says of a request whether it is guarded. Without it, all are.
	ShouldProtect func(context.Context, *MiddlewareRequest) bool
	// SkipMethods are never validated, charged or recorded. Default OPTIONS; an empty list skips none.
	SkipMethods []string

	// CaptureQueryParams records the query with the path, without values that are secret. Default off.
	CaptureQueryParams bool
	// CaptureRequestHeaders records the headers of the request, without those that are secret. Default off.
	CaptureRequestHeaders bool
	// CaptureResponseHeaders records the headers of the answer, without those that are secret. Default off.
	CaptureResponseHeaders bool
	// CaptureResponseBody records the first 1,000 characters of textual bodies. Default off.
	CaptureResponseBody bool
	// CaptureClientIP records the caller's address, as the framework or ClientIPResolver says. Default off.
	CaptureClientIP bool
	// CaptureUserAgent records the header User-Agent. Default on.
	CaptureUserAgent *bool
	// ExcludedHeaders are not recorded either, besides Authorization, Cookie, Proxy-Authorization, Set-Cookie, X-API-Key and
	// KeyName.
	ExcludedHeaders []string

	// ConsumerNameResolver labels events with a customer's name.
	ConsumerNameResolver func(context.Context, *MiddlewareRequest) string
	// ClientIPResolver names the header whose first address is the caller's. Name only a header that a proxy of yours sets:
	// callers can write any other. Where it holds no address, the framework's counts.
	ClientIPResolver func(context.Context, *MiddlewareRequest) string
	// PathResolver names the endpoint of a request, in place of the route's template or the path.
	PathResolver func(context.Context, *MiddlewareRequest) string
	// RequestIDResolver gives the id of a validation that was made elsewhere, in ModeIngest: 1 to 128 visible ASCII
	// characters, else a new id is made.
	RequestIDResolver func(context.Context, *MiddlewareRequest) string
	// IngestDeniedRequests records requests that were denied, in ModeBoth. Default on.
	IngestDeniedRequests *bool

	// FailureMode defaults to FailureClosed.
	FailureMode FailureMode
	// OnError is told of failures, in both failure modes. It may be called by several goroutines at once; a panic in it is
	// dropped. Failures to send events are told by the client: with a Client of your own, to the OnError of its options.
	OnError func(MiddlewareErrorEvent)
	// ErrorMessages has texts for callers in place of the usual details of denials.
	ErrorMessages map[ErrorCode]string
	// Timeout bounds each call to the service. Default TimeoutDefault, 2 s. With a Client of your own it bounds validations, in
	// place of the client's Timeout when it is set, else besides it.
	Timeout time.Duration

	// Client asks and records, in place of one that the middleware makes. Make it with NewClient where it is to be flushed or
	// closed when the application ends, or is shared; or use a test double.
	Client ClientAPI
	// BaseURL is where the service is. Default: KEYSVC_BASE_URL, else BaseURLDefault. Not used with a Client.
	BaseURL string
}

// MiddlewareRequest is a request, as functions of [MiddlewareOptions] see it. It may not be changed, nor used after they
// return.
type MiddlewareRequest struct {
	// Headers are the request's own, with names in canonical form.
	Headers http.Header
	// Path is the path as it was sent, without query.
	Path string
	// Method is the HTTP method.
	Method string
	// Raw is the framework's own request: *http.Request for net/http, *gin.Context, *echo.Context or fiber.Ctx.
	Raw any
}

// MiddlewareErrorEvent is a failure that MiddlewareOptions.OnError is told of. It has no key, credential, header or body.
type MiddlewareErrorEvent struct {
	// Operation is what failed: verify, ingest, key (GetConsumerKey), credits (CreditsResolver) or record (another function of
	// the options, after the answer).
	Operation string
	// Method of the request; empty when the failure is not of one request.
	Method string
	// Path of the request, without query; empty when the failure is not of one request.
	Path string
	// Err is what happened.
	Err error
}

// Ptr gives a pointer to a value, for options that can be unset.
func Ptr[T any](value T) *T { return &value }

// tell calls OnError and drops its panic.
func tell(onError func(MiddlewareErrorEvent), event MiddlewareErrorEvent) {
	if onError == nil {
		return
	}
	defer func() { _ = recover() }()
	onError(event)
}
