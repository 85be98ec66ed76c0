package vectors_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/keysvc/keysvc-go"
)

func compare(t *testing.T, one vector, adapter adapter, came outcome) {
	if came.hasRun != one.Expect.HandlerRan {
		t.Errorf("the handler ran: %v", came.hasRun)
	}
	compareQuestion(t, one, adapter, came)
	compareResponse(t, one, came)
	compareEvent(t, one, adapter, came)
	compareErrors(t, one, came)
	for _, secret := range secretsOf(one) {
		if strings.Contains(came.ingested, secret) {
			t.Errorf("%q was sent: %s", secret, came.ingested)
		}
	}
}

func compareQuestion(t *testing.T, one vector, adapter adapter, came outcome) {
	if one.Expect.Validate == nil {
		if len(came.validated) != 0 {
			t.Errorf("the service was asked: %v", came.validated)
		}
		return
	}
	want := map[string]any{}
	for name, value := range one.Expect.Validate {
		if want[name] = value; value == "<route>" {
			want[name] = routeOf(one, adapter, adapter.knowsRouteFirst)
		}
	}
	if one.Service != nil && one.Service.Failure == "refused" {
		return // Nobody was there to keep the question.
	}
	if len(came.validated) != 1 || !reflect.DeepEqual(came.validated[0], want) {
		t.Errorf("the service was asked %v\ninstead of          %v", came.validated, want)
	}
}

func routeOf(one vector, adapter adapter, isKnown bool) string {
	if isKnown {
		return adapter.template(one.Request.Route)
	}
	path, _, _ := strings.Cut(one.Request.Target, "?")
	return path
}

func compareResponse(t *testing.T, one vector, came outcome) {
	want := one.Expect.Response
	if came.response.StatusCode != want.Status {
		t.Errorf("status %d instead of %d: %s", came.response.StatusCode, want.Status, came.body)
	}
	for name, value := range want.Headers {
		got := came.response.Header.Values(name)
		if value == nil && len(got) > 0 || value != nil && strings.Join(got, ", ") != *value {
			t.Errorf("header %s is %q", name, got)
		}
	}
	switch want := want.Body.(type) {
	case string:
		if string(came.body) != want {
			t.Errorf("body %q instead of %q", came.body, want)
		}
	case map[string]any:
		if got := parsed(string(came.body)); !reflect.DeepEqual(got, want) {
			t.Errorf("body %v\ninstead of %v", got, want)
		}
	}
}

func compareEvent(t *testing.T, one vector, adapter adapter, came outcome) {
	if one.Expect.Event == nil {
		if len(came.events) != 0 {
			t.Errorf("recorded %v", came.events)
		}
		return
	}
	if len(came.events) != 1 {
		t.Fatalf("%d events: %v", len(came.events), came.events)
	}
	event := came.events[0]
	for name, want := range one.Expect.Event {
		got := event[name]
		switch {
		case want == nil:
			if got != nil && got != "" {
				t.Errorf("%s is %q", name, got)
			}
		case want == "<made>":
			if text, _ := got.(string); !madeID.MatchString(text) {
				t.Errorf("%s is %q", name, got)
			}
		case want == "<route>":
			if got != routeOf(one, adapter, true) {
				t.Errorf("%s is %q", name, got)
			}
		case strings.HasSuffix(name, "Headers"):
			compareHeaders(t, name, got, want.(map[string]any))
		case reflect.TypeOf(want).Kind() == reflect.Map:
			text, _ := got.(string)
			if !reflect.DeepEqual(parsed(text), want) {
				t.Errorf("%s is %q", name, got)
			}
		case !reflect.DeepEqual(got, want):
			t.Errorf("%s is %q instead of %q", name, got, want)
		}
	}
}

var madeID = regexp.MustCompile(`^req_[0-9a-z]{20,}$`)

func compareHeaders(t *testing.T, name string, got any, want map[string]any) {
	text, _ := got.(string)
	headers, _ := parsed(text).(map[string]any)
	for header, value := range want {
		if value == nil && headers[header] != nil || value != nil && !reflect.DeepEqual(headers[header], value) {
			t.Errorf("%s has %s: %q instead of %q", name, header, headers[header], value)
		}
	}
}

func compareErrors(t *testing.T, one vector, came outcome) {
	operations, kinds := []string{}, [][]string{}
	for _, event := range came.told {
		operations = append(operations, event.Operation)
		kinds = append(kinds, kindsOf(event.Err))
		for _, secret := range secretsOf(one) {
			if strings.Contains(event.Err.Error()+event.Path, secret) {
				t.Errorf("OnError was told %q", secret)
			}
		}
	}
	if len(operations) != len(one.Expect.Errors) || len(operations) > 0 && !reflect.DeepEqual(operations, one.Expect.Errors) {
		t.Errorf("OnError was told %q instead of %q: %v", operations, one.Expect.Errors, came.told)
	}
	if one.Expect.ErrorKinds != nil && !reflect.DeepEqual(kinds, one.Expect.ErrorKinds) {
		t.Errorf("the errors are %q instead of %q: %v", kinds, one.Expect.ErrorKinds, came.told)
	}
}

func kindsOf(err error) []string {
	kinds := []string{}
	for _, kind := range []struct {
		name  string
		error error
	}{
		{"transport", keysvc.ErrTransport}, {"timeout", keysvc.ErrTimeout}, {"api", keysvc.ErrAPI},
		{"authentication", keysvc.ErrAuthentication},
	} {
		if errors.Is(err, kind.error) {
			kinds = append(kinds, kind.name)
		}
	}
	return kinds
}

var keyText = regexp.MustCompile(`sk_[^\s&;",]*`)

// secretsOf gives what must not be sent.
func secretsOf(one vector) []string {
	if one.Expect.Secrets != nil {
		return *one.Expect.Secrets
	}
	text := one.Request.Target + "\n" + one.Request.Body
	for _, header := range one.Request.Headers {
		text += "\n" + header[1]
	}
	return keyText.FindAllString(text, -1)
}

func parsed(text string) any {
	var value any
	_ = json.Unmarshal([]byte(text), &value)
	return value
}
