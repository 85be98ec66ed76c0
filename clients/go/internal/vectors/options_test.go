package vectors_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/keysvc/keysvc-go"
)

// built makes options for the middleware of what the file says.
func (o options) built() keysvc.MiddlewareOptions {
	made := keysvc.MiddlewareOptions{
		ProjectKey: o.ProjectKey, RootKey: o.RootKey, APIID: o.APIID, Enabled: o.Enabled, KeyName: o.KeyName, Credits: o.Credits,
		Mode:        keysvc.MiddlewareMode(index(o.Mode, "both", "validate", "ingest")),
		KeyLocation: keysvc.KeyLocation(index(o.KeyLocation, "header", "query", "cookie")),
		KeyScheme:   keysvc.KeyScheme(index(o.KeyScheme, "", "raw", "bearer")),
		FailureMode: keysvc.FailureMode(index(o.FailureMode, "closed", "open")),

		ExcludePaths: o.ExcludePaths, SkipMethods: o.SkipMethods, ExcludedHeaders: o.ExcludedHeaders,
		CaptureQueryParams: o.CaptureQueryParams, CaptureRequestHeaders: o.CaptureRequestHeaders,
		CaptureResponseHeaders: o.CaptureResponseHeaders, CaptureResponseBody: o.CaptureResponseBody,
		CaptureClientIP: o.CaptureClientIP, CaptureUserAgent: o.CaptureUserAgent, IngestDeniedRequests: o.IngestDeniedRequests,

		ConsumerNameResolver: o.ConsumerNameResolver.text(), ClientIPResolver: o.ClientIPResolver.text(),
		PathResolver: o.PathResolver.text(), RequestIDResolver: o.RequestIDResolver.text(),
	}
	if o.TimeoutMs != nil {
		made.Timeout = time.Duration(*o.TimeoutMs) * time.Millisecond
	}
	for code, message := range o.ErrorMessages {
		if made.ErrorMessages == nil {
			made.ErrorMessages = map[keysvc.ErrorCode]string{}
		}
		made.ErrorMessages[keysvc.ErrorCode(code)] = message
	}
	if o.GetConsumerKey != nil {
		made.GetConsumerKey = func(_ context.Context, request *keysvc.MiddlewareRequest) (string, error) {
			if o.GetConsumerKey.Error != nil {
				return "", errors.New(*o.GetConsumerKey.Error)
			}
			key, _ := o.GetConsumerKey.give(request).(string)
			return key, nil
		}
	}
	if o.CreditsResolver != nil {
		made.CreditsResolver = func(_ context.Context, request *keysvc.MiddlewareRequest) int {
			return number(o.CreditsResolver.give(request))
		}
	}
	if o.ShouldProtect != nil {
		made.ShouldProtect = func(_ context.Context, request *keysvc.MiddlewareRequest) bool {
			given := o.ShouldProtect.give(request)
			return given == true || given != false && given != ""
		}
	}
	return made
}

// index gives the place of a word; the first stands for an absent one.
func index(word string, words ...string) int {
	if word == "" {
		return 0
	}
	return slices.Index(words, word)
}

func number(given any) int {
	switch given := given.(type) {
	case float64:
		return int(given)
	case string:
		parsed, _ := strconv.Atoi(given)
		return parsed
	}
	return 0
}

func (a *answer) give(request *keysvc.MiddlewareRequest) any {
	switch {
	case a.Panic:
		panic("a resolver")
	case a.Header != nil:
		return request.Headers.Get(*a.Header)
	}
	return a.Value
}

func (a *answer) text() func(context.Context, *keysvc.MiddlewareRequest) string {
	if a == nil {
		return nil
	}
	return func(_ context.Context, request *keysvc.MiddlewareRequest) string {
		text, _ := a.give(request).(string)
		return text
	}
}
