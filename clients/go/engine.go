package keysvc

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/keysvc/keysvc-go/internal/bridge"
	"github.com/keysvc/keysvc-go/internal/exclusion"
	"github.com/keysvc/keysvc-go/internal/keysource"
	"github.com/keysvc/keysvc-go/internal/redact"
)

// What MiddlewareErrorEvent.Operation can be.
const (
	operationVerify  = "verify"
	operationIngest  = "ingest"
	operationKey     = "key"
	operationCredits = "credits"
	operationRecord  = "record"
)

const (
	bodyCharactersMax = 1000
	// Enough for the characters even where keys, which become shorter, stand between them; and for a key that begins with the
	// last of them, percent-encoded.
	bodyBytesKept = 3*4*bodyCharactersMax + 3*keysource.KeyBytesMax
)

// engine is a middleware without its framework: options that were checked and completed.
type engine struct {
	options    MiddlewareOptions
	client     ClientAPI
	ownsClient bool
	// hasOwnTimeout: the options have a Timeout, which counts in place of that of a client of the user's.
	hasOwnTimeout bool
	source        keysource.Source
	excluded      exclusion.List
	skipMethods   []string
	credits       int
	stripped      redact.Names
	// queryName is the parameter that holds the key; empty when it is elsewhere.
	queryName       string
	capturesAgent   bool
	recordsDenied   bool
	now             func() time.Time
	random          func([]byte)
	dropsReportedAt atomic.Int64
}

var _ bridge.Engine = (*engine)(nil)

func init() {
	bridge.Open = func(options any) (bridge.Engine, error) {
		// Only the adapters call it, with these options.
		made, err := newEngine(options.(MiddlewareOptions))
		if made == nil {
			return nil, err // Not an interface that holds a nil pointer.
		}
		return made, err
	}
}

// newEngine gives nil when the options switch the service off.
func newEngine(options MiddlewareOptions) (*engine, error) {
	if options.Enabled != nil && !*options.Enabled {
		return nil, nil
	}
	made := &engine{
		options:       options,
		client:        options.Client,
		hasOwnTimeout: options.Client != nil && options.Timeout > 0,
		excluded:      exclusion.Parse(options.ExcludePaths),
		credits:       1,
		skipMethods:   []string{http.MethodOptions},
		capturesAgent: options.CaptureUserAgent == nil || *options.CaptureUserAgent,
		recordsDenied: options.IngestDeniedRequests == nil || *options.IngestDeniedRequests,
		now:           time.Now,
		random:        func(bytes []byte) { _, _ = rand.Read(bytes) }, // It never fails.
	}
	problems := made.check()
	if options.Credits != nil {
		made.credits = *options.Credits
	}
	if options.SkipMethods != nil {
		made.skipMethods = nil
		for _, method := range options.SkipMethods {
			made.skipMethods = append(made.skipMethods, strings.ToUpper(method))
		}
	}
	made.options.Timeout = timeoutOrDefault(options.Timeout)
	made.source = sourceOf(options)
	stripped := slices.Clone(options.ExcludedHeaders)
	switch made.source.Location {
	case keysource.Header:
		stripped = append(stripped, made.source.Name)
	case keysource.Query:
		made.queryName = made.source.Name
	}
	if !made.capturesAgent {
		stripped = append(stripped, "User-Agent")
	}
	made.stripped = redact.StrippedHeaders(stripped...)
	if made.client == nil {
		problems = append(problems, made.openClient()...)
	} else {
		_, both := resolveCredential(options.ProjectKey, options.RootKey)
		if options.ProjectKey != "" && options.RootKey != "" {
			problems = append(problems, both...)
		}
	}
	// Only the client needs it, and keeps it from whatever prints a handler.
	made.options.ProjectKey, made.options.RootKey = "", ""
	if err := misconfigured(problems); err != nil {
		return nil, err
	}
	return made, nil
}

// openClient makes a client of the engine's own. Its problems come without those that check has found already.
func (e *engine) openClient() []error {
	credential, problems := resolveCredential(e.options.ProjectKey, e.options.RootKey)
	baseURL, more := resolveBaseURL(e.options.BaseURL)
	problems = append(problems, more...)
	if len(problems) > 0 {
		return problems
	}
	client, err := NewClient(ClientOptions{
		ProjectKey: credential, BaseURL: baseURL, Timeout: max(0, e.options.Timeout), OnError: e.options.OnError,
	})
	if err != nil {
		return []error{err}
	}
	e.client, e.ownsClient = client, true
	return nil
}

