package streams_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/gofiber/fiber/v3"
	"github.com/labstack/echo/v5"

	"github.com/keysvc/keysvc-go"
	"github.com/keysvc/keysvc-go/keysvcecho"
	"github.com/keysvc/keysvc-go/keysvcfiber"
	"github.com/keysvc/keysvc-go/keysvcgin"
)

func init() { gin.SetMode(gin.ReleaseMode) }

func withKey() *http.Request {
	request := httptest.NewRequest(http.MethodGet, "/things/7", nil)
	request.Header.Set("Authorization", "Bearer sk_0123456789abcdefghij")
	return request
}

func TestEchosErrorHandlerRunsOnceAndItsStatusIsRecorded(t *testing.T) {
	for _, one := range []struct {
		name    string
		handler echo.HandlerFunc
		status  int
	}{
		{"an error of Echo's", func(*echo.Context) error { return echo.NewHTTPError(418, "tea") }, 418},
		{"one that wraps it", func(*echo.Context) error { return fmt.Errorf("wrapped: %w", echo.NewHTTPError(409, "")) }, 409},
		{"any other error", func(*echo.Context) error { return errors.New("fault") }, 500},
		{"an error after the answer", func(c *echo.Context) error {
			_ = c.String(201, "made")
			return errors.New("fault")
		}, 201},
		{"a status", func(c *echo.Context) error { return c.NoContent(204) }, 204},
	} {
		client, handled := &client{}, 0
		engine := echo.New()
		usual := engine.HTTPErrorHandler
		engine.HTTPErrorHandler = func(c *echo.Context, err error) {
			handled++
			usual(c, err)
		}
		engine.Use(keysvcecho.Must(options(client)))
		engine.GET("/things/:id", one.handler)
		answer := httptest.NewRecorder()
		engine.ServeHTTP(answer, withKey())
		if event := client.next(t); answer.Code != one.status || event.StatusCode != one.status || event.Endpoint != "/things/:id" {
			t.Errorf("%s: answered %d, recorded %+v", one.name, answer.Code, event)
		}
		if handled > 1 {
			t.Errorf("%s: the error handler ran %d times", one.name, handled)
		}
	}
}

func TestAPanicBelowGinsRecoveryIsRecordedAs500(t *testing.T) {
	client := &client{}
	engine := gin.New()
	engine.Use(gin.CustomRecoveryWithWriter(nil, func(c *gin.Context, _ any) { c.AbortWithStatus(500) }), keysvcgin.Must(options(client)))
	engine.GET("/things/:id", func(*gin.Context) { panic("fault") })
	answer := httptest.NewRecorder()
	engine.ServeHTTP(answer, withKey())
	if event := client.next(t); answer.Code != 500 || event.StatusCode != 500 || event.Endpoint != "/things/:id" {
		t.Errorf("answered %d, recorded %+v", answer.Code, event)
	}
}

func TestADeniedRequestStopsGinsChain(t *testing.T) {
	engine := gin.New()
	engine.Use(keysvcgin.Must(options(&client{})))
	engine.GET("/things/:id", func(*gin.Context) { t.Error("the handler ran") })
	answer := httptest.NewRecorder()
	engine.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/things/7", nil))
	if answer.Code != 401 || answer.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("answered %d %v", answer.Code, answer.Header())
	}
}

func TestAdaptersRefuseWrongOptionsAndMustPanics(t *testing.T) {
	wrong := keysvc.MiddlewareOptions{Client: &client{}}
	for name, make := range map[string]func() error{
		"gin":   func() error { _, err := keysvcgin.New(wrong); return err },
		"echo":  func() error { _, err := keysvcecho.New(wrong); return err },
		"fiber": func() error { _, err := keysvcfiber.New(wrong); return err },
	} {
		if err := make(); !errors.Is(err, keysvc.ErrConfiguration) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	for name, must := range map[string]func(){
		"gin":   func() { keysvcgin.Must(wrong) },
		"echo":  func() { keysvcecho.Must(wrong) },
		"fiber": func() { keysvcfiber.Must(wrong) },
	} {
		func() {
			defer func() {
				if err, isError := recover().(error); !isError || !errors.Is(err, keysvc.ErrConfiguration) {
					t.Errorf("%s did not panic with the error", name)
				}
			}()
			must()
		}()
	}
}

func TestAGivenContextReachesResolversAndTheClient(t *testing.T) {
	type key struct{}
	sees := func(ctx context.Context, framework string) {
		if ctx.Value(key{}) != "value" {
			t.Errorf("%s: the context of the request does not reach the resolver", framework)
		}
	}
	for name, serve := range map[string]func(keysvc.MiddlewareOptions, context.Context){
		"nethttp": func(o keysvc.MiddlewareOptions, ctx context.Context) {
			keysvc.Must(o)(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), withKey().WithContext(ctx))
		},
		"gin": func(o keysvc.MiddlewareOptions, ctx context.Context) {
			engine := gin.New()
			engine.Use(keysvcgin.Must(o))
			engine.ServeHTTP(httptest.NewRecorder(), withKey().WithContext(ctx))
		},
		"echo": func(o keysvc.MiddlewareOptions, ctx context.Context) {
			engine := echo.New()
			engine.Use(keysvcecho.Must(o))
			engine.ServeHTTP(httptest.NewRecorder(), withKey().WithContext(ctx))
		},
		"fiber": func(o keysvc.MiddlewareOptions, ctx context.Context) {
			app := fiber.New()
			app.Use(func(c fiber.Ctx) error { c.SetContext(ctx); return c.Next() }, keysvcfiber.Must(o))
			if _, err := app.Test(withKey()); err != nil {
				t.Error(err)
			}
		},
	} {
		asked := 0
		o := options(&client{})
		o.PathResolver = func(ctx context.Context, _ *keysvc.MiddlewareRequest) string { asked++; sees(ctx, name); return "/x" }
		o.ConsumerNameResolver = func(ctx context.Context, _ *keysvc.MiddlewareRequest) string { asked++; sees(ctx, name); return "x" }
		serve(o, context.WithValue(t.Context(), key{}, "value"))
		if asked != 2 {
			t.Errorf("%s: %d resolvers were asked", name, asked)
		}
	}
}
