package keysvcfiber_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/gofiber/fiber/v3"

	"github.com/keysvc/keysvc-go"
	"github.com/keysvc/keysvc-go/keysvcfiber"
)

// nobody lets nobody pass.
type nobody struct{}

func (nobody) Verify(context.Context, string, keysvc.VerifyOptions) (*keysvc.VerificationResult, error) {
	return &keysvc.VerificationResult{Reason: keysvc.ReasonNotFound}, nil
}

func (nobody) Ingest(context.Context, ...keysvc.Event) error { return nil }

// Fiber serves targets that begin with no slash. Its catch-all routes take them, and middleware that is registered without a path
// does not see them: the documentation says to register the guard for "*".
func TestAGuardForAStarSeesTargetsOfEveryForm(t *testing.T) {
	for _, pattern := range []string{"*", "/*", "+", "/:name?"} {
		var ran atomic.Int64
		app := fiber.New()
		app.Use("*", keysvcfiber.Must(keysvc.MiddlewareOptions{
			APIID: "api_1", Client: nobody{}, ExcludePaths: []string{"/health", "health", "/public/*"},
		}))
		app.All(pattern, func(c fiber.Ctx) error {
			ran.Add(1)
			return c.SendString("served")
		})
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = app.Listener(listener, fiber.ListenConfig{DisableStartupMessage: true}) }()
		for _, line := range []string{
			"GET /x", "GET x", "GET xv1/things", "GET health", "GET *", "GET http:x", "GET http:/health", "GET mailto:/health",
			"GET ?/health", "GET http://host?/health", "GET http://host", "CONNECT host:80", "GET //host/health", "GET a/b",
		} {
			if status := statusOf(t, listener.Addr().String(), line); status != http.StatusUnauthorized {
				t.Errorf("%s for %s: %d", line, pattern, status)
			}
		}
		if ran.Load() != 0 {
			t.Errorf("%s: the handler ran %d times", pattern, ran.Load())
		}
		_ = app.Shutdown()
	}
}

func statusOf(t *testing.T, address, line string) int {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	if _, err := fmt.Fprintf(connection, "%s HTTP/1.1\r\nHost: host\r\nConnection: close\r\n\r\n", line); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}
