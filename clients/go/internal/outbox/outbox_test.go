package outbox

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// sink keeps what was sent, and does first what a test says.
type sink struct {
	before func(context.Context) error

	mutex   sync.Mutex
	batches [][]int
	dropped []uint64
}

func (s *sink) outbox() *Outbox[int] {
	return New(Settings[int]{
		CapacityMax: 10, BatchMax: 4, Wait: time.Second, ReportPause: 10 * time.Second,
		Send: func(ctx context.Context, items []int) error {
			if s.before != nil {
				if err := s.before(ctx); err != nil {
					return err
				}
			}
			s.mutex.Lock()
			defer s.mutex.Unlock()
			s.batches = append(s.batches, items)
			return nil
		},
		OnDrop: func(count uint64) {
			s.mutex.Lock()
			defer s.mutex.Unlock()
			s.dropped = append(s.dropped, count)
		},
	})
}

func (s *sink) sent() (items []int, batches int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, batch := range s.batches {
		items = append(items, batch...)
	}
	return items, len(s.batches)
}

func (s *sink) wants(t *testing.T, count, batches int) {
	t.Helper()
	items, sentBatches := s.sent()
	if len(items) != count || sentBatches != batches {
		t.Errorf("%d items in %d batches instead of %d in %d", len(items), sentBatches, count, batches)
	}
	for i, item := range items {
		if item != i {
			t.Errorf("item %d is %d", i, item)
		}
	}
}

// A bubble of synctest ends only when all its goroutines have: each of these tests shows besides that none is left.

func TestItemsWaitASecondForOthersAndTheWorkerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sink sink
		outbox := sink.outbox()
		outbox.Offer(0)
		time.Sleep(999 * time.Millisecond)
		outbox.Offer(1)
		sink.wants(t, 0, 0)
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		sink.wants(t, 2, 1)
		outbox.Offer(2)
		time.Sleep(1001 * time.Millisecond)
		synctest.Wait()
		sink.wants(t, 3, 2)
	})
}

func TestAFullBatchDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sink sink
		outbox := sink.outbox()
		for i := range 4 {
			outbox.Offer(i)
		}
		synctest.Wait()
		sink.wants(t, 4, 1)
	})
}

func TestAFullOutboxDropsTheNewestCountsThemAndTellsOnceInAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := sink{before: func(context.Context) error { time.Sleep(6 * time.Second); return nil }}
		outbox := sink.outbox()
		taken := 0
		for range 40 {
			// 4 are under way, 10 wait, the rest is dropped.
			for outbox.Offer(taken) {
				taken++
			}
			time.Sleep(time.Second)
		}
		if err := outbox.Close(t.Context()); err != nil {
			t.Error(err)
		}
		items, _ := sink.sent()
		if len(items) != taken || outbox.Dropped() != 40 {
			t.Errorf("%d of %d sent, %d dropped", len(items), taken, outbox.Dropped())
		}
		var told uint64
		for _, count := range sink.dropped {
			told += count
		}
		// In 40 seconds and what Close took, at most once in 10.
		if len(sink.dropped) < 2 || len(sink.dropped) > 7 || told > 40 {
			t.Errorf("told %v", sink.dropped)
		}
	})
}

func TestFlushSendsWhatWaitsAtOnceAndGivesTheFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failure := errors.New("failure")
		var failing error
		sink := sink{before: func(context.Context) error { return failing }}
		outbox := sink.outbox()
		for i := range 3 {
			outbox.Offer(i)
		}
		start := time.Now()
		if err := outbox.Flush(t.Context()); err != nil || time.Since(start) != 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		sink.wants(t, 3, 1)
		synctest.Wait()
		failing = failure
		outbox.Offer(3)
		if err := outbox.Flush(t.Context()); !errors.Is(err, failure) {
			t.Errorf("the error is %v", err)
		}
		if err := outbox.Flush(t.Context()); err != nil {
			t.Errorf("an old error came again: %v", err)
		}
	})
}

func TestFlushEndsWithItsContextAndTheItemsAreSentLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := sink{before: func(context.Context) error { time.Sleep(5 * time.Second); return nil }}
		outbox := sink.outbox()
		outbox.Offer(0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := outbox.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		sink.wants(t, 1, 1)
	})
}

func TestCloseSendsAllAndLetsNothingMoreIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sink sink
		outbox := sink.outbox()
		for i := range 10 {
			outbox.Offer(i)
		}
		for range 2 {
			if err := outbox.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		sink.wants(t, 10, 3)
		if outbox.Offer(10) || outbox.Dropped() != 1 {
			t.Errorf("%d dropped", outbox.Dropped())
		}
	})
}

func TestCloseGivesUpWithItsContextCountsWhatIsLeftAndLeavesNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := sink{before: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		outbox := sink.outbox()
		for i := range 10 {
			outbox.Offer(i)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if err := outbox.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
		if outbox.Dropped() != 10 {
			t.Errorf("%d dropped", outbox.Dropped())
		}
	})
}

func TestCloseEndsThoughAWorkerDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		released := make(chan struct{})
		sink := sink{before: func(context.Context) error { <-released; return nil }}
		outbox := sink.outbox()
		outbox.Offer(0)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if err := outbox.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
		close(released)
		synctest.Wait()
		sink.wants(t, 1, 1)
		if outbox.Dropped() != 0 {
			t.Errorf("what was sent after all counts as dropped: %d", outbox.Dropped())
		}
	})
}

func TestEveryItemIsSentOrCountedWhateverHappensAtOnce(t *testing.T) {
	var sink sink
	outbox := sink.outbox()
	var taken sync.Map
	var offering sync.WaitGroup
	for worker := range 8 {
		offering.Go(func() {
			for i := range 2000 {
				if outbox.Offer(worker*2000 + i) {
					taken.Store(worker*2000+i, true)
				}
				if i%100 == 0 {
					_ = outbox.Flush(t.Context())
				}
				if i == 1900 && worker == 0 {
					_ = outbox.Close(t.Context())
				}
			}
		})
	}
	offering.Wait()
	if err := outbox.Close(t.Context()); err != nil {
		t.Error(err)
	}
	items, _ := sink.sent()
	seen := map[int]bool{}
	for _, item := range items {
		if _, wasTaken := taken.Load(item); seen[item] || !wasTaken {
			t.Errorf("item %d was sent twice, or not let in", item)
		}
		seen[item] = true
	}
	if uint64(len(items))+outbox.Dropped() != 16_000 {
		t.Errorf("%d sent, %d dropped", len(items), outbox.Dropped())
	}
}
