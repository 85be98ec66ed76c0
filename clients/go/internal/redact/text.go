// Package redact takes secrets out of what is recorded.
package redact

import (
	"strings"

	"github.com/keysvc/keysvc-go/internal/percent"
)

// Mark stands where a secret stood.
const Mark = "[REDACTED]"

// Text hides the secrets wherever they stand, percent-encoded too.
func Text(text string, secrets []string) string {
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

// Prefix gives the first characters of a text, with the secrets hidden. A secret that the end would cut is hidden whole, if
// the text goes on for as long as it does.
func Prefix(text string, charactersMax int, secrets []string) string {
	end := byteEnd(text, charactersMax)
	for _, secret := range secrets {
		end = beforeSecret(text, end, secret)
	}
	redacted := Text(text[:end], secrets)
	if end < byteEnd(text, charactersMax) {
		redacted += Mark
	}
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

// Clip cuts a text to a number of bytes, between two characters, and takes out NUL, which the service refuses.
func Clip(text string, bytesMax int) string {
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "")
	}
	if len(text) <= bytesMax {
		return text
	}
	for bytesMax > 0 && text[bytesMax]&0xc0 == 0x80 {
		bytesMax--
	}
	return text[:bytesMax]
}
