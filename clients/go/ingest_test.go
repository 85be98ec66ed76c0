package keysvc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keysvc/keysvc-go"
)

// wire is the service without sockets, which a bubble of synctest cannot wait for.
type wire struct {
	// answer gives status, Retry-After and body for the n-th call; status 0 breaks the connection.
	answer func(n int) (status int, retryAfter, body string)

	mutex   sync.Mutex
	batches [][]map[string]any
	at      []time.Time
	told    []error
}

func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	text, _ := io.ReadAll(request.Body)
	var batch struct{ Events []map[string]any }
	_ = json.Unmarshal(text, &batch)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.batches = append(w.batches, batch.Events)
	w.at = append(w.at, time.Now())
	status, retryAfter, body := 200, "", `{"accepted": 1, "duplicates": 0, "rejected": []}`
	if w.answer != nil {
		status, retryAfter, body = w.answer(len(w.batches))
	}
	if status == 0 {
		return nil, errors.New("broken")
	}
	header := http.Header{}
	if retryAfter != "" {
		header.Set("Retry-After", retryAfter)
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: request}, nil
}

func (w *wire) client(t *testing.T) *keysvc.Client {
	t.Helper()
	client, err := keysvc.NewClient(keysvc.ClientOptions{
		ProjectKey: "project-credential", BaseURL: "http://service", Transport: w,
		OnError: func(event keysvc.MiddlewareErrorEvent) {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			w.told = append(w.told, event.Err)
			panic("in the callback")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func event() keysvc.Event { return keysvc.Event{Method: "GET", Path: "/", StatusCode: 200} }

func TestABatchIsSentAgainWithTheSameIdsAtMostThreeTimes(t *testing.T) {
	for _, status := range []int{0, 429, 500, 503} {
		synctest.Test(t, func(t *testing.T) {
			wire := &wire{answer: func(int) (int, string, string) { return status, "", "" }}
			client := wire.client(t)
			if err := client.Ingest(t.Context(), event()); err != nil {
				t.Fatal(err)
			}
			err := client.Close(t.Context())
			if len(wire.batches) != 3 || err == nil || len(wire.told) != 1 {
				t.Fatalf("%d: sent %d times, error %v, told %v", status, len(wire.batches), err, wire.told)
			}
			for _, batch := range wire.batches {
				if batch[0]["requestId"] == nil || batch[0]["requestId"] != wire.batches[0][0]["requestId"] {
					t.Errorf("%d: the ids are not the same: %v", status, wire.batches)
				}
			}
			if first, second := wire.at[1].Sub(wire.at[0]), wire.at[2].Sub(wire.at[1]); first >= second || first < 100*time.Millisecond {
				t.Errorf("%d: pauses of %v and %v", status, first, second)
			}
		})
	}
}

func TestTheServicesPauseIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &wire{answer: func(n int) (int, string, string) {
			if n == 1 {
				return 503, "7", ""
			}
			return 200, "", `{"accepted": 1}`
		}}
		client := wire.client(t)
		_ = client.Ingest(t.Context(), event())
		if err := client.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		if pause := wire.at[1].Sub(wire.at[0]); pause < 7*time.Second {
			t.Errorf("a pause of %v", pause)
		}
	})
}

func TestWhatTheServiceRefusesIsToldAndNotSentAgain(t *testing.T) {
	for _, one := range []struct {
		status int
		body   string
	}{{400, `{"title": "wrong"}`}, {401, ""}, {200, `{"rejected": [{"index": 0, "message": "statusCode"}]}`}, {200, "no JSON"}} {
		synctest.Test(t, func(t *testing.T) {
			wire := &wire{answer: func(int) (int, string, string) { return one.status, "", one.body }}
			client := wire.client(t)
			_ = client.Ingest(t.Context(), event())
			err := client.Close(t.Context())
			if len(wire.batches) != 1 || len(wire.told) != 1 || !errors.Is(wire.told[0], keysvc.ErrAPI) || !errors.Is(err, keysvc.ErrAPI) {
				t.Errorf("%+v: sent %d times, error %v, told %v", one, len(wire.batches), err, wire.told)
			}
		})
	}
}

func TestABatchThatIsTooLongIsSentInPartsAndOnlyWhatIsTooLongByItselfIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &wire{}
		wire.answer = func(n int) (int, string, string) {
			bytes := 0
			for _, event := range wire.batches[n-1] {
				body, _ := event["requestBody"].(string)
				bytes += len(body)
			}
			if bytes > 1000 {
				return 413, "", ""
			}
			return 200, "", `{"accepted": 1}`
		}
		client := wire.client(t)
		for i := range 20 {
			large := event()
			large.RequestID, large.RequestBody = fmt.Sprint("req_", i), strings.Repeat("x", 400)
			if i == 7 {
				large.RequestBody = strings.Repeat("x", 2000)
			}
			_ = client.Ingest(t.Context(), large)
		}
		err := client.Close(t.Context())
		recorded := map[any]int{}
		for n, batch := range wire.batches {
			if status, _, _ := wire.answer(n + 1); status == 200 {
				for _, event := range batch {
					recorded[event["requestId"]]++
				}
			}
		}
		if len(recorded) != 19 || recorded["req_7"] != 0 || len(wire.told) != 1 || !errors.Is(err, keysvc.ErrAPI) {
			t.Errorf("recorded %v, told %v, error %v", recorded, wire.told, err)
		}
	})
}

