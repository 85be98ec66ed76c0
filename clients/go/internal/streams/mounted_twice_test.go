package streams_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/gofiber/fiber/v3"
	"github.com/labstack/echo/v5"

	"github.com/keysvc/keysvc-go"
	"github.com/keysvc/keysvc-go/keysvcecho"
	"github.com/keysvc/keysvc-go/keysvcfiber"
	"github.com/keysvc/keysvc-go/keysvcgin"
)

// counting counts validations, and knows one key.
type counting struct {
	client
	asked, charged atomic.Int64
}

const knownKey = "sk_0123456789abcdefghij"

func (c *counting) Verify(_ context.Context, key string, options keysvc.VerifyOptions) (*keysvc.VerificationResult, error) {
	c.asked.Add(1)
	if key != knownKey {
		return &keysvc.VerificationResult{Reason: keysvc.ReasonNotFound}, nil
	}
	c.charged.Add(int64(*options.Credits))
	return &keysvc.VerificationResult{Reason: keysvc.ReasonValid, RequestID: "req_1", Consumer: &keysvc.Consumer{ID: "consumer_1"}}, nil
}

func (c *counting) recorded() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return len(c.events)
}

// mount serves "/things" behind several guards, the first of them outermost. The handler says who called.
var mount = map[string]func(t *testing.T, guards []keysvc.MiddlewareOptions, order []int) string{
	"nethttp": func(t *testing.T, guards []keysvc.MiddlewareOptions, order []int) string {
		made := make([]func(http.Handler) http.Handler, len(guards))
		for i, options := range guards {
			made[i] = keysvc.Must(options)
		}
		var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if decision, has := keysvc.DecisionFromContext(r.Context()); has {
				_, _ = io.WriteString(w, decision.Consumer.ID)
			}
		})
		for i := range order {
			handler = http.StripPrefix("", made[order[len(order)-1-i]](handler))
		}
		return serve(t, handler)
	},
	"gin": func(t *testing.T, guards []keysvc.MiddlewareOptions, order []int) string {
		made := make([]gin.HandlerFunc, len(guards))
		for i, options := range guards {
			made[i] = keysvcgin.Must(options)
		}
		engine := gin.New()
		for _, i := range order {
			engine.Use(made[i])
		}
		engine.GET("/things", func(c *gin.Context) {
			c.Request.URL.Path = "/elsewhere"
			engine.HandleContext(c) // Gin runs the whole chain again, and forgets what was set.
		})
		engine.GET("/elsewhere", func(c *gin.Context) {
			if decision, has := c.Get(keysvc.ContextDecisionKey); has {
				c.String(http.StatusOK, "%s", decision.(*keysvc.VerificationResult).Consumer.ID)
			}
		})
		return serve(t, engine)
	},
	"echo": func(t *testing.T, guards []keysvc.MiddlewareOptions, order []int) string {
		made := make([]echo.MiddlewareFunc, len(guards))
		for i, options := range guards {
			made[i] = keysvcecho.Must(options)
		}
		engine := echo.New()
		var chain []echo.MiddlewareFunc
		for _, i := range order {
			chain = append(chain, made[i])
		}
		engine.Use(chain[0])
		engine.GET("/things", func(c *echo.Context) error {
			decision, has := c.Get(keysvc.ContextDecisionKey).(*keysvc.VerificationResult)
			if !has {
				return c.NoContent(http.StatusOK)
			}
			return c.String(http.StatusOK, decision.Consumer.ID)
		}, chain[1:]...)
		return serve(t, engine)
	},
	"fiber": func(t *testing.T, guards []keysvc.MiddlewareOptions, order []int) string {
		made := make([]fiber.Handler, len(guards))
		for i, options := range guards {
			made[i] = keysvcfiber.Must(options)
		}
		app := fiber.New()
		for _, i := range order {
			app.Use(made[i])
		}
		app.Get("/things", func(c fiber.Ctx) error {
			decision, has := c.Locals(keysvc.ContextDecisionKey).(*keysvc.VerificationResult)
			if !has {
				return c.SendStatus(http.StatusOK)
			}
			return c.SendString(decision.Consumer.ID)
		})
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = app.Listener(listener, fiber.ListenConfig{DisableStartupMessage: true}) }()
		t.Cleanup(func() { _ = app.Shutdown() })
		return "http://" + listener.Addr().String()
	},
}

