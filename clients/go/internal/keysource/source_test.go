package keysource

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func FuzzFind(f *testing.F) {
	f.Add("Bearer sk_1", "sk_1", "api_key=sk%5f1&x=%zz", `a=b; api_key="sk_1"`)
	f.Add("bearer\tsk_1", " ", "api%5Fkey=a+b&api_key=c", "api_key=a;api_key=b")
	f.Add("Basic abc", strings.Repeat("k", 9000), "&&=&api_key", "api_key=ü")
	f.Fuzz(func(t *testing.T, authorization, second, query, cookie string) {
		header := http.Header{"Authorization": {authorization}, "X-Api-Key": {authorization, second}, "Cookie": {cookie, second}}
		for _, source := range []Source{
			{Name: "Authorization", Bearer: true}, {Name: "Authorization"}, {Name: "X-Api-Key"}, {Name: "X-Api-Key", Bearer: true},
			{Location: Query, Name: "api_key"}, {Location: Cookie, Name: "api_key"},
		} {
			finding := source.Find(header, query)
			checkFinding(t, finding)
			if finding.State != Found {
				continue
			}
			// What is found is there, and is all there is: the same key again finds the same.
			if again := Judge(finding.Key); again.State != Found || again.Key != finding.Key {
				t.Errorf("%q is a key only the first time", finding.Key)
			}
			if source.Location == Header && !strings.Contains(authorization, finding.Key) {
				t.Errorf("%q is not in the header %q", finding.Key, authorization)
			}
		}
	})
}

func checkFinding(t *testing.T, finding Finding) {
	switch finding.State {
	case Found:
		if finding.Key == "" || len(finding.Key) > KeyBytesMax || strings.TrimSpace(finding.Key) != finding.Key ||
			len(finding.Secrets) != 1 || finding.Secrets[0] != finding.Key {
			t.Errorf("found %+v", finding)
		}
	default:
		if finding.Key != "" {
			t.Errorf("a key although it was not found: %+v", finding)
		}
	}
}

// Whoever writes a key in the proper way is understood, whatever the key.
func FuzzFindRoundTrip(f *testing.F) {
	f.Add("sk_0123456789")
	f.Add("a=b&c;d%41+")
	f.Fuzz(func(t *testing.T, key string) {
		if Judge(key).State != Found || Judge(key).Key != key {
			t.Skip()
		}
		for _, one := range []struct {
			source Source
			header http.Header
			query  string
		}{
			{Source{Name: "Authorization", Bearer: true}, http.Header{"Authorization": {"Bearer  " + key + " "}}, ""},
			{Source{Name: "X-Api-Key"}, http.Header{"X-Api-Key": {key, key}}, ""},
			{Source{Location: Query, Name: "a key"}, nil, url.Values{"a key": {key}, "b": {"1"}}.Encode()},
		} {
			if finding := one.source.Find(one.header, one.query); finding.State != Found || finding.Key != key {
				t.Errorf("%q was found as %+v", key, finding)
			}
		}
	})
}

func TestAValueThatIsThereOftenIsOneSecret(t *testing.T) {
	header := http.Header{"X-Api-Key": {"R", "E", "R", "E", "R"}}
	found := Source{Name: "X-Api-Key"}.Find(header, "")
	if found.State != Malformed || len(found.Secrets) != 2 {
		t.Errorf("found %+v", found)
	}
}