func TestALatencyThatIsNoNumberLosesNoBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &wire{}
		client := wire.client(t)
		odd := event()
		odd.LatencyMs = math.NaN()
		_ = client.Ingest(t.Context(), event(), odd, event())
		if err := client.Close(t.Context()); err != nil || len(wire.batches) != 1 || len(wire.batches[0]) != 3 {
			t.Errorf("sent %v, error %v", wire.batches, err)
		}
	})
}

func TestEventsAreSentAHundredAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &wire{}
		client := wire.client(t)
		for range 250 {
			_ = client.Ingest(t.Context(), event())
		}
		if err := client.Close(t.Context()); err != nil {
			t.Error(err)
		}
		sizes := []int{}
		for _, batch := range wire.batches {
			sizes = append(sizes, len(batch))
		}
		if len(sizes) != 3 || sizes[0] != 100 || sizes[1] != 100 || sizes[2] != 50 {
			t.Errorf("batches of %v", sizes)
		}
	})
}

func TestIngestNeverWaitsAndSaysWhatItDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &wire{answer: func(int) (int, string, string) { return 503, "10", "" }}
		client := wire.client(t)
		start, dropped := time.Now(), 0
		for range 3000 {
			if err := client.Ingest(t.Context(), event()); err != nil {
				if !errors.Is(err, keysvc.ErrDropped) {
					t.Fatal(err)
				}
				dropped++
			}
		}
		if time.Since(start) != 0 || dropped == 0 || client.Dropped() != uint64(dropped) {
			t.Errorf("took %v, dropped %d, counted %d", time.Since(start), dropped, client.Dropped())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := client.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("closed with %v after %v", err, time.Since(start))
		}
		if err := client.Ingest(t.Context(), event()); !errors.Is(err, keysvc.ErrDropped) || client.Dropped() != 3001 {
			t.Errorf("after Close: %v, %d dropped", err, client.Dropped())
		}
	})
}

func TestAMiddlewaresOwnClientLeavesNoGoroutineBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		middleware := keysvc.Must(keysvc.MiddlewareOptions{
			ProjectKey: "project-credential", APIID: "api_1", Mode: keysvc.ModeIngest, BaseURL: "http://127.0.0.1:1",
		})
		serve(middleware(http.HandlerFunc(ok)), withKey("GET", "/"))
		time.Sleep(time.Minute) // The bubble fails when a goroutine is left.
	})
}
