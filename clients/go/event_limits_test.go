package keysvc_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keysvc/keysvc-go"
)

func TestAConnectionOfMoreThanADayIsRecordedAsOneOfADay(t *testing.T) {
	for lasts, recorded := range map[time.Duration]float64{25 * time.Hour: 86_400_000, 23 * time.Hour: 82_800_000} {
		synctest.Test(t, func(t *testing.T) {
			client := &double{}
			handler := guarded(t, client, keysvc.MiddlewareOptions{}, func(http.ResponseWriter, *http.Request) { time.Sleep(lasts) })
			serve(handler, withKey("GET", "/"))
			if event := client.one(t); event.LatencyMs != recorded {
				t.Errorf("%v: recorded as %v ms", lasts, event.LatencyMs)
			}
		})
	}
}

func TestAStatusAbove599IsRecordedAs599(t *testing.T) {
	for status, recorded := range map[int]int{599: 599, 600: 599, 999: 599} {
		client := &double{}
		handler := guarded(t, client, keysvc.MiddlewareOptions{}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		if answer := serve(handler, withKey("GET", "/")); answer.Code != status {
			t.Errorf("%d: answered %d", status, answer.Code)
		}
		if event := client.one(t); event.StatusCode != recorded {
			t.Errorf("%d: recorded as %d", status, event.StatusCode)
		}
	}
}
