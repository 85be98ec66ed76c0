// Package redact takes secrets out of what is recorded.
package redact

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/keysvc/keysvc-go/internal/percent"
)

// Mark stands where a secret stood.
const Mark = "[REDACTED]"

// Text hides the secrets wherever they stand, percent-encoded too. It takes out NUL, which the service refuses, before that:
// later, it could join the parts of a secret.
func Text(text string, secrets []string) string {
	text = withoutNUL(text)
	for _, secret := range secrets {
		if secret == "" || text == "" {
			continue
		}
		text = strings.ReplaceAll(text, secret, Mark)
		if strings.IndexByte(text, '%') >= 0 {
			text = hideEncoded(text, secret)
		}
	}
	return text
}

// hideEncoded looks for the secret in the decoded text, and hides the part of the text that it came from.
func hideEncoded(text, secret string) string {
	decoded, starts := percent.DecodeWithStarts(text)
	if !strings.Contains(decoded, secret) {
		return text
	}
	var out strings.Builder
	kept, from := 0, 0
	for {
		at := strings.Index(decoded[from:], secret)
		if at < 0 {
			out.WriteString(text[kept:])
			return out.String()
		}
		at += from
		out.WriteString(text[kept:starts[at]])
		out.WriteString(Mark)
		from = at + len(secret)
		kept = starts[from]
	}
}

// Prefix hides the secrets in the beginning of a text, and gives its first characters. When the text goes on, a secret that
// its end may cut is hidden too.
func Prefix(text string, goesOn bool, charactersMax int, secrets []string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	end := len(text)
	if goesOn {
		longest := 0
		for _, secret := range secrets {
			longest = max(longest, len(secret))
		}
		end = max(0, end-3*longest-utf8.UTFMax)
	}
	mark := ""
	for _, secret := range secrets {
		if before := beforeSecret(text, end, secret); before < end {
			end, mark = before, Mark
		}
	}
	redacted := Text(text[:end], secrets) + mark
	return redacted[:byteEnd(redacted, charactersMax)]
}

// beforeSecret moves an end that lies within a secret, as it is or percent-encoded, to where the secret begins.
func beforeSecret(text string, end int, secret string) int {
	if secret == "" || end == len(text) {
		return end
	}
	for from := 0; ; {
		at := strings.Index(text[from:], secret)
		if at < 0 || from+at >= end {
			break
		}
		from += at + len(secret)
		if from > end {
			return from - len(secret)
		}
	}
	decoded, starts := percent.DecodeWithStarts(text)
	for from := 0; ; {
		at := strings.Index(decoded[from:], secret)
		if at < 0 || starts[from+at] >= end {
			return end
		}
		from += at + len(secret)
		if starts[from] > end {
			return starts[from-len(secret)]
		}
	}
}

func byteEnd(text string, charactersMax int) int {
	if len(text) <= charactersMax {
		return len(text)
	}
	count := 0
	for at := range text {
		if count == charactersMax {
			return at
		}
		count++
	}
	return len(text)
}

func withoutNUL(text string) string {
	if strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(text, "\x00", "")
}

// Clip cuts a text to a number of characters as the service counts them, in units of UTF-16, and takes out NUL.
func Clip(text string, charactersMax int) string {
	text = withoutNUL(text)
	if len(text) <= charactersMax {
		return text
	}
	count := 0
	for at, character := range text {
		if count += utf16.RuneLen(character); count > charactersMax {
			return text[:at]
		}
	}
	return text
}
