package keysvc

import (
	"context"
	"net"
	"net/netip"
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

// firstAddress reads the first entry of a list of addresses, with or without ports. It is empty when that is none.
func firstAddress(list string) string {
	first, _, _ := strings.Cut(list, ",")
	first = strings.TrimSpace(first)
	if host, _, err := net.SplitHostPort(first); err == nil {
		first = host
	}
	address, err := netip.ParseAddr(strings.Trim(first, "[]"))
	if err != nil || address.Zone() != "" {
		return ""
	}
	return address.String()
}
