// Package streams_test shows that answers which are no plain answers go through each adapter as they do without it.
package streams_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/labstack/echo/v5"

	"github.com/keysvc/keysvc-go"
	"github.com/keysvc/keysvc-go/keysvcecho"
	"github.com/keysvc/keysvc-go/keysvcgin"
)

// client lets everything pass and keeps the events.
type client struct {
	mutex  sync.Mutex
	events []keysvc.Event
}

func (*client) Verify(context.Context, string, keysvc.VerifyOptions) (*keysvc.VerificationResult, error) {
	return &keysvc.VerificationResult{Reason: keysvc.ReasonValid, RequestID: "req_1"}, nil
}

func (c *client) Ingest(_ context.Context, events ...keysvc.Event) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.events = append(c.events, events...)
	return nil
}

// next waits for the only event: a request may be recorded a little after its answer has come.
func (c *client) next(t *testing.T) keysvc.Event {
	t.Helper()
	for range 5000 {
		c.mutex.Lock()
		events := c.events
		c.mutex.Unlock()
		if len(events) > 0 {
			if len(events) > 1 {
				t.Fatalf("%d events", len(events))
			}
			return events[0]
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("nothing was recorded")
	return keysvc.Event{}
}

// frameworks guard a handler, each in its way. All options that look at an answer are on.
var frameworks = map[string]func(keysvc.ClientAPI, http.HandlerFunc) http.Handler{
	"nethttp": func(client keysvc.ClientAPI, handler http.HandlerFunc) http.Handler {
		return keysvc.Must(options(client))(handler)
	},
	"gin": func(client keysvc.ClientAPI, handler http.HandlerFunc) http.Handler {
		engine := gin.New()
		engine.Use(keysvcgin.Must(options(client)))
		engine.Any("/*any", func(c *gin.Context) { handler(c.Writer, c.Request) })
		return engine
	},
	"echo": func(client keysvc.ClientAPI, handler http.HandlerFunc) http.Handler {
		engine := echo.New()
		engine.Use(keysvcecho.Must(options(client)))
		engine.Any("/*", func(c *echo.Context) error {
			handler(c.Response(), c.Request())
			return nil
		})
		return engine
	},
}

func options(client keysvc.ClientAPI) keysvc.MiddlewareOptions {
	return keysvc.MiddlewareOptions{
		APIID: "api_1", Client: client, CaptureResponseBody: true, CaptureResponseHeaders: true, CaptureRequestHeaders: true,
	}
}

// each runs a test over all frameworks, over HTTP/1.1 and HTTP/2.
func each(
	t *testing.T, handler http.HandlerFunc, check func(t *testing.T, server *httptest.Server, client *client, isHTTP2 bool),
) {
	for name, guard := range frameworks {
		for _, isHTTP2 := range []bool{false, true} {
			protocol := map[bool]string{false: "HTTP/1.1", true: "HTTP/2"}[isHTTP2]
			t.Run(name+" over "+protocol, func(t *testing.T) {
				client := &client{}
				server := httptest.NewUnstartedServer(guard(client, handler))
				if server.EnableHTTP2 = isHTTP2; isHTTP2 {
					server.StartTLS()
				} else {
					server.Start()
				}
				defer server.Close()
				check(t, server, client, isHTTP2)
			})
		}
	}
}

func get(t *testing.T, server *httptest.Server) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer sk_0123456789abcdefghij")
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}
