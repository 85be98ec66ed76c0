package vectors_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/gofiber/fiber/v3"
	"github.com/labstack/echo/v5"

	"github.com/keysvc/keysvc-go"
	"github.com/keysvc/keysvc-go/keysvcecho"
	"github.com/keysvc/keysvc-go/keysvcfiber"
	"github.com/keysvc/keysvc-go/keysvcgin"
)

// application is a guarded one, whose handler does what the case says.
type application struct {
	one    vector
	guard  keysvc.MiddlewareOptions
	hasRun atomic.Bool
}

// adapter starts an application, and says how its framework writes a template and whether it knows it before the handler.
type adapter struct {
	start           func(t *testing.T, app *application, listener net.Listener)
	template        func(route string) string
	knowsRouteFirst bool
}

var adapters = map[string]adapter{
	"nethttp": {start: startNetHTTP, template: func(route string) string { return route }},
	"gin":     {start: startGin, template: withColons, knowsRouteFirst: true},
	"echo":    {start: startEcho, template: withColons, knowsRouteFirst: true},
	"fiber":   {start: startFiber, template: withColons},
}

func withColons(route string) string { return strings.NewReplacer("{", ":", "}", "").Replace(route) }

func serveHTTP(t *testing.T, handler http.Handler, listener net.Listener) {
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
}

func startNetHTTP(t *testing.T, app *application, listener net.Listener) {
	var next http.Handler = http.HandlerFunc(app.serve)
	if route := app.one.Request.Route; route != "" {
		mux := http.NewServeMux()
		mux.Handle(route, next)
		next = mux
	}
	guarded := keysvc.Must(app.guard)(next)
	serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if recover() != nil {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}()
		guarded.ServeHTTP(w, r)
	}), listener)
}

func startGin(t *testing.T, app *application, listener net.Listener) {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	recovering := func(c *gin.Context) {
		defer func() {
			if recover() != nil {
				c.AbortWithStatus(http.StatusInternalServerError)
			}
		}()
		c.Next()
	}
	serve := func(c *gin.Context) {
		stored, isStored := c.Get(keysvc.ContextDecisionKey)
		_, isFailed := c.Get(keysvc.ContextErrorKey)
		app.checkStore(t, c.Request.Context(), stored, isStored, isFailed)
		app.checkStore(t, c, stored, isStored, isFailed)
		app.serve(c.Writer, c.Request)
		c.Writer.WriteHeaderNow()
	}
	engine.Use(recovering, keysvcgin.Must(app.guard))
	if route := app.one.Request.Route; route != "" {
		engine.Handle(app.one.Request.Method, withColons(route), serve)
	} else {
		engine.Use(serve)
	}
	serveHTTP(t, engine, listener)
}

func startEcho(t *testing.T, app *application, listener net.Listener) {
	engine := echo.New()
	recovering := func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) (err error) {
			defer func() {
				if recover() != nil {
					err = echo.NewHTTPError(http.StatusInternalServerError, "")
				}
			}()
			return next(c)
		}
	}
	serve := func(c *echo.Context) error {
		stored := c.Get(keysvc.ContextDecisionKey)
		app.checkStore(t, c.Request().Context(), stored, stored != nil, c.Get(keysvc.ContextErrorKey) != nil)
		app.serve(c.Response(), c.Request())
		return nil
	}
	engine.Use(recovering, keysvcecho.Must(app.guard))
	if route := app.one.Request.Route; route != "" {
		engine.Add(app.one.Request.Method, withColons(route), serve)
	} else {
		engine.Use(func(echo.HandlerFunc) echo.HandlerFunc { return serve })
	}
	serveHTTP(t, engine, listener)
}

