package redact

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// encoded writes each character of a text percent-encoded.
func encoded(text string) string {
	var out strings.Builder
	for i := range len(text) {
		out.WriteByte('%')
		out.WriteByte("0123456789ABCDEF"[text[i]>>4])
		out.WriteByte("0123456789abcdef"[text[i]&15])
	}
	return out.String()
}

// isKey tells whether a text is as a key is: visible ASCII; and not part of what stands in its place.
func isKey(text string) bool {
	for i := range len(text) {
		if text[i] < 0x21 || text[i] > 0x7e {
			return false
		}
	}
	return text != "" && !strings.Contains(strings.Repeat(Mark, len(text)/len(Mark)+2), text)
}

func shows(text, secret string) bool {
	decoded, _ := url.PathUnescape(text)
	return strings.Contains(text, secret) || strings.Contains(decoded, secret)
}

func FuzzNoTextShowsASecret(f *testing.F) {
	f.Add("/v1/", "sk_0123456789", "/x?y=1", "text")
	f.Add("%", "ab", "%61", "b%6")
	f.Fuzz(func(t *testing.T, before, secret, between, after string) {
		// A text around the secret may make another of it, with the mark in between; only keys without marks and percent signs
		// are clear enough to say so.
		if !isKey(secret) || strings.ContainsAny(secret, "[]%") {
			t.Skip()
		}
		secrets := []string{secret}
		text := before + secret + between + encoded(secret) + after
		if got := Text(text, secrets); shows(got, secret) {
			t.Errorf("%q shows %q", got, secret)
		}
		if got := Query(text, "api_key", secrets); shows(got, secret) {
			t.Errorf("the query %q shows %q", got, secret)
		}
		checkHeaders(t, http.Header{before: {text}, "X": {text, after}, secret: {"1"}, "Authorization": {secret}}, secret)
		for _, goesOn := range []bool{true, false} {
			got := Prefix(text, goesOn, 7, secrets)
			if shows(got, secret) || utf8.RuneCountInString(got) > 7 {
				t.Errorf("the beginning %q shows %q", got, secret)
			}
		}
	})
}

func checkHeaders(t *testing.T, header http.Header, secret string) {
	text := Headers(header, StrippedHeaders(), []string{secret})
	if text == "" {
		return // Too long.
	}
	var read map[string]any
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatalf("%q is no JSON: %v", text, err)
	}
	for name, value := range read {
		values, isList := value.([]any)
		if !isList {
			values = []any{value}
		}
		if shows(name, strings.ToLower(secret)) && isKey(strings.ToLower(secret)) {
			t.Errorf("the name %q shows %q", name, secret)
		}
		for _, value := range values {
			if text, _ := value.(string); shows(text, secret) {
				t.Errorf("%q shows %q", text, secret)
			}
		}
		if name == "authorization" {
			t.Errorf("%q has a header that is never recorded", text)
		}
	}
}

// A key that is cut by the end of what is kept must not show its beginning.
func FuzzABodyThatGoesOnShowsNoPartOfASecret(f *testing.F) {
	f.Add("0123456789", uint8(4))
	f.Fuzz(func(t *testing.T, before string, length uint8) {
		const secret = "sk_live_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		if strings.Contains(before, "s") || strings.Contains(before, "%") {
			t.Skip()
		}
		kept := before + secret[:int(length)%len(secret)]
		if got := Prefix(kept, true, 1000, []string{secret}); strings.Contains(got, "s") {
			t.Errorf("%q shows a part", got)
		}
	})
}

func FuzzClip(f *testing.F) {
	f.Add("aäß😀\x00b", 3)
	f.Fuzz(func(t *testing.T, text string, charactersMax int) {
		if charactersMax < 0 || !utf8.ValidString(text) {
			t.Skip()
		}
		got := Clip(text, charactersMax)
		if len(utf16.Encode([]rune(got))) > charactersMax || strings.Contains(got, "\x00") ||
			!strings.HasPrefix(strings.ReplaceAll(text, "\x00", ""), got) || !utf8.ValidString(got) {
			t.Errorf("%q was cut to %q", text, got)
		}
	})
}

func TestTextsWithoutSecretsStayAsTheyAre(t *testing.T) {
	for _, text := range []string{"/v1/things%20here?x=%zz&y=+", "", "%", "%4", "ü%C3%BC"} {
		if got := Text(text, []string{"sk_1", ""}); got != text {
			t.Errorf("%q became %q", text, got)
		}
		if got := Query(text, "", nil); got != text {
			t.Errorf("the query %q became %q", text, got)
		}
	}
}

func TestSecretsThatArePartsOfTheMarkMakeATextNoLongerThanOneMarkForEachCharacter(t *testing.T) {
	var parts []string
	for from := range len(Mark) {
		for to := from + 1; to <= len(Mark); to++ {
			parts = append(parts, Mark[from:to])
		}
	}
	text := strings.Repeat("/RED%52", 100)
	for count := 2; count <= len(parts); count++ {
		for _, got := range []string{Text(text, parts[:count]), Prefix(text, true, 1<<30, parts[:count])} {
			if len(got) > len(text)*len(Mark) {
				t.Fatalf("%d secrets make %d bytes out of %d", count, len(got), len(text))
			}
		}
	}
	if got := Text("/v1/RED/E", []string{"R", "E", "ED"}); got != "/v1/"+Mark+Mark+"/"+Mark {
		t.Errorf("got %q", got)
	}
	if got := Text("nothing of them", parts); got != Mark {
		t.Errorf("more secrets than are looked for leave %q", got)
	}
}

func TestSecretsThatOverlapAreHiddenAsOne(t *testing.T) {
	if got := Text("/v1/abcd/%61bcd", []string{"abc", "cd"}); got != "/v1/"+Mark+"/"+Mark {
		t.Errorf("got %q", got)
	}
}
