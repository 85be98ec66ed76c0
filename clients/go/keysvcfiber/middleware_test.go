package keysvcfiber_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v3"

	"github.com/keysvc/keysvc-go"
	"github.com/keysvc/keysvc-go/keysvcfiber"
)

// client lets everything pass and keeps what it gets, as the outbox does.
type client struct {
	mutex    sync.Mutex
	keys     []string
	verified []keysvc.VerifyOptions
	events   []keysvc.Event
}

func (c *client) Verify(
	_ context.Context, key string, options keysvc.VerifyOptions,
) (*keysvc.VerificationResult, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.keys, c.verified = append(c.keys, key), append(c.verified, options)
	return &keysvc.VerificationResult{Reason: keysvc.ReasonValid, RequestID: fmt.Sprintf("req_%d", len(c.keys))}, nil
}

func (c *client) Ingest(_ context.Context, events ...keysvc.Event) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.events = append(c.events, events...)
	return nil
}

func (c *client) recorded() []keysvc.Event {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]keysvc.Event(nil), c.events...)
}

// start serves an application on a port of its own.
func start(t *testing.T, client keysvc.ClientAPI, options keysvc.MiddlewareOptions, register func(*fiber.App)) string {
	t.Helper()
	options.APIID, options.Client = "api_1", client
	app := fiber.New()
	app.Use(func(c fiber.Ctx) (err error) {
		defer func() {
			if recovered := recover(); recovered != nil {
				err = fmt.Errorf("recovered: %v", recovered)
			}
		}()
		return c.Next()
	}, keysvcfiber.Must(options))
	register(app)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = app.Listener(listener, fiber.ListenConfig{DisableStartupMessage: true}) }()
	t.Cleanup(func() { _ = app.Shutdown() })
	return "http://" + listener.Addr().String()
}

