package keysvc

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/keysvc/keysvc-go/internal/bridge"
	"github.com/keysvc/keysvc-go/internal/keysource"
)

// wording is what a denial says unless ErrorMessages says otherwise.
type wording struct {
	status        int
	title, detail string
}

var wordings = map[ErrorCode]wording{
	ErrorCodeMissingKey:       {401, "An API key is needed", "Send your API key with the request."},
	ErrorCodeNotFound:         {401, "The API key is not valid", "The API key is not known here."},
	ErrorCodeKeyExpired:       {401, "The API key has expired", "Ask for a new API key."},
	ErrorCodeKeyDisabled:      {403, "The API key is switched off", "The API key may not be used at present."},
	ErrorCodeConsumerDisabled: {403, "The account is switched off", "The account of this API key may not be used at present."},
	ErrorCodeConsumerExpired:  {403, "The account has expired", "The account of this API key has expired."},
	ErrorCodeAPINotAllowed:    {403, "The API key may not call this API", "Use a key that is allowed to call this API."},
	ErrorCodeRateLimited:      {429, "Too many requests", "The rate limit is reached. Try again later."},
	ErrorCodeUsageExceeded:    {429, "The credits are used up", "The credits of this account do not cover the request."},
	ErrorCodeServiceUnavailable: {
		503, "The API key cannot be checked", "The API key could not be checked. Try again later.",
	},
}

type problem struct {
	Type      string    `json:"type"`
	Title     string    `json:"title"`
	Status    int       `json:"status"`
	Detail    string    `json:"detail"`
	Code      ErrorCode `json:"code"`
	RequestID string    `json:"requestId,omitempty"`
}

// denial makes the answer to a request that is not let through. There may be no verdict.
func (e *engine) denial(code ErrorCode, result *VerificationResult) *bridge.Denial {
	words, isKnown := wordings[code]
	if !isKnown {
		words = wordings[ErrorCodeAPINotAllowed]
	}
	said := problem{
		Type:   "urn:keysvc:problem:" + strings.ReplaceAll(strings.ToLower(string(code)), "_", "-"),
		Title:  words.title,
		Status: words.status,
		Detail: words.detail,
		Code:   code,
	}
	if detail, isSet := e.options.ErrorMessages[code]; isSet {
		said.Detail = detail
	}
	header := http.Header{
		"Content-Type":  {"application/problem+json"},
		"Cache-Control": {"no-store"},
	}
	switch words.status {
	case http.StatusUnauthorized:
		header["Www-Authenticate"] = []string{e.challenge(code)}
	case http.StatusServiceUnavailable:
		header["Retry-After"] = []string{"1"}
	}
	if result != nil {
		said.RequestID = result.RequestID
		if words.status == http.StatusTooManyRequests && result.RetryAfterSeconds != nil {
			header["Retry-After"] = []string{strconv.FormatInt(*result.RetryAfterSeconds, 10)}
		}
	}
	body, _ := json.Marshal(said) // It cannot fail: there are only texts and a number.
	return &bridge.Denial{Status: words.status, Header: header, Body: body}
}

// challenge says how a key is to be sent.
func (e *engine) challenge(code ErrorCode) string {
	switch {
	case e.options.GetConsumerKey != nil:
		return "ApiKey"
	case e.source.Location == keysource.Header && e.source.Bearer:
		if code == ErrorCodeMissingKey {
			return "Bearer"
		}
		return `Bearer error="invalid_token"`
	}
	name := e.source.Name
	if e.source.Location == keysource.Header && e.options.KeyName == "" {
		name = "X-API-Key" // As it is commonly written.
	} else if e.options.KeyName != "" {
		name = e.options.KeyName
	}
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)
	return `ApiKey in="` + e.options.KeyLocation.String() + `", name="` + quoted + `"`
}
