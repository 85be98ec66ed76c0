package streams_test

import (
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

// healthOrName has a route that is excluded, and one with a parameter that is guarded.
func healthOrName() map[string]func(*http.Request) (int, string) {
	options := keysvc.MiddlewareOptions{APIID: "api_1", Client: &client{}, ExcludePaths: []string{"/health", "/public/*"}}
	inner := func(what string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, what) })
	}
	mux := http.NewServeMux()
	mux.Handle("/health", inner("health"))
	mux.Handle("/{name}", inner("name"))
	served := map[string]http.Handler{"nethttp": keysvc.Must(options)(mux)}
	for name, change := range map[string]func(*gin.Engine){
		"gin":                   func(*gin.Engine) {},
		"gin, UseRawPath":       func(engine *gin.Engine) { engine.UseRawPath = true },
		"gin, UseEscapedPath":   func(engine *gin.Engine) { engine.UseEscapedPath = true },
		"gin, RemoveExtraSlash": func(engine *gin.Engine) { engine.RemoveExtraSlash, engine.RedirectFixedPath = true, true },
	} {
		engine := gin.New()
		change(engine)
		engine.Use(keysvcgin.Must(options))
		engine.GET("/health", gin.WrapH(inner("health")))
		engine.GET("/:name", gin.WrapH(inner("name")))
		served[name] = engine
	}
	for name, config := range map[string]echo.RouterConfig{"echo": {}, "echo, escaped": {UseEscapedPathForMatching: true}} {
		engine := echo.NewWithConfig(echo.Config{Router: echo.NewRouter(config)})
		engine.Use(keysvcecho.Must(options))
		engine.GET("/health", echo.WrapHandler(inner("health")))
		engine.GET("/:name", echo.WrapHandler(inner("name")))
		served[name] = engine
	}
	answers := map[string]func(*http.Request) (int, string){}
	for name, handler := range served {
		answers[name] = func(request *http.Request) (int, string) {
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, request)
			return answer.Code, answer.Body.String()
		}
	}
	for name, config := range map[string]fiber.Config{
		"fiber": {}, "fiber, unescaped": {UnescapePath: true}, "fiber, strict": {CaseSensitive: true, StrictRouting: true},
	} {
		app := fiber.New(config)
		app.Use(keysvcfiber.Must(options))
		app.Get("/health", func(c fiber.Ctx) error { return c.SendString("health") })
		app.Get("/:name", func(c fiber.Ctx) error { return c.SendString("name") })
		answers[name] = func(request *http.Request) (int, string) {
			response, err := app.Test(request)
			if err != nil {
				return 0, err.Error()
			}
			body, _ := io.ReadAll(response.Body)
			return response.StatusCode, string(body)
		}
	}
	return answers
}

func TestNoSpellingOfAnExcludedPathReachesAGuardedRoute(t *testing.T) {
	for name, ask := range healthOrName() {
		if status, body := ask(httptest.NewRequest(http.MethodGet, "/health", nil)); status != 200 || body != "health" {
			t.Errorf("%s: /health is %d %s", name, status, body)
		}
		for _, target := range []string{
			"/%68ealth", "/healt%68", "/health%2F", "/%2Fhealth", "//health", "/health/", "/./health", "/x/../health", "/HEALTH",
			"/health%00", "/health%20", "/health;x=1", "/public%2Fx", "/publi%63%2fx", "/health%3Fx", "/health%23", "http://host/%68ealth",
			"//host/health", "/public/%2e%2e", "/public/..", "/.%2fhealth", "/public%2Fx|", "/public%2Fé", "/publi%63%2f\"",
		} {
			if status, body := ask(httptest.NewRequest(http.MethodGet, target, nil)); body == "name" {
				t.Errorf("%s: %s passes to a guarded route, %d", name, target, status)
			}
		}
	}
}
