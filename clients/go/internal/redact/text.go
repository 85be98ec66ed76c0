// Package redact takes secrets out of what is recorded.
package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/keysvc/keysvc-go/internal/percent"
)

// Mark stands where a secret stood.
const Mark = "[REDACTED]"

// SecretsMax is how many secrets are looked for in a text. Where there are more, the text is hidden as a whole: somebody sent
// them only to make work.
const SecretsMax = 16

// Text hides the secrets wherever they stand, percent-encoded too. It takes out NUL, which the service refuses, before that:
// later, it could join the parts of a secret.
//
// All are looked for in the text as it came, and never in what stands in their place. One after the other, secrets that are
// parts of the mark would make the text several times as long with each.
func Text(text string, secrets []string) string {
	text = withoutNUL(text)
	if text == "" || len(secrets) == 0 {
		return text
	}
	if len(secrets) > SecretsMax {
		return Mark
	}
	found := find(text, secrets)
	if len(found) == 0 {
		return text
	}
	var out strings.Builder
	from := 0
	for i, at := range found {
		if i > 0 && at.from < from { // It begins in the one before.
			from = max(from, at.to)
			continue
		}
		out.WriteString(text[from:at.from])
		out.WriteString(Mark)
		from = at.to
	}
	out.WriteString(text[from:])
	return out.String()
}

// part is where something stands in a text.
type part struct{ from, to int }

// find gives where secrets stand, from left to right. They may overlap.
func find(text string, secrets []string) []part {
	var found []part
	for _, secret := range secrets {
		found = appendParts(found, text, secret, nil)
	}
	if strings.IndexByte(text, '%') >= 0 {
		decoded, starts := percent.DecodeWithStarts(text)
		for _, secret := range secrets {
			found = appendParts(found, decoded, secret, starts)
		}
	}
	slices.SortFunc(found, func(a, b part) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	return found
}

// appendParts appends where a secret stands. The starts, when there are any, say where each byte of the text began before it was
// decoded.
func appendParts(found []part, text, secret string, starts []int) []part {
	if secret == "" {
		return found
	}
	for from := 0; ; {
		at := strings.Index(text[from:], secret)
		if at < 0 {
			return found
		}
		at += from
		from = at + len(secret)
		if starts == nil {
			found = append(found, part{at, from})
		} else {
			found = append(found, part{starts[at], starts[from]})
		}
	}
}

// Prefix hides the secrets in the beginning of a text, and gives its first characters. When the text goes on, a secret that
// its end may cut is hidden too.
func Prefix(text string, goesOn bool, charactersMax int, secrets []string) string {
	if len(secrets) > SecretsMax {
		return Text(text, secrets)
	}
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
	if end := byteEnd(redacted, charactersMax); end < len(redacted) {
		return strings.Clone(redacted[:end])
	}
	return redacted
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

// Clip cuts a text to a number of characters as the service counts them, in units of UTF-16, and takes out NUL. What was cut off
// does not stay in memory.
func Clip(text string, charactersMax int) string {
	text = withoutNUL(text)
	if len(text) <= charactersMax {
		return text
	}
	count := 0
	for at, character := range text {
		if count += utf16.RuneLen(character); count > charactersMax {
			return strings.Clone(text[:at])
		}
	}
	return text
}
