// Package exclusion says which paths a guard leaves alone.
package exclusion

import (
	"slices"
	"strings"

	"github.com/keysvc/keysvc-go/internal/percent"
)

// List holds exact paths and prefixes.
type List struct {
	exact    []string
	prefixes []string
}

// Parse reads patterns: an exact path, or a prefix that ends in "*". One that can be no path excludes nothing.
func Parse(patterns []string) List {
	var list List
	for _, pattern := range patterns {
		if prefix, isPrefix := strings.CutSuffix(pattern, "*"); isPrefix {
			list.prefixes = append(list.prefixes, prefix)
		} else {
			list.exact = append(list.exact, pattern)
		}
	}
	return list
}

// Has tells whether a path is excluded, of which it is given the decoded and the sent form.
//
// A path that routers read in different ways is never excluded: an empty, "." or ".." segment, a backslash, a percent sign
// that is left after decoding, and an encoded slash or another character that needs no encoding. Of the latter, routers that
// compare what was sent see no more than a parameter in "/%68ealth", and would serve what is guarded in place of "/health".
func (l List) Has(path, sentPath string) bool {
	if len(l.exact) == 0 && len(l.prefixes) == 0 {
		return false
	}
	return l.matches(path) && !isAmbiguous(path) && !isEncodedNeedlessly(sentPath)
}

func (l List) matches(path string) bool {
	return slices.Contains(l.exact, path) ||
		slices.ContainsFunc(l.prefixes, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// A slash at the end is no empty segment: "/docs/" is as clear as "/docs".
func isAmbiguous(path string) bool {
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, `\%`) {
		return path != "*" // The target of OPTIONS *.
	}
	rest := path[1:]
	for rest != "" {
		segment, after, _ := strings.Cut(rest, "/")
		if segment == "" || segment == "." || segment == ".." {
			return true
		}
		rest = after
	}
	return false
}

// isEncodedNeedlessly tells whether a path has an escape of a character that may stand there as it is, the slash included.
func isEncodedNeedlessly(path string) bool {
	for {
		at := strings.IndexByte(path, '%')
		if at < 0 {
			return false
		}
		if decoded := percent.Decode(path[at:min(at+3, len(path))]); len(decoded) == 1 && isPathCharacter(decoded[0]) {
			return true
		}
		path = path[at+1:]
	}
}

// isPathCharacter tells of a character whether RFC 3986 takes it in a path.
func isPathCharacter(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=:@/", c) >= 0
}
