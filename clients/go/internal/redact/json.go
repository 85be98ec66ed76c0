package redact

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// appendJSON appends a text as a JSON string. Bytes that are no UTF-8 become the replacement character.
func appendJSON(out []byte, text string) []byte {
	out = append(out, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r < 0x20:
			out = append(out, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&0xf])
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}
