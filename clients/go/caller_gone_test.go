package keysvc_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/keysvc/keysvc-go"
)

func TestACallerThatWentAwayIsNoFailure(t *testing.T) {
	client := &double{verify: func(ctx context.Context, _ string, _ keysvc.VerifyOptions) (*keysvc.VerificationResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	handler := guarded(t, client, keysvc.MiddlewareOptions{
		FailureMode: keysvc.FailureOpen,
		OnError:     func(event keysvc.MiddlewareErrorEvent) { t.Errorf("told %+v", event) },
	}, func(http.ResponseWriter, *http.Request) { t.Error("the handler ran") })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if answer := serve(handler, withKey("GET", "/").WithContext(ctx)); answer.Code != 503 {
		t.Errorf("answered %d", answer.Code)
	}
	if events := client.recorded(); len(events) != 0 {
		t.Errorf("recorded %+v", events)
	}
}

func TestACallerWhoGoesBeforeTheServiceIsAskedIsNeitherToldOfNorRecorded(t *testing.T) {
	for name, options := range map[string]func(leave func()) keysvc.MiddlewareOptions{
		"no key": func(leave func()) keysvc.MiddlewareOptions {
			leave()
			return keysvc.MiddlewareOptions{KeyName: "X-Key"}
		},
		"a key that is none": func(leave func()) keysvc.MiddlewareOptions {
			leave()
			return keysvc.MiddlewareOptions{KeyName: "Authorization", KeyScheme: keysvc.KeyRaw}
		},
		"while GetConsumerKey looks for it": func(leave func()) keysvc.MiddlewareOptions {
			return keysvc.MiddlewareOptions{GetConsumerKey: func(ctx context.Context, _ *keysvc.MiddlewareRequest) (string, error) {
				leave()
				return "", ctx.Err()
			}}
		},
		"while CreditsResolver finds the cost": func(leave func()) keysvc.MiddlewareOptions {
			return keysvc.MiddlewareOptions{CreditsResolver: func(context.Context, *keysvc.MiddlewareRequest) int { leave(); return -1 }}
		},
	} {
		ctx, leave := context.WithCancel(t.Context())
		client, options := &double{}, options(leave)
		options.OnError = func(event keysvc.MiddlewareErrorEvent) { t.Errorf("%s: told %+v", name, event) }
		handler := guarded(t, client, options, func(http.ResponseWriter, *http.Request) { t.Errorf("%s: the handler ran", name) })
		if answer := serve(handler, withKey("GET", "/").WithContext(ctx)); answer.Code != 503 {
			t.Errorf("%s: answered %d", name, answer.Code)
		}
		if events := client.recorded(); len(events) != 0 || len(client.verified) != 0 {
			t.Errorf("%s: recorded %+v, asked %+v", name, events, client.verified)
		}
	}
}
