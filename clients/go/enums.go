package keysvc

import "github.com/keysvc/keysvc-go/internal/keysource"

// MiddlewareMode says what a middleware does. The default is [ModeBoth].
type MiddlewareMode int

const (
	// ModeBoth validates keys and records requests, denied ones too.
	ModeBoth MiddlewareMode = iota
	// ModeValidate validates keys and charges credits; nothing is recorded.
	ModeValidate
	// ModeIngest records requests; no key is checked. A validation that was made elsewhere is joined by
	// MiddlewareOptions.RequestIDResolver.
	ModeIngest
)

// String gives the word that the documentation uses: both, validate or ingest.
func (m MiddlewareMode) String() string { return word(int(m), "both", "validate", "ingest") }

// KeyLocation says in which part of a request the caller's key is. The default is [KeyInHeader].
type KeyLocation int

const (
	// KeyInHeader expects the key in a header.
	KeyInHeader = KeyLocation(keysource.Header)
	// KeyInQuery expects the key in a query parameter. Discouraged: URLs end up in logs.
	KeyInQuery = KeyLocation(keysource.Query)
	// KeyInCookie expects the key in a cookie.
	KeyInCookie = KeyLocation(keysource.Cookie)
)

// String gives the word that the documentation uses: header, query or cookie.
func (l KeyLocation) String() string { return word(int(l), "header", "query", "cookie") }

// KeyScheme says how a header holds the key. Unset, it is [KeyBearer] when KeyName is Authorization or neither is set, else
// [KeyRaw]. It means nothing for other locations.
type KeyScheme int

const (
	// KeyRaw expects the key alone.
	KeyRaw KeyScheme = iota + 1
	// KeyBearer expects "Bearer" before the key.
	KeyBearer
)

// String gives the word that the documentation uses: raw or bearer; unset when it is not set.
func (s KeyScheme) String() string { return word(int(s), "unset", "raw", "bearer") }

// FailureMode says what happens to a request when the service cannot be asked. The default is [FailureClosed].
type FailureMode int

const (
	// FailureClosed answers 503, and the handler does not run.
	FailureClosed FailureMode = iota
	// FailureOpen lets the request through, with the failure in its context. A wrong project credential and a request that
	// the service refuses are 503 all the same, because they do not go away by themselves; and so is a request whose own deadline
	// ends before the verdict, because its caller may have chosen it.
	FailureOpen
)

// String gives the word that the documentation uses: closed or open.
func (m FailureMode) String() string { return word(int(m), "closed", "open") }

func word(value int, words ...string) string {
	if value < 0 || value >= len(words) {
		return "unknown"
	}
	return words[value]
}
