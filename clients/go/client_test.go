package keysvc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keysvc/keysvc-go"
)

func newClient(t *testing.T, url string) *keysvc.Client {
	t.Helper()
	client, err := keysvc.NewClient(keysvc.ClientOptions{
		ProjectKey: "project-credential-1234", BaseURL: url + "/", Timeout: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(context.Background()) })
	return client
}

func TestAVerdictIsReadInFull(t *testing.T) {
	fake := newFakeService(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer project-credential-1234" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("headers %v", r.Header)
		}
		_, _ = io.WriteString(w, `{"valid": true, "code": "VALID", "requestId": "req_1", "keyId": "key_1", "apiId": "api_1",
			"consumer": {"consumerId": "consumer_1", "name": null, "externalId": "e", "planId": null, "metadata": {"a": [1]}, "tags": ["x"]},
			"credits": {"limit": 9007199254740991, "used": 1, "remaining": 9007199254740990, "overageUsed": 0, "cost": 1, "nextRefillAt": 5},
			"rateLimit": {"limit": 10, "window": 60, "remaining": 9, "resetAt": 7}, "later": true}`)
	})
	result, err := newClient(t, fake.URL).Verify(t.Context(), "sk_1", keysvc.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !result.Allowed() || *result.CreditsRemaining != 9007199254740990 || *result.CreditsLimit != 9007199254740991 ||
		result.Consumer.ExternalID != "e" || result.Consumer.Name != "" || result.RateLimit.WindowSeconds != 60 ||
		*result.Credits.NextRefillAt != 5 || result.KeyID != "key_1" || result.RetryAfterSeconds != nil {
		t.Errorf("read %+v", result)
	}
	if sent := string(fake.validate[0]); strings.TrimSpace(sent) != `{"key":"sk_1","credits":1}` {
		t.Errorf("sent %s", sent)
	}
}

func TestADenialIsNoError(t *testing.T) {
	fake := newFakeService(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"valid": false, "code": "USAGE_EXCEEDED", "requestId": "req_1", "credits": null, "retryAfterSeconds": 3}`)
	})
	result, err := newClient(t, fake.URL).Verify(t.Context(), "sk_1", keysvc.VerifyOptions{Credits: keysvc.Ptr(0)})
	if err != nil || result.Allowed() || result.Reason != keysvc.ReasonUsageExceeded || *result.RetryAfterSeconds != 3 ||
		result.CreditsLimit != nil {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestAValidationIsNeverSentTwice(t *testing.T) {
	for _, status := range []int{301, 307, 429, 500, 503} {
		fake := newFakeService(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/key/validate")
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(status)
		})
		if _, err := newClient(t, fake.URL).Verify(t.Context(), "sk_1", keysvc.VerifyOptions{}); err == nil {
			t.Errorf("%d is no error", status)
		}
		if len(fake.validate) != 1 {
			t.Errorf("%d: asked %d times", status, len(fake.validate))
		}
	}
}

func TestErrorsAreOfTheirKindsAndTellNoSecret(t *testing.T) {
	const key, credential = "sk_0123456789", "project-credential-1234"
	fake := newFakeService(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"title": "no", "detail": "`+key+" "+credential+"\\n"+strings.Repeat("x", 500)+string(body)+`"}`)
	})
	_, err := newClient(t, fake.URL).Verify(t.Context(), key, keysvc.VerifyOptions{})
	var apiError *keysvc.APIError
	if !errors.As(err, &apiError) || apiError.StatusCode != 403 || !errors.Is(err, keysvc.ErrAPI) ||
		!errors.Is(err, keysvc.ErrAuthentication) || errors.Is(err, keysvc.ErrTransport) {
		t.Errorf("the error is %v", err)
	}
	text := err.Error()
	if strings.Contains(text, key) || strings.Contains(text, credential) || strings.Contains(text, "\n") || len(text) > 400 {
		t.Errorf("the error tells %q", text)
	}
}

func TestAnAnswerThatRepeatsWhatItWasSentTellsNoSecret(t *testing.T) {
	const key, credential = "sk_0123456789", "project-credential-1234"
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			sent := make([]byte, 4096)
			_, _ = connection.Read(sent)
			_, _ = io.WriteString(connection, "HTTP/1.1 200 OK\r\n"+credential+" "+key+"\r\n\r\n")
			_ = connection.Close()
		}
	}()
	client, err := keysvc.NewClient(keysvc.ClientOptions{ProjectKey: credential, BaseURL: "http://" + listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Verify(t.Context(), key, keysvc.VerifyOptions{})
	if !errors.Is(err, keysvc.ErrTransport) || !strings.Contains(err.Error(), "[REDACTED] [REDACTED]") {
		t.Errorf("the error is %v", err)
	}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		if text := fmt.Sprintf("%+v %#v", cause, cause); strings.Contains(text, key) || strings.Contains(text, credential) {
			t.Errorf("%s tells a secret", text)
		}
	}
}

