// Package vectors_test runs the vectors of the middleware, which other languages run too, over all adapters.
package vectors_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"
)

// file is test/vectors/middleware.json of the repository. Its README says what each field means.
type file struct {
	Cases          []vector
	Configurations []configuration
}

type vector struct {
	Name    string
	Options options
	Request struct {
		Method, Target, Route string
		Headers               [][2]string
		Body                  string
	}
	Service *struct {
		Verdict json.RawMessage
		Status  int
		Headers map[string]string
		Body    string
		Failure string
	}
	Handler handler
	Expect  expectation
	Skip    map[string]string
}

type handler struct {
	Status        int
	Headers       *[][2]string
	Body          *string
	BodyBase64    []byte
	Panic, Report bool
}

type expectation struct {
	HandlerRan bool
	Validate   map[string]any
	Response   struct {
		Status  int
		Headers map[string]*string
		Body    any
	}
	Event      map[string]any
	Errors     []string
	ErrorKinds [][]string
	Secrets    *[]string
}

type configuration struct {
	Name        string
	Options     options
	Environment map[string]string
	Problems    []string
}

// answer is a function among the options.
type answer struct {
	Value  any
	Header *string
	Error  *string
	Panic  bool
}

type options struct {
	ProjectKey, RootKey, APIID, Mode, KeyLocation, KeyName, KeyScheme, FailureMode string

	Enabled, CaptureUserAgent, IngestDeniedRequests *bool
	Credits, TimeoutMs                              *int

	CaptureQueryParams, CaptureRequestHeaders, CaptureResponseHeaders, CaptureResponseBody, CaptureClientIP bool

	ExcludePaths, SkipMethods, ExcludedHeaders []string
	ErrorMessages                              map[string]string

	GetConsumerKey, CreditsResolver, ShouldProtect, ConsumerNameResolver, ClientIPResolver, PathResolver,
	RequestIDResolver, OnError *answer
}

func load(t *testing.T) file {
	t.Helper()
	text, err := os.ReadFile("../../../../test/vectors/middleware.json")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the vectors are part of the repository, not of the module that is downloaded")
	}
	if err != nil {
		t.Fatal(err)
	}
	var loaded file
	if err := json.Unmarshal(text, &loaded); err != nil {
		t.Fatal(err)
	}
	if len(loaded.Cases) == 0 || len(loaded.Configurations) == 0 {
		t.Fatal("there are no vectors")
	}
	return loaded
}
