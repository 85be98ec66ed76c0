// Command nethttp is an API that is guarded with keysvc, on net/http.
//
//	KEYSVC_PROJECT_KEY=... KEYSVC_API_ID=api_... go run ./examples/nethttp
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/keysvc/keysvc-go"
)

func main() {
	client, err := keysvc.NewClient(keysvc.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	guard, err := keysvc.New(keysvc.MiddlewareOptions{APIID: os.Getenv("KEYSVC_API_ID"), Client: client})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /things/{id}", thing)
	server := &http.Server{Addr: "127.0.0.1:3000", Handler: guard(mux), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := server.ListenAndServe(); err != http.ErrServerClosed {
			log.Fatal(err)
		}
	}()
	log.Printf("serving http://%s", server.Addr)

	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	<-interrupted.Done()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = server.Shutdown(ctx) // First the requests that are under way,
	_ = client.Close(ctx)    // then their events.
}

func thing(w http.ResponseWriter, r *http.Request) {
	if decision, has := keysvc.DecisionFromContext(r.Context()); has && decision.CreditsRemaining != nil {
		w.Header().Set("X-Credits-Remaining", fmt.Sprint(*decision.CreditsRemaining))
	}
	_, _ = fmt.Fprintf(w, "thing %s\n", r.PathValue("id"))
}
