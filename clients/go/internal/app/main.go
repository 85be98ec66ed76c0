// Command app is an application behind the middleware, for tests against the real service from outside.
//
// It reads its settings as one line of JSON, serves each server on a port of its own, and writes their ports as one line of
// JSON. At the end of its input it stops serving, sends the events that wait, and writes how many were dropped. What OnError
// is told goes to standard error.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/keysvc/keysvc-go"
)

const stopTimeout = 10 * time.Second

// settings is what the tests ask for.
type settings struct {
	BaseURL    string   `json:"baseURL"`
	ProjectKey string   `json:"projectKey"`
	TimeoutMs  int      `json:"timeoutMs"`
	Servers    []server `json:"servers"`
}

// server is one application: a framework, and the options of its middleware.
type server struct {
	Name    string  `json:"name"`
	Adapter string  `json:"adapter"`
	Options options `json:"options"`
}

// options are those of keysvc.MiddlewareOptions that the tests set, by the names that docs/middleware.md gives them.
type options struct {
	APIID                  string   `json:"apiId"`
	Mode                   string   `json:"mode"`
	KeyLocation            string   `json:"keyLocation"`
	KeyName                string   `json:"keyName"`
	KeyScheme              string   `json:"keyScheme"`
	FailureMode            string   `json:"failureMode"`
	ExcludePaths           []string `json:"excludePaths"`
	CaptureQueryParams     bool     `json:"captureQueryParams"`
	CaptureRequestHeaders  bool     `json:"captureRequestHeaders"`
	CaptureResponseHeaders bool     `json:"captureResponseHeaders"`
	CaptureResponseBody    bool     `json:"captureResponseBody"`
	CaptureClientIP        bool     `json:"captureClientIP"`
}

var (
	modes     = map[string]keysvc.MiddlewareMode{"": keysvc.ModeBoth, "both": keysvc.ModeBoth, "validate": keysvc.ModeValidate, "ingest": keysvc.ModeIngest}
	locations = map[string]keysvc.KeyLocation{"": keysvc.KeyInHeader, "header": keysvc.KeyInHeader, "query": keysvc.KeyInQuery, "cookie": keysvc.KeyInCookie}
	schemes   = map[string]keysvc.KeyScheme{"raw": keysvc.KeyRaw, "bearer": keysvc.KeyBearer}
	failures  = map[string]keysvc.FailureMode{"": keysvc.FailureClosed, "closed": keysvc.FailureClosed, "open": keysvc.FailureOpen}
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	input := bufio.NewReader(in)
	line, err := input.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("no settings: %w", err)
	}
	var wanted settings
	if err := json.Unmarshal(line, &wanted); err != nil {
		return err
	}
	ports := map[string]int{}
	var running []*application
	for _, one := range wanted.Servers {
		app, err := start(wanted, one)
		if err != nil {
			return fmt.Errorf("%s: %w", one.Name, err)
		}
		running = append(running, app)
		ports[one.Name] = app.port
	}
	if err := json.NewEncoder(out).Encode(ports); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, input); err != nil {
		return err
	}
	return end(running, out)
}

// application is a server that runs, with a client of its own.
type application struct {
	port   int
	client *keysvc.Client
	stop   func(context.Context) error
}

func start(wanted settings, one server) (*application, error) {
	timeout := time.Duration(wanted.TimeoutMs) * time.Millisecond
	client, err := keysvc.NewClient(keysvc.ClientOptions{
		ProjectKey: wanted.ProjectKey, BaseURL: wanted.BaseURL, Timeout: timeout, OnError: report,
	})
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	stop, err := serve(one.Adapter, one.Options.forClient(client, timeout), listener)
	if err != nil {
		return nil, err
	}
	return &application{port: listener.Addr().(*net.TCPAddr).Port, client: client, stop: stop}, nil
}

// end stops each server before its client, so that no event comes too late, and all of them at the same time.
func end(running []*application, out io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	problems := make([]error, len(running))
	var stopping sync.WaitGroup
	for i, app := range running {
		stopping.Go(func() { problems[i] = errors.Join(app.stop(ctx), app.client.Close(ctx)) })
	}
	stopping.Wait()
	var dropped uint64
	for _, app := range running {
		dropped += app.client.Dropped()
	}
	return errors.Join(append(problems, json.NewEncoder(out).Encode(map[string]uint64{"dropped": dropped}))...)
}

func report(event keysvc.MiddlewareErrorEvent) {
	fmt.Fprintf(os.Stderr, "%s %s %s: %v\n", event.Operation, event.Method, event.Path, event.Err)
}

func (o options) forClient(client keysvc.ClientAPI, timeout time.Duration) keysvc.MiddlewareOptions {
	return keysvc.MiddlewareOptions{
		Client:                 client,
		APIID:                  o.APIID,
		Mode:                   modes[o.Mode],
		KeyLocation:            locations[o.KeyLocation],
		KeyName:                o.KeyName,
		KeyScheme:              schemes[o.KeyScheme],
		FailureMode:            failures[o.FailureMode],
		ExcludePaths:           o.ExcludePaths,
		CaptureQueryParams:     o.CaptureQueryParams,
		CaptureRequestHeaders:  o.CaptureRequestHeaders,
		CaptureResponseHeaders: o.CaptureResponseHeaders,
		CaptureResponseBody:    o.CaptureResponseBody,
		CaptureClientIP:        o.CaptureClientIP,
		Timeout:                timeout,
		OnError:                report,
	}
}
