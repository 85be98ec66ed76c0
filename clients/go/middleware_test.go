package keysvc_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/keysvc/keysvc-go"
)

func TestAHandlerSeesTheDecisionAndTheEventJoinsIt(t *testing.T) {
	client := &double{verify: func(_ context.Context, key string, _ keysvc.VerifyOptions) (*keysvc.VerificationResult, error) {
		if key != "sk_0123456789abcdefghij" {
			t.Errorf("asked about %q", key)
		}
		return &keysvc.VerificationResult{
			Reason: keysvc.ReasonValid, RequestID: "req_7", Consumer: &keysvc.Consumer{ID: "consumer_1"},
		}, nil
	}}
	handler := guarded(t, client, keysvc.MiddlewareOptions{}, func(w http.ResponseWriter, r *http.Request) {
		decision, has := keysvc.DecisionFromContext(r.Context())
		if !has || !decision.Allowed() || decision.RequestID != "req_7" {
			t.Errorf("the decision is %+v", decision)
		}
		w.WriteHeader(http.StatusCreated)
	})
	serve(handler, withKey("POST", "/v1/things?x=1"))
	event := client.one(t)
	if event.RequestID != "req_7" || event.StatusCode != 201 || event.Path != "/v1/things" || event.ConsumerID != "consumer_1" ||
		event.APIKey != "********efghij" || event.Method != "POST" || event.APIID != "api_1" {
		t.Errorf("recorded %+v", event)
	}
}

func TestAPatternIsTheEndpoint(t *testing.T) {
	client := &double{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /u/{id}", ok)
	serve(guarded(t, client, keysvc.MiddlewareOptions{}, mux.ServeHTTP), withKey("GET", "/u/7"))
	if event := client.one(t); event.Endpoint != "/u/{id}" || event.Path != "/u/7" {
		t.Errorf("endpoint %q, path %q", event.Endpoint, event.Path)
	}
}

func TestAPanicIsRecordedAs500AndGoesOnUnchanged(t *testing.T) {
	for _, thrown := range []any{http.ErrAbortHandler, "text", errors.New("fault")} {
		client := &double{}
		handler := guarded(t, client, keysvc.MiddlewareOptions{}, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			panic(thrown)
		})
		func() {
			defer func() {
				if caught := recover(); caught != thrown {
					t.Errorf("%v became %v", thrown, caught)
				}
			}()
			serve(handler, withKey("GET", "/"))
		}()
		if event := client.one(t); event.StatusCode != 500 {
			t.Errorf("recorded as %d", event.StatusCode)
		}
	}
}

func TestResolversThatPanicNeverLetARequestThrough(t *testing.T) {
	fail := func(context.Context, *keysvc.MiddlewareRequest) string { panic("resolver") }
	for name, options := range map[string]keysvc.MiddlewareOptions{
		"ShouldProtect":   {ShouldProtect: func(context.Context, *keysvc.MiddlewareRequest) bool { panic("resolver") }},
		"CreditsResolver": {CreditsResolver: func(context.Context, *keysvc.MiddlewareRequest) int { panic("resolver") }},
		"GetConsumerKey":  {GetConsumerKey: func(context.Context, *keysvc.MiddlewareRequest) (string, error) { panic("resolver") }},
		"PathResolver":    {PathResolver: fail},
	} {
		client := &double{}
		handler := guarded(t, client, options, func(http.ResponseWriter, *http.Request) { t.Errorf("%s: the handler ran", name) })
		func() {
			defer func() {
				if recover() != "resolver" {
					t.Errorf("%s: the panic was swallowed", name)
				}
			}()
			serve(handler, withKey("GET", "/"))
		}()
	}
}

func TestResolversThatPanicAfterTheAnswerAreToldWithoutWhatTheyThrew(t *testing.T) {
	client, told := &double{}, []keysvc.MiddlewareErrorEvent{}
	handler := guarded(t, client, keysvc.MiddlewareOptions{
		ConsumerNameResolver: func(context.Context, *keysvc.MiddlewareRequest) string { panic("sk_0123456789abcdefghij") },
		OnError: func(event keysvc.MiddlewareErrorEvent) {
			told = append(told, event)
			panic("in the callback")
		},
	}, ok)
	if answer := serve(handler, withKey("GET", "/")); answer.Code != 200 {
		t.Errorf("answered %d", answer.Code)
	}
	client.one(t)
	if len(told) != 1 || told[0].Operation != "record" || strings.Contains(told[0].Err.Error(), "sk_") {
		t.Errorf("told %+v", told)
	}
}

