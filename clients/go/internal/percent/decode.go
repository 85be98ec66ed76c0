// Package percent decodes percent-encoding as browsers do: an escape that is none stands for itself.
package percent

import "strings"

// Decode gives the decoded text.
func Decode(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	decoded := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		c, width := next(text[i:])
		decoded = append(decoded, c)
		i += width
	}
	return string(decoded)
}

// DecodeQuery decodes a name or a value of a query, where a plus is a space.
func DecodeQuery(text string) string {
	return Decode(strings.ReplaceAll(text, "+", " "))
}

// DecodeWithStarts says of each decoded byte besides, and of the end, where it began in the text.
func DecodeWithStarts(text string) (decoded string, starts []int) {
	bytes := make([]byte, 0, len(text))
	starts = make([]int, 0, len(text)+1)
	for i := 0; i < len(text); {
		c, width := next(text[i:])
		bytes = append(bytes, c)
		starts = append(starts, i)
		i += width
	}
	return string(bytes), append(starts, len(text))
}

func next(text string) (c byte, width int) {
	if text[0] != '%' || len(text) < 3 || !isHex(text[1]) || !isHex(text[2]) {
		return text[0], 1
	}
	return fromHex(text[1])<<4 | fromHex(text[2]), 3
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func fromHex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
