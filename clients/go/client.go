package keysvc

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"time"

	"github.com/keysvc/keysvc-go/internal/outbox"
)

// ClientAPI is what a middleware needs of a client. It will not grow, so that test doubles stay small.
type ClientAPI interface {
	// Verify asks for a verdict. A denial is a result, not an error.
	Verify(ctx context.Context, key string, options VerifyOptions) (*VerificationResult, error)
	// Ingest records events. It must not wait for the service.
	Ingest(ctx context.Context, events ...Event) error
}

// ClientOptions is how a client reaches the service. Only ProjectKey is required.
type ClientOptions struct {
	// ProjectKey is the project credential. When neither it nor RootKey is set, it is read from the environment variable
	// KEYSVC_PROJECT_KEY, else from KEYSVC_ROOT_KEY.
	ProjectKey string
	// RootKey is the old name of ProjectKey. To set both is an error.
	RootKey string
	// BaseURL is where the service is. Default: KEYSVC_BASE_URL, else BaseURLDefault.
	BaseURL string
	// Timeout bounds each call to the service. Default TimeoutDefault, 2 s. A middleware with a Timeout of its own validates
	// with that.
	Timeout time.Duration
	// OnError is told, with the operation "ingest", of events that could not be sent, were rejected by the service, or were
	// dropped, the latter at most once in 10 s. It is called by the client's own goroutine; a panic in it is dropped.
	OnError func(MiddlewareErrorEvent)
	// Transport carries the calls. Default: one of the client's own, which follows the proxy variables of the environment.
	Transport http.RoundTripper
}

// Client asks the service for verdicts, and sends it events in the background. It may be used by several goroutines at once.
//
// It has no goroutine until there is an event, and none any more once all are sent. Call Close before the application ends.
type Client struct {
	service *service
	outbox  *outbox.Outbox[Event]
	onError func(MiddlewareErrorEvent)
	now     func() time.Time
	random  func([]byte)
}

var _ ClientAPI = (*Client)(nil)

// NewClient makes a client. An error is an [ErrConfiguration], and names each field at fault.
func NewClient(options ClientOptions) (*Client, error) {
	credential, problems := resolveCredential(options.ProjectKey, options.RootKey)
	baseURL, more := resolveBaseURL(options.BaseURL)
	problems = append(problems, more...)
	if options.Timeout < 0 {
		problems = append(problems, fieldError("Timeout", "is negative"))
	}
	if err := misconfigured(problems); err != nil {
		return nil, err
	}
	client := &Client{
		service: newService(baseURL, credential, timeoutOrDefault(options.Timeout), options.Transport),
		onError: options.OnError,
		now:     time.Now,
		random:  func(bytes []byte) { _, _ = rand.Read(bytes) }, // It never fails.
	}
	client.outbox = client.newOutbox()
	return client, nil
}

func timeoutOrDefault(timeout time.Duration) time.Duration {
	if timeout == 0 {
		return TimeoutDefault
	}
	return timeout
}

// VerifyOptions is what a key is to be good for. All are optional.
type VerifyOptions struct {
	// APIID is the API that is called, of the form api_<id>; unset: no API is checked.
	APIID string
	// Credits is what the call costs; a pointer to 0 only checks. Default 1.
	Credits *int
	// RequestID is an idempotency key for 24 hours, 1 to 128 visible ASCII characters: the same id again answers the first
	// verdict and charges nothing. Never take it from the caller, who would decide by it what is charged.
	RequestID string
	// Endpoint is the endpoint that is called, for the analytics; at most 8,192 characters.
	Endpoint string
	// Method is the HTTP method, for the analytics; at most 64 characters.
	Method string
	// ClientIP is the caller's address, for the analytics; at most 256 characters.
	ClientIP string
	// UserAgent is the caller's program, for the analytics; at most 8,192 characters.
	UserAgent string
}

type validateRequest struct {
	Key       string `json:"key"`
	APIID     string `json:"apiId,omitempty"`
	Credits   int    `json:"credits"`
	RequestID string `json:"requestId,omitempty"`
	Endpoint  string `json:"endpoint,omitempty"`
	Method    string `json:"method,omitempty"`
	ClientIP  string `json:"clientIp,omitempty"`
	UserAgent string `json:"userAgent,omitempty"`
}

// Verify asks for a verdict about a key, and charges it when it is valid. A denial is a result, not an error.
//
// The service is asked once: the client never asks again by itself, because a verdict that was lost on its way may have
// charged. Errors are [ErrTransport], [ErrTimeout], [ErrAPI] and [ErrAuthentication], and a wrong cost [ErrConfiguration].
func (c *Client) Verify(ctx context.Context, key string, options VerifyOptions) (*VerificationResult, error) {
	credits := 1
	if options.Credits != nil {
		credits = *options.Credits
	}
	if credits < 0 {
		return nil, misconfigured([]error{fieldError("Credits", "is negative")})
	}
	answer, err := c.service.post(ctx, "/key/validate", validateRequest{
		Key: key, APIID: options.APIID, Credits: credits, RequestID: options.RequestID, Endpoint: options.Endpoint,
		Method: options.Method, ClientIP: options.ClientIP, UserAgent: options.UserAgent,
	}, key)
	if err != nil {
		return nil, err
	}
	var judged verdict
	if json.Unmarshal(answer, &judged) == nil {
		if result := judged.result(); result != nil {
			return result, nil
		}
	}
	return nil, errNoVerdict
}

var errNoVerdict = &APIError{StatusCode: http.StatusOK, Message: "the answer is no verdict"}