func get(t *testing.T, url, key, agent string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("User-Agent", agent)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// Fiber hands the memory of a request to the next one on the connection. Whatever is kept of the first must be a copy.
func TestNothingThatIsKeptOfARequestChangesWithLaterOnes(t *testing.T) {
	client := &client{}
	var seen []*keysvc.MiddlewareRequest
	url := start(t, client, keysvc.MiddlewareOptions{
		CaptureQueryParams: true, CaptureRequestHeaders: true, CaptureResponseBody: true, CaptureClientIP: true,
		ConsumerNameResolver: func(_ context.Context, request *keysvc.MiddlewareRequest) string {
			seen = append(seen, request)
			return request.Headers.Get("User-Agent")
		},
	}, func(app *fiber.App) {
		app.Get("/things/:id", func(c fiber.Ctx) error { return c.SendString("thing " + c.Params("id")) })
	})
	const count = 8
	letters := "ABCDEFGH"
	for i := range count {
		letter := strings.Repeat(letters[i:i+1], 20)
		response := get(t, url+"/things/"+letter+"?q="+letter, "sk_"+letter, letter)
		_, _ = io.Copy(io.Discard, response.Body)
	}
	for i, event := range client.recorded() {
		letter := strings.Repeat(letters[i:i+1], 20)
		if event.Path != "/things/"+letter+"?q="+letter || event.Endpoint != "/things/:id" || event.UserAgent != letter ||
			event.APIKey != "********"+letter[:6] || event.ConsumerName != letter || event.ResponseBody != "thing "+letter ||
			event.Method != "GET" || event.ClientIP != "127.0.0.1" || !strings.Contains(event.RequestHeaders, letter) {
			t.Errorf("event %d is %+v", i, event)
		}
		if client.keys[i] != "sk_"+letter || client.verified[i].UserAgent != letter || client.verified[i].Endpoint != "/things/"+letter {
			t.Errorf("question %d is %q, %+v", i, client.keys[i], client.verified[i])
		}
		if seen[i].Path != "/things/"+letter || seen[i].Headers.Get("User-Agent") != letter || seen[i].Method != "GET" {
			t.Errorf("request %d is %+v", i, seen[i])
		}
	}
	if len(seen) != count {
		t.Errorf("%d requests", len(seen))
	}
}

func TestAStreamIsNotHeldBack(t *testing.T) {
	client, goOn := &client{}, make(chan struct{})
	url := start(t, client, keysvc.MiddlewareOptions{CaptureResponseBody: true, CaptureResponseHeaders: true}, func(app *fiber.App) {
		app.Get("/stream", func(c fiber.Ctx) error {
			c.Set("Content-Type", "text/plain")
			return c.SendStreamWriter(func(w *bufio.Writer) {
				_, _ = w.WriteString("one\n")
				_ = w.Flush()
				<-goOn
				_, _ = w.WriteString("two\n")
			})
		})
	})
	response := get(t, url+"/stream", "sk_0123456789abcdefghij", "test")
	reader := bufio.NewReader(response.Body)
	// The writer waits for us: were the stream read before, this would never end.
	if line, err := reader.ReadString('\n'); err != nil || line != "one\n" {
		t.Errorf("read %q, %v", line, err)
	}
	close(goOn)
	if rest, _ := io.ReadAll(reader); string(rest) != "two\n" {
		t.Errorf("read %q", rest)
	}
	if events := client.recorded(); len(events) != 1 || events[0].StatusCode != 200 || events[0].ResponseBody != "" {
		t.Errorf("recorded %+v", events)
	}
}

func TestErrorsAndPanicsGoOnAndAreRecordedWithTheirStatus(t *testing.T) {
	for _, one := range []struct {
		name    string
		handler fiber.Handler
		status  int
	}{
		{"an error of Fiber's", func(fiber.Ctx) error { return fiber.NewError(418, "tea") }, 418},
		{"one that wraps it", func(fiber.Ctx) error { return fmt.Errorf("wrapped: %w", fiber.ErrConflict) }, 409},
		{"any other error", func(fiber.Ctx) error { return errors.New("fault") }, 500},
		{"a panic", func(fiber.Ctx) error { panic("fault") }, 500},
		{"a status", func(c fiber.Ctx) error { return c.SendStatus(204) }, 204},
	} {
		client := &client{}
		url := start(t, client, keysvc.MiddlewareOptions{}, func(app *fiber.App) { app.Get("/", one.handler) })
		response := get(t, url+"/", "sk_0123456789abcdefghij", "test")
		if response.StatusCode != one.status {
			t.Errorf("%s: answered %d", one.name, response.StatusCode)
		}
		if events := client.recorded(); len(events) != 1 || events[0].StatusCode != one.status {
			t.Errorf("%s: recorded %+v", one.name, events)
		}
	}
}

func TestAnUpgradedConnectionIsRecordedAs101(t *testing.T) {
	client := &client{}
	url := start(t, client, keysvc.MiddlewareOptions{}, func(app *fiber.App) {
		app.Get("/", func(c fiber.Ctx) error {
			c.Status(fiber.StatusSwitchingProtocols)
			c.RequestCtx().Hijack(func(connection net.Conn) { _, _ = io.WriteString(connection, "taken over") })
			return nil
		})
	})
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	_ = connection.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = fmt.Fprint(connection, "GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_0123456789abcdefghij\r\n\r\n")
	if text, _ := io.ReadAll(connection); !strings.HasSuffix(string(text), "taken over") {
		t.Errorf("read %q", text)
	}
	if events := client.recorded(); len(events) != 1 || events[0].StatusCode != 101 {
		t.Errorf("recorded %+v", events)
	}
}

func TestARequestThatFiberRefusesToReadIsNotCharged(t *testing.T) {
	client := &client{}
	url := start(t, client, keysvc.MiddlewareOptions{}, func(app *fiber.App) {
		app.Use(func(c fiber.Ctx) error { t.Error("the handler ran"); return c.SendString("ok") })
	})
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	_ = connection.SetDeadline(time.Now().Add(10 * time.Second))
	// The body is announced and never sent: whoever is refused early would else see a broken connection.
	_, _ = fmt.Fprintf(connection, "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_0123456789abcdefghij\r\n"+
		"Content-Length: %d\r\n\r\n", fiber.DefaultBodyLimit+1)
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if len(client.keys) != 0 || response.StatusCode < 400 {
		t.Errorf("answered %d, asked about %d keys", response.StatusCode, len(client.keys))
	}
}
