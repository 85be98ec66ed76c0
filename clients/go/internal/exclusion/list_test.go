package exclusion

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"testing"
)

func TestNothingIsExcludedByAnEmptyList(t *testing.T) {
	if Parse(nil).Has("/", "") || Parse([]string{""}).Has("/", "") {
		t.Error("excluded")
	}
}

func TestTheTargetOfOptionsIsExcludedOnlyByAStar(t *testing.T) {
	if !Parse([]string{"*"}).Has("*", "*") || Parse([]string{"/*"}).Has("*", "*") {
		t.Error("the target * is not understood")
	}
}

// What is excluded stays where the pattern says, however the path is cleaned: a router that resolves dots, joins slashes or
// decodes once more cannot lead an excluded request elsewhere.
func FuzzExcludedPathsStayWithinTheirPattern(f *testing.F) {
	for _, target := range []string{
		"/public/x", "/public/../admin", "/public/%2e%2e/admin", "/public//admin", "/public/%2fadmin", "/public/..%5cadmin",
		"/public/%252e%252e/admin", "/%68ealth", "/publi%63/x", "/public/%40", "/public\\..\\admin", "/public/.", "//public/x", "/public%00/x", "/public/…/x",
	} {
		f.Add(target)
	}
	list := Parse([]string{"/public/*", "/health"})
	f.Fuzz(func(t *testing.T, target string) {
		parsed, err := url.ParseRequestURI(target)
		if err != nil || !list.Has(parsed.Path, parsed.EscapedPath()) {
			return
		}
		again, err := url.PathUnescape(parsed.Path)
		if err != nil {
			t.Fatalf("%q is excluded and cannot be decoded", target)
		}
		for _, read := range []string{parsed.Path, again, parsed.EscapedPath(), strings.ReplaceAll(again, `\`, "/")} {
			cleaned := path.Clean(read)
			if cleaned != "/health" && cleaned != "/public" && !strings.HasPrefix(cleaned, "/public/") {
				t.Errorf("%q is excluded, and may be read as %q", target, cleaned)
			}
		}
		routed := httptest.NewRequest(http.MethodGet, "/", nil)
		routed.URL = parsed
		mux := http.NewServeMux()
		isElsewhere := false
		mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) { isElsewhere = true })
		mux.HandleFunc("/public/", func(http.ResponseWriter, *http.Request) {})
		mux.HandleFunc("/health", func(http.ResponseWriter, *http.Request) {})
		mux.ServeHTTP(httptest.NewRecorder(), routed)
		if isElsewhere {
			t.Errorf("%q is excluded, and routed elsewhere", target)
		}
	})
}

func TestAnEscapeExcludesOnlyWhereItIsNeeded(t *testing.T) {
	list := Parse([]string{"*"})
	for c := range 256 {
		sent := "/" + url.PathEscape(string([]byte{byte(c)}))
		needsNone := len(sent) == 2
		hex := "/%" + string("0123456789ABCDEF"[c>>4]) + string("0123456789abcdef"[c&15])
		if got := list.Has("/"+string([]byte{byte(c)}), hex); needsNone && got {
			t.Errorf("%s is excluded", hex)
		}
	}
	for _, needed := range []string{"/a%20b", "/caf%C3%A9", "/%3Fx", "/%22", "/%"} {
		path, err := url.PathUnescape(needed)
		if err != nil {
			path = "/x"
		}
		if !list.Has(path, needed) {
			t.Errorf("%s is not excluded", needed)
		}
	}
}
