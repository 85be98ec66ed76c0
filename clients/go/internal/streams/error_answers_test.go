package streams_test

import (
	"encoding/json"
	"errors"
	"io"
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

const contentType = "Content-Type"

// unfinished are handlers that prepare one answer, and leave it to what runs after them to make another.
var unfinished = map[string]func(*testing.T, keysvc.MiddlewareOptions) *http.Response{
	"nethttp, a panic": func(_ *testing.T, o keysvc.MiddlewareOptions) *http.Response {
		guarded := keysvc.Must(o)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(contentType, "image/png")
			panic("fault")
		}))
		return recordedBy(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				_ = recover()
				http.Error(w, "fault", http.StatusInternalServerError)
			}()
			guarded.ServeHTTP(w, r)
		}))
	},
	"gin, no route": func(_ *testing.T, o keysvc.MiddlewareOptions) *http.Response {
		engine := gin.New()
		engine.Use(keysvcgin.Must(o), func(c *gin.Context) { c.Header(contentType, "image/png") })
		return recordedBy(engine)
	},
	"gin, a panic": func(_ *testing.T, o keysvc.MiddlewareOptions) *http.Response {
		engine := gin.New()
		recovery := gin.CustomRecoveryWithWriter(nil, func(c *gin.Context, _ any) { c.String(500, "fault") })
		engine.Use(recovery, keysvcgin.Must(o))
		engine.GET("/things/:id", func(c *gin.Context) {
			c.Header("Content-Encoding", "gzip")
			c.Header("Location", "/elsewhere")
			panic("fault")
		})
		return recordedBy(engine)
	},
	"echo, an error": func(_ *testing.T, o keysvc.MiddlewareOptions) *http.Response {
		engine := echo.New()
		engine.Use(keysvcecho.Must(o))
		engine.GET("/things/:id", func(c *echo.Context) error {
			c.Response().Header().Set(contentType, "image/png")
			return errors.New("fault")
		})
		return recordedBy(engine)
	},
	"fiber, an error": func(t *testing.T, o keysvc.MiddlewareOptions) *http.Response {
		return answeredByFiber(t, o, func(c fiber.Ctx) error {
			_ = c.JSON("half an answer")
			return errors.New("fault")
		})
	},
	"fiber, a panic": func(t *testing.T, o keysvc.MiddlewareOptions) *http.Response {
		return answeredByFiber(t, o, func(c fiber.Ctx) error {
			_ = c.JSON("half an answer")
			panic("fault")
		})
	},
}

func recordedBy(handler http.Handler) *http.Response {
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, withKey())
	return answer.Result()
}

func answeredByFiber(t *testing.T, o keysvc.MiddlewareOptions, handler fiber.Handler) *http.Response {
	t.Helper()
	app := fiber.New()
	app.Use("*", func(c fiber.Ctx) (err error) {
		defer func() {
			if recover() != nil {
				err = fiber.ErrInternalServerError
			}
		}()
		return c.Next()
	}, keysvcfiber.Must(o))
	app.Get("/things/:id", handler)
	answer, err := app.Test(withKey())
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestNeitherHeadersNorBodyAreRecordedOfAnAnswerThatIsMadeAfterTheMiddleware(t *testing.T) {
	for name, run := range unfinished {
		client := &client{}
		answer := run(t, options(client))
		sent, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		event := client.next(t)
		if answer.StatusCode < 400 || event.StatusCode != answer.StatusCode {
			t.Errorf("%s: answered %d, recorded %d", name, answer.StatusCode, event.StatusCode)
		}
		if event.ResponseHeaders != "" || event.ResponseBody != "" {
			t.Errorf("%s: sent %v %q, recorded %s %q", name, answer.Header, sent, event.ResponseHeaders, event.ResponseBody)
		}
	}
}

func TestHeadersAreRecordedAsTheyWereWhenTheHeadWasSent(t *testing.T) {
	beginnings := map[string]func(http.ResponseWriter){
		"a write":  func(w http.ResponseWriter) { _, _ = w.Write([]byte("x")) },
		"a text":   func(w http.ResponseWriter) { _, _ = io.WriteString(w, "x") },
		"a flush":  func(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() },
		"a status": func(w http.ResponseWriter) { w.WriteHeader(http.StatusAccepted) },
	}
	for framework, guard := range frameworks {
		for name, begin := range beginnings {
			client := &client{}
			handler := guard(client, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Early", "1")
				begin(w)
				if now, can := w.(gin.ResponseWriter); can {
					now.WriteHeaderNow()
				}
				w.Header().Set("X-Late", "1")
			})
			handler.ServeHTTP(httptest.NewRecorder(), withKey())
			var recorded map[string]string
			event := client.next(t)
			_ = json.Unmarshal([]byte(event.ResponseHeaders), &recorded)
			if recorded["x-early"] != "1" || recorded["x-late"] != "" {
				t.Errorf("%s, %s: recorded %s", framework, name, event.ResponseHeaders)
			}
		}
	}
}

func TestHeadersOfAnAnswerWithoutABodyAreRecorded(t *testing.T) {
	for framework, guard := range frameworks {
		client := &client{}
		handler := guard(client, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Early", "1") })
		handler.ServeHTTP(httptest.NewRecorder(), withKey())
		if event := client.next(t); event.ResponseHeaders != `{"x-early":"1"}` {
			t.Errorf("%s: recorded %s", framework, event.ResponseHeaders)
		}
	}
}