func TestATimeoutIsToldFromACallerWhoWentAway(t *testing.T) {
	released := make(chan struct{})
	fake := newFakeService(t, func(http.ResponseWriter, *http.Request) { <-released })
	defer close(released)
	client := newClient(t, fake.URL)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := client.Verify(ctx, "sk_1", keysvc.VerifyOptions{})
	if !errors.Is(err, keysvc.ErrTimeout) || !errors.Is(err, keysvc.ErrTransport) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	_, err = client.Verify(ctx, "sk_1", keysvc.VerifyOptions{})
	if errors.Is(err, keysvc.ErrTimeout) || !errors.Is(err, keysvc.ErrTransport) || !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestAnEndlessAnswerIsNoVerdict(t *testing.T) {
	fake := newFakeService(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.Copy(w, strings.NewReader(strings.Repeat(" ", 1<<20+1)))
	})
	if _, err := newClient(t, fake.URL).Verify(t.Context(), "sk_1", keysvc.VerifyOptions{}); !errors.Is(err, keysvc.ErrAPI) {
		t.Errorf("the error is %v", err)
	}
}

func TestANegativeCostIsNotAskedAbout(t *testing.T) {
	fake := newFakeService(t, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	_, err := newClient(t, fake.URL).Verify(t.Context(), "sk_1", keysvc.VerifyOptions{Credits: keysvc.Ptr(-1)})
	if !errors.Is(err, keysvc.ErrConfiguration) {
		t.Errorf("the error is %v", err)
	}
}

func TestAConfigurationErrorNamesAllFieldsAndNoCredential(t *testing.T) {
	_, err := keysvc.New(keysvc.MiddlewareOptions{
		ProjectKey: "secret-one", RootKey: "secret-two", BaseURL: "ftp://user:secret@host", Mode: 7, Credits: keysvc.Ptr(-1), Timeout: -1,
		KeyName: "no header", SkipMethods: []string{"A B"}, ExcludedHeaders: []string{""}, FailureMode: -1, KeyLocation: 9, KeyScheme: 3,
	})
	if !errors.Is(err, keysvc.ErrConfiguration) {
		t.Fatalf("the error is %v", err)
	}
	for _, name := range []string{
		"ProjectKey", "RootKey", "APIID", "BaseURL", "Mode", "Credits", "Timeout", "KeyName", "SkipMethods[0]", "ExcludedHeaders[0]",
		"FailureMode", "KeyLocation", "KeyScheme",
	} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%q does not name %s", err, name)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("%q tells a credential", err)
	}
}

func TestAConfigurationErrorNamesTheOptionOrTheVariableThatIsWrong(t *testing.T) {
	const wrong = "wrong\n"
	for name, wrongly := range map[string]func(*testing.T, *keysvc.ClientOptions){
		"ProjectKey":         func(_ *testing.T, options *keysvc.ClientOptions) { options.ProjectKey = wrong },
		"RootKey":            func(_ *testing.T, options *keysvc.ClientOptions) { options.RootKey = wrong },
		"KEYSVC_PROJECT_KEY": func(t *testing.T, _ *keysvc.ClientOptions) { t.Setenv("KEYSVC_PROJECT_KEY", wrong) },
		"KEYSVC_ROOT_KEY":    func(t *testing.T, _ *keysvc.ClientOptions) { t.Setenv("KEYSVC_ROOT_KEY", wrong) },
		"BaseURL": func(_ *testing.T, options *keysvc.ClientOptions) {
			options.ProjectKey, options.BaseURL = "project-credential", wrong
		},
		"KEYSVC_BASE_URL": func(t *testing.T, options *keysvc.ClientOptions) {
			options.ProjectKey = "project-credential"
			t.Setenv("KEYSVC_BASE_URL", wrong)
		},
	} {
		t.Run(name, func(t *testing.T) {
			options := keysvc.ClientOptions{}
			wrongly(t, &options)
			_, err := keysvc.NewClient(options)
			if !errors.Is(err, keysvc.ErrConfiguration) || !strings.HasPrefix(err.Error(), keysvc.ErrConfiguration.Error()+": "+name+" ") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestMustPanicsWithTheError(t *testing.T) {
	defer func() {
		if err, isError := recover().(error); !isError || !errors.Is(err, keysvc.ErrConfiguration) {
			t.Error("it did not panic with the error")
		}
	}()
	keysvc.Must(keysvc.MiddlewareOptions{Client: &double{}})
}

func TestAValidationOnAConnectionThatBreaksIsNotSentAgain(t *testing.T) {
	var asked atomic.Int32
	fake := newFakeService(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			_, _ = io.WriteString(w, `{"valid": true, "code": "VALID"}`)
			return
		}
		connection, _, _ := w.(http.Hijacker).Hijack()
		_ = connection.Close()
	})
	client := newClient(t, fake.URL)
	if _, err := client.Verify(t.Context(), "sk_1", keysvc.VerifyOptions{}); err != nil {
		t.Fatal(err)
	}
	// The connection is used again, which is where HTTP clients like to try once more.
	if _, err := client.Verify(t.Context(), "sk_1", keysvc.VerifyOptions{}); !errors.Is(err, keysvc.ErrTransport) || asked.Load() != 2 {
		t.Errorf("asked %d times: %v", asked.Load(), err)
	}
}
