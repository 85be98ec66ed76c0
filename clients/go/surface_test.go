package keysvc_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/keysvc/keysvc-go"
)

// What the specification names, with its types. That this compiles is the test.
var (
	_ func(keysvc.MiddlewareOptions) (func(http.Handler) http.Handler, error) = keysvc.New
	_ func(keysvc.MiddlewareOptions) func(http.Handler) http.Handler          = keysvc.Must
	_ func(keysvc.ClientOptions) (*keysvc.Client, error)                      = keysvc.NewClient

	_ func(*keysvc.Client, context.Context, string, keysvc.VerifyOptions) (*keysvc.VerificationResult, error) = (*keysvc.Client).Verify

	_ func(*keysvc.Client, context.Context, ...keysvc.Event) error = (*keysvc.Client).Ingest
	_ func(*keysvc.Client, context.Context) error                  = (*keysvc.Client).Flush
	_ func(*keysvc.Client, context.Context) error                  = (*keysvc.Client).Close
	_ func(*keysvc.Client) uint64                                  = (*keysvc.Client).Dropped

	_ func(context.Context) (*keysvc.VerificationResult, bool) = keysvc.DecisionFromContext
	_ func(context.Context) error                              = keysvc.ValidationErrorFromContext

	_ *bool = keysvc.Ptr(true)
	_ *int  = keysvc.Ptr(0)

	_ keysvc.ClientAPI = (*keysvc.Client)(nil)
	_ keysvc.ClientAPI = (*double)(nil)
	_ keysvc.ClientAPI = interface {
		Verify(context.Context, string, keysvc.VerifyOptions) (*keysvc.VerificationResult, error)
		Ingest(context.Context, ...keysvc.Event) error
	}(nil)

	_ error        = (*keysvc.APIError)(nil)
	_ fmt.Stringer = keysvc.MiddlewareMode(0)
	_ fmt.Stringer = keysvc.KeyLocation(0)
	_ fmt.Stringer = keysvc.KeyScheme(0)
	_ fmt.Stringer = keysvc.FailureMode(0)
)

const (
	_ string = keysvc.ContextDecisionKey
	_ string = keysvc.ContextErrorKey
)

func resolver[T any](given T) func(context.Context, *keysvc.MiddlewareRequest) T {
	return func(context.Context, *keysvc.MiddlewareRequest) T { return given }
}

var _ = keysvc.MiddlewareOptions{
	ProjectKey:             "",
	APIID:                  "",
	Mode:                   keysvc.ModeBoth,
	Enabled:                keysvc.Ptr(true),
	RootKey:                "",
	KeyLocation:            keysvc.KeyInHeader,
	KeyName:                "",
	KeyScheme:              keysvc.KeyBearer,
	GetConsumerKey:         func(context.Context, *keysvc.MiddlewareRequest) (string, error) { return "", nil },
	Credits:                keysvc.Ptr(1),
	CreditsResolver:        resolver(1),
	ExcludePaths:           []string{},
	ShouldProtect:          resolver(true),
	SkipMethods:            []string{},
	CaptureQueryParams:     false,
	CaptureRequestHeaders:  false,
	CaptureResponseHeaders: false,
	CaptureResponseBody:    false,
	CaptureClientIP:        false,
	CaptureUserAgent:       keysvc.Ptr(true),
	ExcludedHeaders:        []string{},
	ConsumerNameResolver:   resolver(""),
	ClientIPResolver:       resolver(""),
	PathResolver:           resolver(""),
	RequestIDResolver:      resolver(""),
	IngestDeniedRequests:   keysvc.Ptr(true),
	FailureMode:            keysvc.FailureClosed,
	OnError:                func(keysvc.MiddlewareErrorEvent) {},
	ErrorMessages:          map[keysvc.ErrorCode]string{},
	Timeout:                time.Second,
	Client:                 keysvc.ClientAPI(nil),
	BaseURL:                "",
}

