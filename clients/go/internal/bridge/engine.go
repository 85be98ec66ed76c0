// Package bridge is how the adapters reach the engine of the root package, which nobody else is to see.
package bridge

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"unsafe"

	"github.com/keysvc/keysvc-go/internal/percent"
)

// Open makes an engine of keysvc.MiddlewareOptions. The root package sets it. The engine is nil when the options switch the
// service off.
var Open func(options any) (Engine, error)

// Engine judges and records requests.
type Engine interface {
	// Bypasses tells whether a request is let through untouched. The path is the decoded one; the sent path, still encoded,
	// may be empty where it says the same.
	Bypasses(method, path, sentPath string) bool
	// Passed tells whether a request has passed this engine already, because the middleware is mounted twice: it is let through
	// then, and the outer one records. The context is the request's.
	Passed(ctx context.Context, identity unsafe.Pointer) bool
	// Begin judges a request. It may ask the service, and waits for its verdict.
	Begin(ctx context.Context, request Request) Call
	// Wants says what an adapter has to find out about a request and its answer.
	Wants() Wants
}

// Wants says what an adapter has to find out.
type Wants struct {
	// Event is false when nothing is recorded at all.
	Event bool
	// ClientIP is to be set in the request.
	ClientIP bool
	// Header is to be set in the answer.
	Header bool
	// BodyBytes is how much of a textual body is to be set in the answer; 0: none.
	BodyBytes int
}

// IdentityOf gives what tells a request from others whose contexts were made from its own, such as the parts of a batch that a
// handler serves by the same chain: those are guarded for themselves. Copies that share the headers are the same request.
func IdentityOf(header http.Header) unsafe.Pointer { return reflect.ValueOf(header).UnsafePointer() }

// SentPath gives the path of a URL as it came. Unlike EscapedPath it leaves characters alone that ought to be encoded: that one
// encodes the whole path anew because of them, and what was encoded without need is not to be seen any more.
func SentPath(u *url.URL) string {
	if u.RawPath != "" && percent.Decode(u.RawPath) == u.Path {
		return u.RawPath
	}
	return u.EscapedPath()
}

// Request is a request as the engine sees it. Its strings live on after the request: an adapter whose framework uses their
// memory again hands over copies.
type Request struct {
	Method string
	// Path as it was sent, without query.
	Path     string
	RawQuery string
	Host     string
	Header   http.Header
	// Route is the template of the route where it is known already.
	Route string
	// ClientIP is the caller's address as the framework resolves it, when it is wanted.
	ClientIP string
	// Raw is the framework's own request.
	Raw any
	// Identity is the address of something that the request alone has.
	Identity unsafe.Pointer
}

// Answer is what came of a request that was let through.
type Answer struct {
	Status int
	// Route is the template of the route where it is known.
	Route  string
	Header http.Header
	Body   []byte
	// Panicked tells that the handler did not return; it counts as 500.
	Panicked bool
}

// Denial is the answer to a request that is not let through.
type Denial struct {
	Status int
	Header http.Header
	Body   []byte
}

// Call is a request under way.
type Call interface {
	// IsSkipped tells that the request is let through untouched; nothing else is to be called then.
	IsSkipped() bool
	// Denial is the answer when the request is not let through, else nil. End needs no status, headers and body then.
	Denial() *Denial
	// Decision is the *keysvc.VerificationResult of a request that was validated; nil when there is none.
	Decision() any
	// Failure is why there is no decision, when FailureOpen let the request through.
	Failure() error
	// Context gives the handler's context, with the decision or the failure.
	Context(parent context.Context) context.Context
	// End records the request, once. The context is the handler's; the service is not waited for.
	End(ctx context.Context, answer Answer)
}
