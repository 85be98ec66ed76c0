package keysvc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// The kinds of errors, for errors.Is. An error may be of several: a timeout is [ErrTimeout] and [ErrTransport], a refused
// project credential is [ErrAuthentication] and [ErrAPI].
var (
	// ErrConfiguration: an option is missing or wrong. The error names each field at fault.
	ErrConfiguration = errors.New("keysvc: wrong configuration")
	// ErrTransport: the service could not be reached, or did not answer.
	ErrTransport = errors.New("keysvc: the service cannot be reached")
	// ErrTimeout: it did not answer in time. For a validation it may have been charged all the same.
	ErrTimeout = errors.New("keysvc: no answer in time")
	// ErrAPI: the service answered with an error, or with something that is no answer. See [APIError].
	ErrAPI = errors.New("keysvc: the service answered with an error")
	// ErrAuthentication: the service does not accept the project credential, or it lacks the scope.
	ErrAuthentication = errors.New("keysvc: the project credential is not accepted")
	// ErrDropped: events were not recorded, because too many wait or the client is closed.
	ErrDropped = errors.New("keysvc: events were dropped")
)

// APIError is an answer of the service that is no success. Use errors.As with a pointer to it.
type APIError struct {
	// StatusCode is the HTTP status. Below 300 the answer was none that the client understands.
	StatusCode int
	// Message is for people: what the service said, shortened, without the key and the credential.
	Message string

	retryAfter time.Duration
}

// Error describes the answer.
func (e *APIError) Error() string {
	return fmt.Sprintf("keysvc: the service answered %d: %s", e.StatusCode, e.Message)
}

// Is says that each APIError is an [ErrAPI], and those of status 401 and 403 an [ErrAuthentication].
func (e *APIError) Is(target error) bool {
	isAuthentication := e.StatusCode == http.StatusUnauthorized || e.StatusCode == http.StatusForbidden
	return target == ErrAPI || target == ErrAuthentication && isAuthentication
}

// callError is a call that brought no answer.
type callError struct {
	kinds []error
	cause error
}

func (e *callError) Error() string {
	return fmt.Sprintf("%v: %v", e.kinds[len(e.kinds)-1], e.cause)
}

func (e *callError) Unwrap() []error { return append([]error{e.cause}, e.kinds...) }

// transportError sorts what the HTTP client reports. The URL that it names is left out; and so is a cause that has a secret in its
// text, because something that is no service has answered with what it was sent.
func transportError(err error, secrets ...string) error {
	var inURL *url.Error
	if errors.As(err, &inURL) {
		err = inURL.Err
	}
	kinds := []error{ErrTransport}
	if isTimeout(err) {
		kinds = append(kinds, ErrTimeout)
	}
	if text := err.Error(); redactText(text, secrets...) != text {
		err = errors.New(tidyMessage(redactText(text, secrets...)))
	}
	return &callError{kinds: kinds, cause: err}
}

func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout() && !errors.Is(err, context.Canceled)
}

// passesOpen tells whether FailureOpen lets a request through after this error: the service is out of reach or out of order,
// which goes away by itself. Whatever else it is, such as a wrong credential, would leave the API unguarded unnoticed.
func passesOpen(err error) bool {
	var apiError *APIError
	if errors.As(err, &apiError) {
		status := apiError.StatusCode
		return status < 400 || status == http.StatusTooManyRequests || status >= 500
	}
	return errors.Is(err, ErrTransport) || errors.Is(err, ErrTimeout) || errors.Is(err, context.DeadlineExceeded)
}

const messageCharactersMax = 256

// tidyMessage shortens what somebody else wrote to one line.
func tidyMessage(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if runes := []rune(text); len(runes) > messageCharactersMax {
		return string(runes[:messageCharactersMax]) + "…"
	}
	return text
}

// fieldError is a problem of one option.
func fieldError(field, problem string) error { return errors.New(field + " " + problem) }

// misconfigured joins the problems of options. Each begins with the name of its field.
func misconfigured(problems []error) error {
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrConfiguration, errors.Join(problems...))
}
