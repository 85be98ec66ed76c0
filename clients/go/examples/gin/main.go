// Command gin is an API that is guarded with keysvc, on Gin.
//
//	KEYSVC_PROJECT_KEY=... KEYSVC_API_ID=api_... go run ./examples/gin
package main

import (
	"log"
	"net/http"
	"os"

	"github.com/gin-gonic/gin"

	"github.com/keysvc/keysvc-go"
	"github.com/keysvc/keysvc-go/keysvcgin"
)

func main() {
	guard, err := keysvcgin.New(keysvc.MiddlewareOptions{APIID: os.Getenv("KEYSVC_API_ID")})
	if err != nil {
		log.Fatal(err)
	}
	engine := gin.Default()
	engine.Use(guard) // After gin.Default's recovery, so that a panic is recorded as 500.
	engine.GET("/things/:id", func(c *gin.Context) {
		if decision, has := c.Value(keysvc.ContextDecisionKey).(*keysvc.VerificationResult); has {
			c.Header("X-Consumer", decision.Consumer.ID)
		}
		c.String(http.StatusOK, "thing %s\n", c.Param("id"))
	})
	log.Fatal(engine.Run("127.0.0.1:3000"))
}
