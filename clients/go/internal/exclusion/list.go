// Package exclusion says which paths a guard leaves alone.
package exclusion

import (
	"slices"
	"strings"
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

// Has tells whether a decoded path is excluded. The path as it was sent may be empty where it says the same.
//
// A path that routers read in different ways is never excluded: an empty, "." or ".." segment, a backslash, an encoded slash,
// a percent sign that is left after decoding.
func (l List) Has(path, sentPath string) bool {
	if len(l.exact) == 0 && len(l.prefixes) == 0 {
		return false
	}
	return l.matches(path) && !isAmbiguous(path) && !hasEncodedSlash(sentPath)
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

func hasEncodedSlash(path string) bool {
	for {
		at := strings.IndexByte(path, '%')
		if at < 0 || at+2 >= len(path) {
			return false
		}
		if path[at+1] == '2' && path[at+2]|0x20 == 'f' {
			return true
		}
		path = path[at+1:]
	}
}
