package keysvc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An answer longer than this is none of the service's.
const answerBytesMax = 1 << 20

// service is one address of the service, with the credential for it.
type service struct {
	baseURL string
	// credential is in a function, because whatever prints a client, through pointers too, prints no more than its address.
	credential   func() string
	timeout      time.Duration
	http         *http.Client
	ownTransport *http.Transport
}

func newService(baseURL, credential string, timeout time.Duration, transport http.RoundTripper) *service {
	s := &service{baseURL: baseURL, credential: func() string { return credential }, timeout: timeout}
	if transport == nil {
		s.ownTransport = newTransport()
		transport = s.ownTransport
	}
	s.http = &http.Client{
		Transport: transport,
		// A redirect is no answer, and must not get the credential.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// newTransport keeps more connections than usual, because all calls go to one host; and gives idle ones up before servers
// and proxies commonly do, because a call on a connection that is just being closed fails and is not sent again.
func newTransport() *http.Transport {
	transport, isUsual := http.DefaultTransport.(*http.Transport)
	if !isUsual {
		transport = &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	}
	transport = transport.Clone()
	transport.MaxIdleConns = 256
	transport.MaxIdleConnsPerHost = 256
	transport.IdleConnTimeout = 30 * time.Second
	return transport
}

// boundKey is in contexts whose deadline counts in place of the service's timeout, also where it is the longer of the two.
type boundKey struct{}

// post sends a body once, and gives the body of an answer of 200. Secrets do not get into its errors.
func (s *service) post(ctx context.Context, path string, body any, secrets ...string) ([]byte, error) {
	if deadline, has := ctx.Deadline(); !has || time.Until(deadline) > s.timeout && ctx.Value(boundKey{}) == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.timeout)
		defer cancel()
	}
	secrets = append(secrets, s.credential())
	request, err := s.newRequest(ctx, path, body)
	if err != nil {
		return nil, err
	}
	response, err := s.http.Do(request)
	if err != nil {
		return nil, transportError(err, secrets...)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerBytesMax+1))
	if err != nil {
		return nil, transportError(err, secrets...)
	}
	if len(answer) > answerBytesMax {
		return nil, &APIError{StatusCode: response.StatusCode, Message: "the answer is too large"}
	}
	if response.StatusCode != http.StatusOK {
		return nil, apiError(response, answer, secrets)
	}
	return answer, nil
}

func (s *service) newRequest(ctx context.Context, path string, body any) (*http.Request, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return nil, fmt.Errorf("keysvc: the call cannot be written as JSON: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.baseURL+path, &buffer)
	if err != nil {
		return nil, transportError(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.credential())
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	return request, nil
}

// apiError reads what the service says, and hides the secrets in it, should a proxy have echoed them.
func apiError(response *http.Response, answer []byte, secrets []string) *APIError {
	var problem struct{ Title, Detail string }
	message := http.StatusText(response.StatusCode)
	if json.Unmarshal(answer, &problem) == nil && problem.Title+problem.Detail != "" {
		message = strings.TrimPrefix(problem.Title+": "+problem.Detail, ": ")
	}
	return &APIError{
		StatusCode: response.StatusCode,
		Message:    tidyMessage(redactText(message, secrets...)),
		retryAfter: retryAfter(response.Header),
	}
}

// retryAfter reads seconds; the service gives no dates.
func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 || seconds > 3600 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
