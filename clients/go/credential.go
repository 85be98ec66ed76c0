package keysvc

import (
	"net/url"
	"os"
	"strings"
)

// resolveCredential gives the project credential of the options, else of the environment.
func resolveCredential(projectKey, rootKey string) (string, []error) {
	if projectKey != "" && rootKey != "" {
		return "", []error{fieldError("ProjectKey", "and RootKey are both set; RootKey is the old name of ProjectKey")}
	}
	for _, source := range []struct{ name, credential string }{
		{"ProjectKey", projectKey},
		{"RootKey", rootKey},
		{"KEYSVC_PROJECT_KEY", os.Getenv("KEYSVC_PROJECT_KEY")},
		{"KEYSVC_ROOT_KEY", os.Getenv("KEYSVC_ROOT_KEY")},
	} {
		if source.credential == "" {
			continue
		}
		if !isVisible(source.credential) {
			return "", []error{fieldError(source.name, "has characters other than visible ASCII")}
		}
		return source.credential, nil
	}
	return "", []error{fieldError("ProjectKey", "is required, or KEYSVC_PROJECT_KEY in the environment")}
}

// resolveBaseURL gives the service's address without a slash at its end.
func resolveBaseURL(baseURL string) (string, []error) {
	for _, source := range []struct{ name, base string }{
		{"BaseURL", baseURL},
		{"KEYSVC_BASE_URL", os.Getenv("KEYSVC_BASE_URL")},
	} {
		if source.base == "" {
			continue
		}
		parsed, err := url.Parse(source.base)
		isUsable := err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https") && parsed.Host != "" &&
			parsed.User == nil && parsed.RawQuery == "" && parsed.Fragment == ""
		if !isUsable {
			return "", []error{fieldError(source.name, "must be an http or https URL without user, query and fragment")}
		}
		return strings.TrimRight(source.base, "/"), nil
	}
	return BaseURLDefault, nil
}

func isVisible(text string) bool {
	for i := range len(text) {
		if text[i] < 0x21 || text[i] > 0x7e {
			return false
		}
	}
	return true
}
