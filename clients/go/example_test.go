package keysvc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/keysvc/keysvc-go"
)

func Example() {
	guard, err := keysvc.New(keysvc.MiddlewareOptions{
		ProjectKey:   "<PROJECT_KEY>",
		APIID:        "api_01m7ybxckkj48yzmvj5eg0ev80",
		ExcludePaths: []string{"/health"},
		Client:       yes{}, // Only here, where there is no service.
	})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "up") })
	mux.HandleFunc("GET /things/{id}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "thing") })
	server := httptest.NewServer(guard(mux))
	defer server.Close()

	for _, path := range []string{"/health", "/things/7"} {
		response, err := http.Get(server.URL + path)
		if err != nil {
			log.Fatal(err)
		}
		_ = response.Body.Close()
		fmt.Println(path, response.StatusCode)
	}
	// Output:
	// /health 200
	// /things/7 401
}

// A test of an application needs no service: a double that says yes is enough.
type yes struct{}

func (yes) Verify(context.Context, string, keysvc.VerifyOptions) (*keysvc.VerificationResult, error) {
	return &keysvc.VerificationResult{Reason: keysvc.ReasonValid, Consumer: &keysvc.Consumer{Name: "Ada"}}, nil
}

func (yes) Ingest(context.Context, ...keysvc.Event) error { return nil }

func ExampleDecisionFromContext() {
	guard := keysvc.Must(keysvc.MiddlewareOptions{APIID: "api_1", Client: yes{}})
	handler := guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if decision, has := keysvc.DecisionFromContext(r.Context()); has {
			fmt.Fprintf(w, "Hello, %s", decision.Consumer.Name)
		}
	}))
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set("Authorization", "Bearer <API_KEY>")
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	fmt.Println(answer.Body)
	// Output: Hello, Ada
}

func ExampleNew_configuration() {
	_, err := keysvc.New(keysvc.MiddlewareOptions{ProjectKey: "<PROJECT_KEY>", RootKey: "<PROJECT_KEY>"})
	fmt.Println(errors.Is(err, keysvc.ErrConfiguration))
	fmt.Println(err)
	// Output:
	// true
	// keysvc: wrong configuration: APIID is required
	// ProjectKey and RootKey are both set; RootKey is the old name of ProjectKey
}

func ExampleMiddlewareOptions_cost() {
	guard := keysvc.Must(keysvc.MiddlewareOptions{
		APIID:       "api_1",
		Client:      yes{},
		KeyLocation: keysvc.KeyInHeader,
		KeyName:     "X-API-Key",
		CreditsResolver: func(_ context.Context, request *keysvc.MiddlewareRequest) int {
			if request.Method == http.MethodGet {
				return 1
			}
			return 5
		},
		FailureMode: keysvc.FailureOpen,
		OnError: func(event keysvc.MiddlewareErrorEvent) {
			log.Printf("%s %s %s: %v", event.Operation, event.Method, event.Path, event.Err)
		},
		ErrorMessages: map[keysvc.ErrorCode]string{keysvc.ErrorCodeMissingKey: "Get a key at example.com/keys."},
	})
	answer := httptest.NewRecorder()
	guard(http.NotFoundHandler()).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	fmt.Println(answer.Header().Get("WWW-Authenticate"))
	// Output: ApiKey in="header", name="X-API-Key"
}
