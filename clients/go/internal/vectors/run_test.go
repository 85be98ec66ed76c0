package vectors_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keysvc/keysvc-go"
)

// outcome is what came of a case.
type outcome struct {
	response  *http.Response
	body      []byte
	hasRun    bool
	validated []map[string]any
	events    []map[string]any
	ingested  string
	told      []keysvc.MiddlewareErrorEvent
}

func TestEveryAdapterFollowsTheVectors(t *testing.T) {
	loaded := load(t)
	clearEnvironment(t)
	for _, name := range slices.Sorted(maps.Keys(adapters)) {
		t.Run(name, func(t *testing.T) {
			for _, one := range loaded.Cases {
				t.Run(one.Name, func(t *testing.T) {
					if why := one.Skip[name]; why != "" {
						t.Skip(why)
					}
					compare(t, one, adapters[name], run(t, one, adapters[name]))
				})
			}
		})
	}
}

func run(t *testing.T, one vector, adapter adapter) outcome {
	var came outcome
	var mutex sync.Mutex
	onError := func(event keysvc.MiddlewareErrorEvent) {
		mutex.Lock()
		came.told = append(came.told, event)
		mutex.Unlock()
		if one.Options.OnError != nil {
			panic("the callback")
		}
	}
	fake := startFake(t, one)
	app := &application{one: one, guard: one.Options.built()}
	if app.guard.APIID == "" {
		app.guard.APIID = "api_1"
	}
	reach := keysvc.ClientOptions{
		ProjectKey: "project-key-of-the-vectors", BaseURL: "http://" + fake.address, Timeout: app.guard.Timeout, OnError: onError,
	}
	if one.Service != nil && one.Service.Failure == "refused" {
		reach.Transport = refusing{&http.Transport{DisableKeepAlives: true}}
	}
	client, err := keysvc.NewClient(reach)
	if err != nil {
		t.Fatal(err)
	}
	app.guard.Client, app.guard.OnError = client, onError
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	adapter.start(t, app, listener)
	came.response, came.body = send(t, listener.Addr().String(), one)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := client.Close(ctx); err != nil {
		t.Errorf("the events were not sent: %v", err)
	}
	fake.mutex.Lock()
	defer fake.mutex.Unlock()
	mutex.Lock()
	defer mutex.Unlock()
	came.hasRun, came.validated, came.events, came.ingested = app.hasRun.Load(), fake.validated, fake.events, string(fake.ingested)
	return came
}

// send writes the request to a socket as it is. The answer is complete when the connection is closed, and the request then
// recorded: the middleware ends before the server does.
func send(t *testing.T, address string, one vector) (*http.Response, []byte) {
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	_ = connection.SetDeadline(time.Now().Add(20 * time.Second))
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", one.Request.Method, one.Request.Target, address)
	for _, header := range one.Request.Headers {
		fmt.Fprintf(&text, "%s: %s\r\n", header[0], header[1])
	}
	text.WriteString("\r\n" + one.Request.Body)
	if _, err := io.WriteString(connection, text.String()); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(connection)
	response, err := http.ReadResponse(reader, &http.Request{Method: one.Request.Method})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, reader)
	return response, body
}

func TestOptionsThatCannotGuardAreRefusedByName(t *testing.T) {
	for _, one := range load(t).Configurations {
		t.Run(one.Name, func(t *testing.T) {
			clearEnvironment(t)
			for name, value := range one.Environment {
				t.Setenv(name, value)
			}
			_, err := keysvc.New(one.Options.built())
			if one.Problems == nil {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if !errors.Is(err, keysvc.ErrConfiguration) {
				t.Fatalf("the error is %v", err)
			}
			for _, problem := range one.Problems {
				if name := goName(problem); !strings.Contains(err.Error(), name) {
					t.Errorf("%q does not name %s", err, name)
				}
			}
		})
	}
}

func goName(option string) string {
	switch option {
	case "apiId":
		return "APIID"
	case "timeoutMs":
		return "Timeout"
	}
	return strings.ToUpper(option[:1]) + option[1:]
}

func clearEnvironment(t *testing.T) {
	for _, name := range []string{"KEYSVC_PROJECT_KEY", "KEYSVC_ROOT_KEY", "KEYSVC_BASE_URL"} {
		t.Setenv(name, "")
		_ = os.Unsetenv(name)
	}
}