var (
	_ = keysvc.MiddlewareRequest{Headers: http.Header{}, Path: "", Method: "", Raw: any(nil)}
	_ = keysvc.MiddlewareErrorEvent{Operation: "", Method: "", Path: "", Err: error(nil)}
	_ = keysvc.VerifyOptions{APIID: "", Credits: keysvc.Ptr(1), RequestID: "", Endpoint: "", Method: "", ClientIP: "", UserAgent: ""}
	_ = keysvc.APIError{StatusCode: 0, Message: ""}
	_ = keysvc.VerificationResult{
		Reason: keysvc.ReasonValid, CreditsRemaining: (*int64)(nil), CreditsLimit: (*int64)(nil), RequestID: "",
		Consumer: &keysvc.Consumer{ID: "", Name: "", ExternalID: "", PlanID: "", Metadata: map[string]any{}, Tags: []string{}},
	}
	_ = keysvc.Event{
		RequestID: "", Timestamp: time.Time{}, Method: "", Endpoint: "", Path: "", StatusCode: 0, LatencyMs: 0.5, ClientIP: "",
		APIKey: "", APIID: "", APIName: "", ConsumerID: "", ConsumerName: "", Country: "", Region: "", UserAgent: "",
		RequestBody: "", ResponseBody: "", RequestHeaders: "", ResponseHeaders: "",
	}
)

func TestTheZeroValuesAreTheDefaults(t *testing.T) {
	var options keysvc.MiddlewareOptions
	if options.Mode != keysvc.ModeBoth || options.KeyLocation != keysvc.KeyInHeader || options.FailureMode != keysvc.FailureClosed ||
		options.KeyScheme == keysvc.KeyRaw || options.KeyScheme == keysvc.KeyBearer {
		t.Error("a zero value is not the default")
	}
	if keysvc.TimeoutDefault != 2*time.Second {
		t.Errorf("the timeout is %v", keysvc.TimeoutDefault)
	}
}

func TestEnumerationsAreWritten(t *testing.T) {
	for want, value := range map[string]fmt.Stringer{
		"both": keysvc.ModeBoth, "validate": keysvc.ModeValidate, "ingest": keysvc.ModeIngest,
		"header": keysvc.KeyInHeader, "query": keysvc.KeyInQuery, "cookie": keysvc.KeyInCookie,
		"unset": keysvc.KeyScheme(0), "raw": keysvc.KeyRaw, "bearer": keysvc.KeyBearer,
		"closed": keysvc.FailureClosed, "open": keysvc.FailureOpen, "unknown": keysvc.MiddlewareMode(9),
	} {
		if value.String() != want {
			t.Errorf("%q instead of %q", value, want)
		}
	}
}

func TestCodesAreThoseOfTheService(t *testing.T) {
	for reason, code := range map[keysvc.Reason]keysvc.ErrorCode{
		keysvc.ReasonNotFound: keysvc.ErrorCodeNotFound, keysvc.ReasonKeyDisabled: keysvc.ErrorCodeKeyDisabled,
		keysvc.ReasonKeyExpired: keysvc.ErrorCodeKeyExpired, keysvc.ReasonConsumerDisabled: keysvc.ErrorCodeConsumerDisabled,
		keysvc.ReasonConsumerExpired: keysvc.ErrorCodeConsumerExpired, keysvc.ReasonAPINotAllowed: keysvc.ErrorCodeAPINotAllowed,
		keysvc.ReasonRateLimited: keysvc.ErrorCodeRateLimited, keysvc.ReasonUsageExceeded: keysvc.ErrorCodeUsageExceeded,
	} {
		if string(reason) != string(code) {
			t.Errorf("%s is denied as %s", reason, code)
		}
		if (&keysvc.VerificationResult{Reason: reason}).Allowed() {
			t.Errorf("%s is allowed", reason)
		}
	}
	if (*keysvc.VerificationResult)(nil).Allowed() || (&keysvc.VerificationResult{}).Allowed() {
		t.Error("no verdict is allowed")
	}
	_ = []keysvc.ErrorCode{keysvc.ErrorCodeMissingKey, keysvc.ErrorCodeServiceUnavailable}
}

func TestAPIErrorsAreOfTheirKinds(t *testing.T) {
	for status, isAuthentication := range map[int]bool{400: false, 401: true, 403: true, 500: false} {
		err := fmt.Errorf("wrapped: %w", &keysvc.APIError{StatusCode: status})
		var apiError *keysvc.APIError
		if !errors.As(err, &apiError) || !errors.Is(err, keysvc.ErrAPI) || errors.Is(err, keysvc.ErrAuthentication) != isAuthentication {
			t.Errorf("%d is %v", status, err)
		}
	}
}
