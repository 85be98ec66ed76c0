package keysvc_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/keysvc/keysvc-go"
)

func TestADeadlineOfTheRequestsOwnDoesNotOpen(t *testing.T) {
	client := &double{verify: func(ctx context.Context, _ string, _ keysvc.VerifyOptions) (*keysvc.VerificationResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	hasRun := false
	options := keysvc.MiddlewareOptions{FailureMode: keysvc.FailureOpen, Timeout: 20 * time.Millisecond}
	handler := guarded(t, client, options, func(http.ResponseWriter, *http.Request) { hasRun = true })
	for timeout, opens := range map[time.Duration]bool{time.Millisecond: false, time.Hour: true} {
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		answer := httptest.NewRecorder()
		hasRun = false
		handler.ServeHTTP(answer, withKey("GET", "/").WithContext(ctx))
		cancel()
		if hasRun != opens || opens == (answer.Code == http.StatusServiceUnavailable) {
			t.Errorf("with a deadline in %v: %d, ran %v", timeout, answer.Code, hasRun)
		}
	}
}

func TestATimeoutOfTheMiddlewaresCountsInPlaceOfItsClientsAndADirectCallStaysBounded(t *testing.T) {
	fake := newFakeService(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(100 * time.Millisecond)
		_, _ = io.WriteString(w, `{"valid": true, "code": "VALID"}`)
	})
	client, err := keysvc.NewClient(keysvc.ClientOptions{
		ProjectKey: "project-credential", BaseURL: fake.URL, Timeout: 20 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close(context.Background()) }()
	for timeout, status := range map[time.Duration]int{
		time.Minute: http.StatusOK, time.Millisecond: http.StatusServiceUnavailable, 0: http.StatusServiceUnavailable,
	} {
		options := keysvc.MiddlewareOptions{Timeout: timeout, Mode: keysvc.ModeValidate}
		if answer := serve(guarded(t, client, options, ok), withKey("GET", "/")); answer.Code != status {
			t.Errorf("with a timeout of %v: %d", timeout, answer.Code)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := client.Verify(ctx, "sk_1", keysvc.VerifyOptions{}); !errors.Is(err, keysvc.ErrTimeout) {
		t.Errorf("a direct call: %v", err)
	}
}

func TestTimeoutHandlersAreRecordedAsTheyAnswerOnEitherSide(t *testing.T) {
	// It ends when the answer is there: until then both ends of it would be ready at once, and either could be taken.
	slowUntil := func(answered <-chan struct{}) http.HandlerFunc {
		return func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			<-answered
		}
	}
	client, answered := &double{}, make(chan struct{})
	inside := guarded(t, client, keysvc.MiddlewareOptions{},
		http.TimeoutHandler(slowUntil(answered), time.Millisecond, "late").ServeHTTP)
	answer := httptest.NewRecorder()
	inside.ServeHTTP(answer, withKey("GET", "/"))
	close(answered)
	if event := client.one(t); answer.Code != http.StatusServiceUnavailable || event.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("inside: %d, recorded %d", answer.Code, event.StatusCode)
	}

	client, answered = &double{}, make(chan struct{})
	ended := make(chan struct{})
	inner := guarded(t, client, keysvc.MiddlewareOptions{}, slowUntil(answered))
	outside := http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		inner.ServeHTTP(w, r)
	}), time.Millisecond, "late")
	answer = httptest.NewRecorder()
	outside.ServeHTTP(answer, withKey("GET", "/"))
	close(answered)
	<-ended
	if events := client.recorded(); answer.Code != http.StatusServiceUnavailable || len(events) != 1 {
		t.Errorf("outside: %d, %d events", answer.Code, len(events))
	}
}

func TestAHandlerThatEndsItsGoroutineIsRecordedAs500(t *testing.T) {
	client, ended := &double{}, make(chan struct{})
	handler := guarded(t, client, keysvc.MiddlewareOptions{}, func(http.ResponseWriter, *http.Request) { runtime.Goexit() })
	go func() {
		defer close(ended)
		handler.ServeHTTP(httptest.NewRecorder(), withKey("GET", "/"))
	}()
	<-ended
	if event := client.one(t); event.StatusCode != http.StatusInternalServerError {
		t.Errorf("recorded %d", event.StatusCode)
	}
}
