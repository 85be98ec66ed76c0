// Command fiber is an API that is guarded with keysvc, on Fiber v3.
//
//	KEYSVC_PROJECT_KEY=... KEYSVC_API_ID=api_... go run ./examples/fiber
package main

import (
	"log"
	"os"

	"github.com/gofiber/fiber/v3"
	recoverer "github.com/gofiber/fiber/v3/middleware/recover"

	"github.com/keysvc/keysvc-go"
	"github.com/keysvc/keysvc-go/keysvcfiber"
)

func main() {
	guard, err := keysvcfiber.New(keysvc.MiddlewareOptions{APIID: os.Getenv("KEYSVC_API_ID")})
	if err != nil {
		log.Fatal(err)
	}
	app := fiber.New()
	// In this order: a panic that nobody recovers ends the process. For "*": without a path, Fiber leaves out targets that begin
	// with no slash, which its catch-all routes take all the same.
	app.Use("*", recoverer.New(), guard)
	app.Get("/things/:id", func(c fiber.Ctx) error {
		if decision, has := c.Locals(keysvc.ContextDecisionKey).(*keysvc.VerificationResult); has {
			c.Set("X-Consumer", decision.Consumer.ID)
		}
		return c.SendString("thing " + c.Params("id") + "\n")
	})
	log.Fatal(app.Listen("127.0.0.1:3000"))
}
