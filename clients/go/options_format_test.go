package keysvc_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/keysvc/keysvc-go"
)

func TestNothingThatIsPrintedShowsTheCredential(t *testing.T) {
	const credential = "project-credential-0123456789"
	client, err := keysvc.NewClient(keysvc.ClientOptions{ProjectKey: credential})
	if err != nil {
		t.Fatal(err)
	}
	options := keysvc.MiddlewareOptions{ProjectKey: credential, APIID: "api_1", Client: client}
	for _, value := range []any{
		options, &options, keysvc.MiddlewareOptions{RootKey: credential}, struct{ Guard keysvc.MiddlewareOptions }{options},
		keysvc.ClientOptions{ProjectKey: credential}, &keysvc.ClientOptions{RootKey: credential}, client, *client,
		keysvc.Must(options), keysvc.Must(options)(http.NotFoundHandler()),
		keysvc.Must(keysvc.MiddlewareOptions{ProjectKey: credential, APIID: "api_1"})(http.NotFoundHandler()),
	} {
		var printed bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%q", "%x"} {
			fmt.Fprintf(&printed, verb, value)
		}
		slog.New(slog.NewTextHandler(&printed, nil)).Info("text", "value", value)
		slog.New(slog.NewJSONHandler(&printed, nil)).Info("json", "value", value)
		hex := fmt.Sprintf("%x", credential)
		if text := printed.String(); strings.Contains(text, credential) || strings.Contains(text, hex) {
			t.Errorf("a %T shows the credential: %s", value, text)
		}
	}
	if text := fmt.Sprintf("%+v", options); !strings.Contains(text, "APIID:api_1") || !strings.Contains(text, "ProjectKey:[REDACTED]") {
		t.Errorf("the options are printed as %s", text)
	}
}
