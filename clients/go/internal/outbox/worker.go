package outbox

import (
	"context"
	"time"
)

func (o *Outbox[Item]) work(ctx context.Context, giveUp context.CancelFunc, ended chan struct{}) {
	defer close(ended)
	defer giveUp()
	for {
		batch := o.next(ctx)
		if batch == nil {
			return
		}
		err := ctx.Err()
		if err == nil {
			err = o.settings.Send(ctx, batch)
		}
		o.settle(len(batch), err, err != nil && ctx.Err() != nil)
		o.report()
	}
}

// next waits for a batch: until it is full, its time has come, or somebody waits for it. None is left when it is nil, and the
// worker counts as ended from then on.
func (o *Outbox[Item]) next(ctx context.Context) []Item {
	timer := time.NewTimer(o.settings.Wait)
	defer timer.Stop()
	for isDue := false; ; {
		o.mutex.Lock()
		count := len(o.waiting)
		if count == 0 {
			o.isRunning = false
			o.mutex.Unlock()
			return nil
		}
		if isDue || count >= o.settings.BatchMax || o.hurriedTo > o.settled {
			count = min(count, o.settings.BatchMax)
			batch := o.waiting[:count:count]
			o.waiting = o.waiting[count:]
			if len(o.waiting) == 0 {
				o.waiting = nil // Lets go of the array, whose items are sent.
			}
			o.mutex.Unlock()
			return batch
		}
		o.mutex.Unlock()
		select {
		case <-timer.C:
			isDue = true
		case <-o.nudge:
		case <-ctx.Done():
			isDue = true
		}
	}
}

func (o *Outbox[Item]) settle(count int, err error, isAborted bool) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.settled += uint64(count)
	if err != nil {
		o.failure, o.failedAt = err, o.settled
	}
	if isAborted {
		o.dropped += uint64(count)
	}
	close(o.progress)
	o.progress = make(chan struct{})
}

func (o *Outbox[Item]) report() {
	o.mutex.Lock()
	count, now := o.unreported, time.Now()
	if count == 0 || !o.reportedAt.IsZero() && now.Sub(o.reportedAt) < o.settings.ReportPause {
		o.mutex.Unlock()
		return
	}
	o.unreported, o.reportedAt = 0, now
	o.mutex.Unlock()
	o.settings.OnDrop(count)
}
