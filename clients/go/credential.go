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
	for _, credential := range []string{projectKey, rootKey, os.Getenv("KEYSVC_PROJECT_KEY"), os.Getenv("KEYSVC_ROOT_KEY")} {
		if credential == "" {
			continue
		}
		if !isVisible(credential) {
			return "", []error{fieldError("ProjectKey", "has characters other than visible ASCII")}
		}
		return credential, nil
	}
	return "", []error{fieldError("ProjectKey", "is required, or KEYSVC_PROJECT_KEY in the environment")}
}

// resolveBaseURL gives the service's address without a slash at its end.
func resolveBaseURL(baseURL string) (string, []error) {
	for _, base := range []string{baseURL, os.Getenv("KEYSVC_BASE_URL"), BaseURLDefault} {
		if base == "" {
			continue
		}
		parsed, err := url.Parse(base)
		isUsable := err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https") && parsed.Host != "" &&
			parsed.User == nil && parsed.RawQuery == "" && parsed.Fragment == ""
		if !isUsable {
			return "", []error{fieldError("BaseURL", "must be an http or https URL without user, query and fragment")}
		}
		return strings.TrimRight(base, "/"), nil
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
