package redact

import (
	"net/http"
	"slices"
	"strings"
)

// HeaderBytesMax is how long the JSON text of headers may be: the service refuses an event with more.
const HeaderBytesMax = 16384

// Names is a set of names of headers, in lower case.
type Names map[string]struct{}

// StrippedHeaders are the headers that never leave the application, and others besides.
func StrippedHeaders(others ...string) Names {
	names := Names{}
	for _, name := range []string{"authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key"} {
		names[name] = struct{}{}
	}
	for _, name := range others {
		if name != "" {
			names[strings.ToLower(strings.TrimSpace(name))] = struct{}{}
		}
	}
	return names
}

// Headers writes headers as the JSON text of an object: names in lower case and sorted, several values as an array. It
// is empty when the text would be longer than the service takes.
func Headers(header http.Header, stripped Names, secrets []string) string {
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	// Names have lost their case on their way, so that of a secret in them does not matter.
	lowerSecrets := make([]string, len(secrets))
	for i, secret := range secrets {
		lowerSecrets[i] = strings.ToLower(secret)
	}
	text := append(make([]byte, 0, 512), '{')
	for _, name := range names {
		lower := strings.ToLower(name)
		if _, isStripped := stripped[lower]; isStripped || len(header[name]) == 0 {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = appendJSON(text, Text(lower, lowerSecrets))
		text = append(text, ':')
		text = appendValues(text, header[name], secrets)
	}
	if text = append(text, '}'); len(text) > HeaderBytesMax {
		return ""
	}
	return string(text)
}

func appendValues(text []byte, values []string, secrets []string) []byte {
	if len(values) == 1 {
		return appendJSON(text, Text(values[0], secrets))
	}
	text = append(text, '[')
	for i, value := range values {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendJSON(text, Text(value, secrets))
	}
	return append(text, ']')
}
