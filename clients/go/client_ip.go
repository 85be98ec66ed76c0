package keysvc

import (
	"context"
	"strings"
)

// findClientIP gives the first address of the header that ClientIPResolver names, else what the framework says.
func (c *call) findClientIP(ctx context.Context) string {
	if name := c.resolve(ctx, c.engine.options.ClientIPResolver); name != "" {
		if address := firstAddress(c.request.Header.Get(name)); address != "" {
			return address
		}
	}
	return c.request.ClientIP
}

// firstAddress gives the first entry of a list, without port and brackets. It is empty when that does not look like an
// address.
func firstAddress(list string) string {
	first, _, _ := strings.Cut(list, ",")
	first = strings.TrimSpace(first)
	if inBrackets, isBracketed := strings.CutPrefix(first, "["); isBracketed {
		first, _, _ = strings.Cut(inBrackets, "]")
	} else if host, _, hasPort := strings.Cut(first, ":"); hasPort && strings.Count(first, ":") == 1 {
		first = host
	}
	if len(first) < 2 || len(first) > 45 || strings.Trim(first, "0123456789abcdefABCDEF.:") != "" {
		return ""
	}
	return first
}
