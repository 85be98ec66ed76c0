// Package keysource finds the caller's key in a request.
package keysource

import (
	"net/http"
	"slices"
	"strings"

	"github.com/keysvc/keysvc-go/internal/percent"
)

// KeyBytesMax is the longest key that the service takes.
const KeyBytesMax = 8192

// Location says in which part of a request a key is.
type Location int

// The parts of a request.
const (
	Header Location = iota
	Query
	Cookie
)

// Source is where the key of a request is.
type Source struct {
	Location Location
	// Name of the header (in canonical form), the parameter or the cookie.
	Name string
	// Bearer expects the scheme "Bearer" before the key. Only headers have a scheme.
	Bearer bool
}

// State says what became of the search.
type State int

// What a search can end with.
const (
	// Missing means that there is no key.
	Missing State = iota
	// Malformed means that what is there cannot be a key, or that it is not clear which of several is meant.
	Malformed
	// Found means that there is one key, of a form that the service may be asked about.
	Found
)

// Finding is what a search found.
type Finding struct {
	State State
	// Key is the caller's key when it was found.
	Key string
	// Secrets are all different values that were there: none of them may be recorded, whether or not they are keys.
	Secrets []string
}

// Find looks for the key. The query is the one that was sent, not decoded.
func (s Source) Find(header http.Header, rawQuery string) Finding {
	var values []string
	switch s.Location {
	case Query:
		values = queryValues(rawQuery, s.Name)
	case Cookie:
		values = cookieValues(header["Cookie"], s.Name)
	default:
		values = header[s.Name]
	}
	if len(values) == 0 {
		return Finding{}
	}
	value := trim(values[0])
	for _, other := range values[1:] {
		if trim(other) != value {
			return Finding{State: Malformed, Secrets: s.secrets(values)}
		}
	}
	if s.Location == Header && s.Bearer {
		value = withoutScheme(value)
	}
	return Judge(value)
}

// Judge says whether a text can be a key, without the white space around it.
func Judge(text string) Finding {
	key := trim(text)
	if key == "" {
		return Finding{}
	}
	if len(key) > KeyBytesMax || !isVisibleASCII(key) {
		return Finding{State: Malformed, Secrets: []string{key}}
	}
	return Finding{State: Found, Key: key, Secrets: []string{key}}
}

func (s Source) secrets(values []string) []string {
	secrets := make([]string, 0, len(values))
	for _, value := range values {
		value = trim(value)
		if s.Location == Header && s.Bearer {
			value = withoutScheme(value)
		}
		if value != "" {
			secrets = append(secrets, value)
		}
	}
	slices.Sort(secrets)
	return slices.Compact(secrets)
}

// withoutScheme gives what follows "Bearer", or nothing where another scheme or none is used.
func withoutScheme(value string) string {
	const scheme = "bearer"
	if len(value) <= len(scheme) || !strings.EqualFold(value[:len(scheme)], scheme) {
		return ""
	}
	rest := value[len(scheme):]
	if rest[0] != ' ' && rest[0] != '\t' {
		return ""
	}
	return trim(rest)
}

func trim(text string) string { return strings.Trim(text, " \t\r\n\v\f") }

func isVisibleASCII(text string) bool {
	for i := range len(text) {
		if text[i] < 0x21 || text[i] > 0x7e {
			return false
		}
	}
	return true
}

// queryValues reads all values of a parameter, as browsers write them: an escape that is none stands for itself.
func queryValues(rawQuery, name string) []string {
	var values []string
	for part := range strings.SplitSeq(rawQuery, "&") {
		written, value, _ := strings.Cut(part, "=")
		if percent.DecodeQuery(written) == name {
			values = append(values, percent.DecodeQuery(value))
		}
	}
	return values
}

// cookieValues reads all values of a cookie, without the quotes that may stand around them.
func cookieValues(headers []string, name string) []string {
	var values []string
	for _, header := range headers {
		for part := range strings.SplitSeq(header, ";") {
			written, value, isPair := strings.Cut(part, "=")
			if !isPair || trim(written) != name {
				continue
			}
			value = trim(value)
			if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
				value = value[1 : len(value)-1]
			}
			values = append(values, value)
		}
	}
	return values
}