func TestADisabledMiddlewareUsesTheHandlerAsItIs(t *testing.T) {
	next := http.NewServeMux()
	handler := keysvc.Must(keysvc.MiddlewareOptions{Enabled: keysvc.Ptr(false)})(next)
	if handler != http.Handler(next) {
		t.Error("the handler is wrapped")
	}
}

func TestFailureOpenOpensOnlyForFailuresThatGoAwayByThemselves(t *testing.T) {
	opens := map[error]bool{
		keysvc.ErrTransport: true, keysvc.ErrTimeout: true, context.DeadlineExceeded: true,
		errors.New("a double's own"): false, keysvc.ErrConfiguration: false, keysvc.ErrAuthentication: false,
	}
	for status, open := range map[int]bool{200: true, 302: true, 400: false, 401: false, 403: false, 404: false, 408: false, 429: true, 500: true, 503: true} {
		opens[&keysvc.APIError{StatusCode: status}] = open
	}
	for failure, open := range opens {
		client := &double{verify: func(context.Context, string, keysvc.VerifyOptions) (*keysvc.VerificationResult, error) {
			return nil, failure
		}}
		for _, mode := range []keysvc.FailureMode{keysvc.FailureClosed, keysvc.FailureOpen} {
			hasRun := false
			told := 0
			handler := guarded(t, client, keysvc.MiddlewareOptions{
				FailureMode: mode, OnError: func(keysvc.MiddlewareErrorEvent) { told++ },
			}, func(_ http.ResponseWriter, r *http.Request) {
				hasRun = true
				if keysvc.ValidationErrorFromContext(r.Context()) == nil {
					t.Errorf("%v: the handler does not see the failure", failure)
				}
				if _, has := keysvc.DecisionFromContext(r.Context()); has {
					t.Errorf("%v: the handler sees a decision", failure)
				}
			})
			answer := serve(handler, withKey("GET", "/"))
			if hasRun != (open && mode == keysvc.FailureOpen) || hasRun != (answer.Code == 200) || told != 1 {
				t.Errorf("%v, %v: ran %v, status %d, told %d", failure, mode, hasRun, answer.Code, told)
			}
		}
	}
}

func TestAVerdictThatIsNoneNeverPassesWhenClosed(t *testing.T) {
	for _, result := range []*keysvc.VerificationResult{nil, {}} {
		client := &double{verify: func(context.Context, string, keysvc.VerifyOptions) (*keysvc.VerificationResult, error) {
			return result, nil
		}}
		handler := guarded(t, client, keysvc.MiddlewareOptions{}, func(http.ResponseWriter, *http.Request) { t.Error("the handler ran") })
		if answer := serve(handler, withKey("GET", "/")); answer.Code != 503 {
			t.Errorf("answered %d", answer.Code)
		}
	}
}

func TestTheTimeoutBoundsAClientOfTheUsers(t *testing.T) {
	client := &double{verify: func(ctx context.Context, _ string, _ keysvc.VerifyOptions) (*keysvc.VerificationResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	handler := guarded(t, client, keysvc.MiddlewareOptions{Timeout: 1}, ok)
	if answer := serve(handler, withKey("GET", "/")); answer.Code != 503 {
		t.Errorf("answered %d", answer.Code)
	}
}

func TestHEADIsDeniedWithoutABody(t *testing.T) {
	server := httptest.NewServer(guarded(t, &double{}, keysvc.MiddlewareOptions{}, ok))
	defer server.Close()
	response, err := http.Head(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != 401 || response.Header.Get("WWW-Authenticate") != "Bearer" || response.ContentLength <= 0 {
		t.Errorf("%d %v", response.StatusCode, response.Header)
	}
}

// broken is a client whose Ingest panics.
type broken struct{ double }

func (*broken) Ingest(context.Context, ...keysvc.Event) error { panic("in the client") }

func TestAClientThatPanicsDoesNotReplaceTheAnswer(t *testing.T) {
	var told []string
	handler := guarded(t, &broken{}, keysvc.MiddlewareOptions{
		OnError: func(event keysvc.MiddlewareErrorEvent) { told = append(told, event.Operation) },
	}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, withKey("GET", "/"))
	if answer.Code != http.StatusTeapot || len(told) != 1 || told[0] != "record" {
		t.Errorf("answered %d, told %v", answer.Code, told)
	}
}