// check names each field that is wrong by itself.
func (e *engine) check() []error {
	var problems []error
	add := func(isWrong bool, format string, arguments ...any) {
		if isWrong {
			problems = append(problems, fmt.Errorf(format, arguments...))
		}
	}
	options := &e.options
	add(options.APIID == "", "APIID is required")
	add(options.APIID != "" && !isRequestID(options.APIID), "APIID must be 1 to 128 visible ASCII characters")
	add(options.Mode < ModeBoth || options.Mode > ModeIngest, "Mode is none of the known ones")
	add(options.KeyLocation < KeyInHeader || options.KeyLocation > KeyInCookie, "KeyLocation is none of the known ones")
	add(options.KeyScheme < 0 || options.KeyScheme > KeyBearer, "KeyScheme is none of the known ones")
	add(options.FailureMode < FailureClosed || options.FailureMode > FailureOpen, "FailureMode is none of the known ones")
	isName := options.KeyName == "" || isToken(options.KeyName)
	if options.KeyLocation == KeyInQuery {
		isName = !strings.ContainsFunc(options.KeyName, unicode.IsControl)
	}
	add(!isName, "KeyName cannot be the name of a %v", options.KeyLocation)
	add(options.Credits != nil && *options.Credits < 0, "Credits is negative")
	add(options.Timeout < 0, "Timeout is negative")
	for i, method := range options.SkipMethods {
		add(!isToken(method), "SkipMethods[%d] cannot be a method", i)
	}
	for i, name := range options.ExcludedHeaders {
		add(!isToken(name), "ExcludedHeaders[%d] cannot be the name of a header", i)
	}
	return problems
}

func isToken(text string) bool {
	return text != "" && isVisible(text) && !strings.ContainsAny(text, `"(),/:;<=>?@[\]{}`)
}

// sourceOf completes where the key is.
func sourceOf(options MiddlewareOptions) keysource.Source {
	source := keysource.Source{Location: keysource.Location(options.KeyLocation), Name: options.KeyName}
	if source.Location != keysource.Header {
		if source.Name == "" {
			source.Name = "api_key"
		}
		return source
	}
	isAuthorization := options.KeyName == "" || strings.EqualFold(options.KeyName, "Authorization")
	source.Bearer = options.KeyScheme == KeyBearer || options.KeyScheme == 0 && isAuthorization
	switch {
	case source.Name != "":
		source.Name = textproto.CanonicalMIMEHeaderKey(source.Name)
	case source.Bearer:
		source.Name = "Authorization"
	default:
		source.Name = "X-Api-Key"
	}
	return source
}

// Bypasses implements bridge.Engine.
func (e *engine) Bypasses(method, path, sentPath string) bool {
	return slices.Contains(e.skipMethods, method) || e.excluded.Has(path, sentPath)
}

// Wants implements bridge.Engine.
func (e *engine) Wants() bridge.Wants {
	wants := bridge.Wants{Event: e.options.Mode != ModeValidate, ClientIP: e.options.CaptureClientIP}
	if wants.Event {
		wants.Header = e.options.CaptureResponseHeaders
		if e.options.CaptureResponseBody {
			wants.BodyBytes = bodyBytesKept
		}
	}
	return wants
}

// Begin implements bridge.Engine.
func (e *engine) Begin(ctx context.Context, request bridge.Request) bridge.Call {
	return e.begin(ctx, request)
}

// record hands an event over. The client tells of what it drops itself when it is the engine's own. A panic of a client of the
// user's is told, as those of the other functions after the answer are.
func (e *engine) record(c *call, event Event) {
	c.guarded("Client.Ingest", func() {
		err := e.client.Ingest(context.Background(), event)
		if err == nil || errors.Is(err, ErrDropped) && (e.ownsClient || !e.mayReportDrops()) {
			return
		}
		c.tell(operationIngest, err)
	})
}

// mayReportDrops is true once in a while.
func (e *engine) mayReportDrops() bool {
	now, last := e.now().UnixNano(), e.dropsReportedAt.Load()
	return now-last >= int64(dropReportPause) && e.dropsReportedAt.CompareAndSwap(last, now)
}
