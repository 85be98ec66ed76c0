package keysvc

import (
	"fmt"
	"log/slog"

	"github.com/keysvc/keysvc-go/internal/redact"
)

// Format writes the options for fmt, without the project credential, whatever the verb.
func (o MiddlewareOptions) Format(state fmt.State, verb rune) {
	type plain MiddlewareOptions // Without this method.
	o.ProjectKey, o.RootKey = hidden(o.ProjectKey), hidden(o.RootKey)
	_, _ = fmt.Fprintf(state, fmt.FormatString(state, verb), plain(o))
}

// LogValue gives the options for log/slog, without the project credential.
func (o MiddlewareOptions) LogValue() slog.Value { return slog.StringValue(fmt.Sprintf("%+v", o)) }

// Format writes the options for fmt, without the project credential, whatever the verb.
func (o ClientOptions) Format(state fmt.State, verb rune) {
	type plain ClientOptions // Without this method.
	o.ProjectKey, o.RootKey = hidden(o.ProjectKey), hidden(o.RootKey)
	_, _ = fmt.Fprintf(state, fmt.FormatString(state, verb), plain(o))
}

// LogValue gives the options for log/slog, without the project credential.
func (o ClientOptions) LogValue() slog.Value { return slog.StringValue(fmt.Sprintf("%+v", o)) }

func hidden(credential string) string {
	if credential == "" {
		return ""
	}
	return redact.Mark
}
