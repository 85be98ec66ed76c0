package main

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/keysvc/keysvc-go"
)

// answer is what the application says to a request. It is the same for each framework.
type answer struct {
	status int
	echo   string
	body   string
}

// answerTo says what its context has, with the status that the path asks for as /status/<code>/…. A path /panic/… panics. What
// the caller sent in X-Echo comes back in a header and in the body, as careless applications do it.
func answerTo(ctx context.Context, path, echo string) answer {
	if strings.HasPrefix(path, "/panic/") {
		panic("a fault of the application")
	}
	status := 200
	if rest, ok := strings.CutPrefix(path, "/status/"); ok {
		code, _, _ := strings.Cut(rest, "/")
		if parsed, err := strconv.Atoi(code); err == nil {
			status = parsed
		}
	}
	said := map[string]any{"echo": echo, "failed": keysvc.ValidationErrorFromContext(ctx) != nil, "requestId": nil}
	if decision, ok := keysvc.DecisionFromContext(ctx); ok {
		said["requestId"] = decision.RequestID
	}
	body, err := json.Marshal(said)
	if err != nil {
		panic(err)
	}
	return answer{status: status, echo: echo, body: string(body)}
}
