// Command echo is an API that is guarded with keysvc, on Echo v5.
//
//	KEYSVC_PROJECT_KEY=... KEYSVC_API_ID=api_... go run ./examples/echo
package main

import (
	"log"
	"net/http"
	"os"

	"github.com/labstack/echo/v5"

	"github.com/keysvc/keysvc-go"
	"github.com/keysvc/keysvc-go/keysvcecho"
)

func main() {
	guard, err := keysvcecho.New(keysvc.MiddlewareOptions{APIID: os.Getenv("KEYSVC_API_ID")})
	if err != nil {
		log.Fatal(err)
	}
	engine := echo.New()
	engine.Use(guard)
	engine.GET("/things/:id", func(c *echo.Context) error {
		if decision, has := c.Get(keysvc.ContextDecisionKey).(*keysvc.VerificationResult); has {
			c.Response().Header().Set("X-Consumer", decision.Consumer.ID)
		}
		return c.String(http.StatusOK, "thing "+c.Param("id")+"\n")
	})
	log.Fatal(engine.Start("127.0.0.1:3000"))
}