func serve(t *testing.T, handler http.Handler) string {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// ask uses one connection for all requests.
func ask(t *testing.T, base, key string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/things", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(body)
}

func TestAMiddlewareThatIsMountedTwiceValidatesChargesAndRecordsOnce(t *testing.T) {
	for name, mount := range mount {
		service := &counting{}
		base := mount(t, []keysvc.MiddlewareOptions{{APIID: "api_1", Client: service, Credits: keysvc.Ptr(3)}}, []int{0, 0, 0})
		for i, one := range []struct {
			key    string
			status int
			body   string
		}{{knownKey, 200, "consumer_1"}, {"sk_another_0123456789", 401, ""}, {knownKey, 200, "consumer_1"}} {
			status, body := ask(t, base, one.key)
			if status != one.status || one.body != "" && body != one.body {
				t.Errorf("%s: request %d is answered %d %q", name, i, status, body)
			}
		}
		if service.asked.Load() != 3 || service.charged.Load() != 6 {
			t.Errorf("%s: asked %d times, charged %d", name, service.asked.Load(), service.charged.Load())
		}
		waitFor(t, name, func() bool { return service.recorded() >= 3 })
		if service.recorded() != 3 {
			t.Errorf("%s: %d events", name, service.recorded())
		}
	}
}

func TestTwoMiddlewaresEachDoTheirOwnAndTheDecisionStays(t *testing.T) {
	for name, mount := range mount {
		validating, recording := &counting{}, &counting{}
		base := mount(t, []keysvc.MiddlewareOptions{
			{APIID: "api_1", Client: validating, Mode: keysvc.ModeValidate},
			{APIID: "api_1", Client: recording, Mode: keysvc.ModeIngest},
		}, []int{0, 1, 0, 1})
		if status, body := ask(t, base, knownKey); status != 200 || body != "consumer_1" {
			t.Errorf("%s: answered %d %q", name, status, body)
		}
		waitFor(t, name, func() bool { return recording.recorded() >= 1 })
		if validating.asked.Load() != 1 || recording.asked.Load() != 0 || validating.recorded() != 0 || recording.recorded() != 1 {
			t.Errorf("%s: asked %d, %d, recorded %d, %d", name, validating.asked.Load(), recording.asked.Load(),
				validating.recorded(), recording.recorded())
		}
	}
}

// A batch: a handler serves other requests by the same chain, in the context of its own.
func TestARequestThatAHandlerMakesOfItsOwnContextIsGuardedForItself(t *testing.T) {
	service := &counting{}
	guard := keysvc.Must(keysvc.MiddlewareOptions{APIID: "api_1", Client: service})
	var chain http.Handler
	chain = guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/batch" {
			return
		}
		part := httptest.NewRequestWithContext(r.Context(), http.MethodGet, "/part", nil)
		part.Header = nil
		if r.Header.Get("X-Part") != "" {
			part.Header = r.Header.Clone()
			part.Header.Set("Authorization", "Bearer "+r.Header.Get("X-Part"))
		}
		chain.ServeHTTP(w, part)
	}))
	for part, want := range map[string]int{"": 401, "sk_another_0123456789": 401, knownKey: 200} {
		request := httptest.NewRequest(http.MethodGet, "/batch", nil)
		request.Header.Set("Authorization", "Bearer "+knownKey)
		request.Header.Set("X-Part", part)
		answer := httptest.NewRecorder()
		chain.ServeHTTP(answer, request)
		if answer.Code != want {
			t.Errorf("a part with the key %q is answered %d", part, answer.Code)
		}
	}
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 5000 {
		if is() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%s: it does not come", what)
}
