package keysvc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/keysvc/keysvc-go/internal/outbox"
	"github.com/keysvc/keysvc-go/internal/redact"
)

const (
	// Events that may wait.
	waitingMax = 2048
	// Events that are sent at once.
	batchMax = 100
	// How long the first event of a batch waits for others.
	batchWait = time.Second
	// The shortest time between two reports of dropped events.
	dropReportPause = 10 * time.Second
	// How often a batch is sent.
	attemptsMax = 3
	// The pause before the second attempt; it grows fourfold.
	retryPause = 250 * time.Millisecond
	// The service may ask for a longer pause, up to this.
	retryPauseMax = 10 * time.Second
)

// Ingest lets events wait to be sent, and never waits itself. Events without RequestID or Timestamp get them now, so that one
// that is sent twice is recorded once. An error is an [ErrDropped]: some were not let in, because 2,048 wait already or the
// client is closed.
func (c *Client) Ingest(_ context.Context, events ...Event) error {
	dropped := 0
	for _, event := range events {
		if event.Timestamp.IsZero() {
			event.Timestamp = c.now()
		}
		if event.RequestID == "" {
			event.RequestID = newRequestID(c.now(), c.random)
		}
		if !c.outbox.Offer(event) {
			dropped++
		}
	}
	if dropped > 0 {
		return fmt.Errorf("%w: %d of %d, too many wait or the client is closed", ErrDropped, dropped, len(events))
	}
	return nil
}

// Flush sends the events that wait, and returns when they are sent. An error is that of the last batch that could not be
// sent, or of the context: then they are sent later.
func (c *Client) Flush(ctx context.Context) error { return c.outbox.Flush(ctx) }

// Close sends the events that wait, ends the client's goroutine and closes its idle connections. When the context ends before
// that, the events that are left are dropped. Later events are dropped, verdicts can still be asked for. It may be called
// again.
func (c *Client) Close(ctx context.Context) error {
	err := c.outbox.Close(ctx)
	if c.service.ownTransport != nil {
		c.service.ownTransport.CloseIdleConnections()
	}
	return err
}

// Dropped counts the events that were dropped so far: by a full queue, after Close, or by a Close that had no time left.
func (c *Client) Dropped() uint64 { return c.outbox.Dropped() }

func (c *Client) newOutbox() *outbox.Outbox[Event] {
	return outbox.New(outbox.Settings[Event]{
		CapacityMax: waitingMax,
		BatchMax:    batchMax,
		Wait:        batchWait,
		ReportPause: dropReportPause,
		Send: func(ctx context.Context, events []Event) error {
			err := c.send(ctx, events)
			if err != nil {
				tell(c.onError, MiddlewareErrorEvent{Operation: operationIngest, Err: err})
			}
			return err
		},
		OnDrop: func(count uint64) {
			err := fmt.Errorf("%w: %d, too many wait", ErrDropped, count)
			tell(c.onError, MiddlewareErrorEvent{Operation: operationIngest, Err: err})
		},
	})
}

// send sends a batch, again with the same ids where that may help, so that nothing is recorded twice.
func (c *Client) send(ctx context.Context, events []Event) error {
	for attempt := 1; ; attempt++ {
		answer, err := c.service.post(ctx, "/ingest", struct {
			Events []Event `json:"events"`
		}{events})
		if err == nil {
			return rejected(answer)
		}
		if isTooLarge(err) && len(events) > 1 {
			return errors.Join(c.send(ctx, events[:len(events)/2]), c.send(ctx, events[len(events)/2:]))
		}
		if attempt == attemptsMax || !isWorthAnother(err) {
			return fmt.Errorf("%d events were not recorded: %w", len(events), err)
		}
		select {
		case <-time.After(pauseBefore(attempt, err, rand.Float64())):
		case <-ctx.Done():
			return fmt.Errorf("%d events were not recorded: %w", len(events), err)
		}
	}
}

// isTooLarge tells that a batch is longer than the service takes. Parts of it may not be.
func isTooLarge(err error) bool {
	var apiError *APIError
	return errors.As(err, &apiError) && apiError.StatusCode == http.StatusRequestEntityTooLarge
}

// rejected is an error when the service rejected some of the events. The rest is recorded.
func rejected(answer []byte) error {
	var outcome struct {
		Rejected []struct {
			Index   int    `json:"index"`
			Message string `json:"message"`
		} `json:"rejected"`
	}
	if json.Unmarshal(answer, &outcome) != nil {
		return &APIError{StatusCode: http.StatusOK, Message: "the answer to events cannot be read"}
	}
	if len(outcome.Rejected) == 0 {
		return nil
	}
	message := fmt.Sprintf("%d events were rejected, the first because: %s", len(outcome.Rejected), outcome.Rejected[0].Message)
	return &APIError{StatusCode: http.StatusOK, Message: tidyMessage(message)}
}

func isWorthAnother(err error) bool {
	var apiError *APIError
	if errors.As(err, &apiError) {
		return apiError.StatusCode == http.StatusTooManyRequests || apiError.StatusCode >= 500
	}
	return errors.Is(err, ErrTransport) && !errors.Is(err, context.Canceled)
}

// pauseBefore gives the pause after an attempt: between a half and the whole of what it may be, and never shorter than the
// service asks for.
func pauseBefore(attempt int, err error, random float64) time.Duration {
	pause := time.Duration(float64(retryPause<<(2*(attempt-1))) * (1 + random) / 2)
	var apiError *APIError
	if errors.As(err, &apiError) {
		pause = max(pause, min(apiError.retryAfter, retryPauseMax))
	}
	return pause
}

// redactText hides secrets in a text.
func redactText(text string, secrets ...string) string { return redact.Text(text, secrets) }