func startFiber(t *testing.T, app *application, listener net.Listener) {
	methods := append([]string{}, fiber.DefaultMethods...)
	engine := fiber.New(fiber.Config{ReadBufferSize: 20 << 10, RequestMethods: append(methods, "PROPFIND", "PURGE")})
	engine.Use(func(c fiber.Ctx) (err error) {
		defer func() {
			if recover() != nil {
				err = fiber.ErrInternalServerError
			}
		}()
		return c.Next()
	})
	engine.Use("*", keysvcfiber.Must(app.guard))
	serve := func(c fiber.Ctx) error {
		stored := c.Locals(keysvc.ContextDecisionKey)
		app.checkStore(t, c.Context(), stored, stored != nil, c.Locals(keysvc.ContextErrorKey) != nil)
		app.checkStore(t, c, stored, stored != nil, c.Locals(keysvc.ContextErrorKey) != nil)
		app.serveFiber(c)
		return nil
	}
	if route := app.one.Request.Route; route != "" {
		engine.Add([]string{app.one.Request.Method}, withColons(route), serve)
	} else {
		engine.Use(serve)
	}
	go func() { _ = engine.Listener(listener, fiber.ListenConfig{DisableStartupMessage: true}) }()
	t.Cleanup(func() { _ = engine.Shutdown() })
}

// checkStore holds the framework's own store to the context.
func (a *application) checkStore(t *testing.T, ctx context.Context, stored any, isStored, isFailed bool) {
	decision, has := keysvc.DecisionFromContext(ctx)
	if has != isStored || has && stored.(*keysvc.VerificationResult) != decision {
		t.Errorf("the store has %v, the context %v", stored, decision)
	}
	if isFailed != (keysvc.ValidationErrorFromContext(ctx) != nil) {
		t.Error("store and context do not agree about the failure")
	}
}

func (a *application) serve(w http.ResponseWriter, r *http.Request) {
	status, headers, body := a.answer(r.Context())
	for _, header := range headers {
		w.Header().Add(header[0], header[1])
	}
	w.WriteHeader(status)
	if len(body) > 0 {
		_, _ = w.Write(body)
	}
}

func (a *application) serveFiber(c fiber.Ctx) {
	status, headers, body := a.answer(c.Context())
	for _, header := range headers {
		c.Response().Header.Add(header[0], header[1])
	}
	c.Status(status)
	if len(body) > 0 {
		_ = c.Send(body)
	}
}

// answer is what the handler answers.
func (a *application) answer(ctx context.Context) (status int, headers [][2]string, body []byte) {
	a.hasRun.Store(true)
	handler := a.one.Handler
	switch {
	case handler.Panic:
		panic("the handler")
	case handler.Report:
		return http.StatusOK, [][2]string{{"Content-Type", "application/json"}}, report(ctx)
	}
	status, headers, body = http.StatusOK, [][2]string{{"Content-Type", "text/plain"}}, []byte("ok")
	if handler.Status != 0 {
		status = handler.Status
	}
	if handler.Headers != nil {
		headers = *handler.Headers
	}
	if handler.BodyBase64 != nil {
		body = handler.BodyBase64
	} else if handler.Body != nil {
		body = []byte(*handler.Body)
	}
	return status, headers, body
}

func report(ctx context.Context) []byte {
	var said any
	if decision, has := keysvc.DecisionFromContext(ctx); has {
		fields := map[string]any{
			"allowed": decision.Allowed(), "reason": decision.Reason, "requestId": decision.RequestID,
			"creditsRemaining": decision.CreditsRemaining, "creditsLimit": decision.CreditsLimit,
		}
		if consumer := decision.Consumer; consumer != nil {
			for name, value := range map[string]string{
				"consumerId": consumer.ID, "consumerName": consumer.Name, "externalId": consumer.ExternalID, "planId": consumer.PlanID,
			} {
				if value != "" && name != "planId" {
					fields[name] = value
				}
			}
			if len(consumer.Metadata) > 0 {
				fields["metadata"] = consumer.Metadata
			}
			if len(consumer.Tags) > 0 {
				fields["tags"] = consumer.Tags
			}
		}
		if decision.RequestID == "" {
			delete(fields, "requestId")
		}
		said = fields
	}
	text, _ := json.Marshal(map[string]any{"decision": said, "failed": keysvc.ValidationErrorFromContext(ctx) != nil})
	return text
}
