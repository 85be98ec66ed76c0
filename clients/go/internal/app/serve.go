package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/gofiber/fiber/v3"
	recoverfiber "github.com/gofiber/fiber/v3/middleware/recover"
	"github.com/labstack/echo/v5"

	"github.com/keysvc/keysvc-go"
	"github.com/keysvc/keysvc-go/keysvcecho"
	"github.com/keysvc/keysvc-go/keysvcfiber"
	"github.com/keysvc/keysvc-go/keysvcgin"
)

// headersMax is the size of headers that all four take.
const headersMax = 16 << 10

// serve serves the application by a framework, behind its middleware, and returns how to stop it. A panic is answered with 500
// by what is outside of the middleware.
func serve(adapter string, options keysvc.MiddlewareOptions, listener net.Listener) (func(context.Context) error, error) {
	var handler http.Handler
	var err error
	switch adapter {
	case "nethttp":
		handler, err = netHTTP(options)
	case "gin":
		handler, err = ginEngine(options)
	case "echo":
		handler, err = echoServer(options)
	case "fiber":
		return serveFiber(options, listener)
	default:
		return nil, errors.New("no such adapter")
	}
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: recovering(handler), MaxHeaderBytes: headersMax}
	go server.Serve(listener) //nolint:errcheck // it ends with http.ErrServerClosed
	return server.Shutdown, nil
}

func netHTTP(options keysvc.MiddlewareOptions) (http.Handler, error) {
	guard, err := keysvc.New(options)
	if err != nil {
		return nil, err
	}
	return guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := answerTo(r.Context(), r.URL.Path, r.Header.Get("X-Echo"))
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Echo", said.echo)
		w.Header().Set("Set-Cookie", "session="+said.echo)
		w.WriteHeader(said.status)
		_, _ = io.WriteString(w, said.body)
	})), nil
}

// recovering answers 500 to what panics.
func recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if recover() != nil {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func ginEngine(options keysvc.MiddlewareOptions) (http.Handler, error) {
	gin.SetMode(gin.ReleaseMode)
	guard, err := keysvcgin.New(options)
	if err != nil {
		return nil, err
	}
	engine := gin.New()
	engine.Use(guard)
	engine.Any("/*path", func(c *gin.Context) {
		said := answerTo(c.Request.Context(), c.Request.URL.Path, c.GetHeader("X-Echo"))
		c.Header("X-Echo", said.echo)
		c.Header("Set-Cookie", "session="+said.echo)
		c.Data(said.status, "application/json", []byte(said.body))
	})
	return engine, nil
}

func echoServer(options keysvc.MiddlewareOptions) (http.Handler, error) {
	guard, err := keysvcecho.New(options)
	if err != nil {
		return nil, err
	}
	server := echo.New()
	server.Use(guard)
	server.Any("/*", func(c *echo.Context) error {
		said := answerTo(c.Request().Context(), c.Request().URL.Path, c.Request().Header.Get("X-Echo"))
		c.Response().Header().Set("X-Echo", said.echo)
		c.Response().Header().Set("Set-Cookie", "session="+said.echo)
		return c.Blob(said.status, "application/json", []byte(said.body))
	})
	return server, nil
}

func serveFiber(options keysvc.MiddlewareOptions, listener net.Listener) (func(context.Context) error, error) {
	guard, err := keysvcfiber.New(options)
	if err != nil {
		return nil, err
	}
	app := fiber.New(fiber.Config{ReadBufferSize: headersMax})
	app.Use("*", recoverfiber.New(), guard)
	app.All("/*", func(c fiber.Ctx) error {
		said := answerTo(c.Context(), c.Path(), c.Get("X-Echo"))
		c.Set("X-Echo", said.echo)
		c.Set("Set-Cookie", "session="+said.echo)
		c.Set("Content-Type", "application/json")
		return c.Status(said.status).SendString(said.body)
	})
	go app.Listener(listener, fiber.ListenConfig{DisableStartupMessage: true}) //nolint:errcheck // it ends when it is stopped
	return app.ShutdownWithContext, nil
}
