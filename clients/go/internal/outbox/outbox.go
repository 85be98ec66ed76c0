// Package outbox sends items in batches, beside the requests that they come from.
package outbox

import (
	"context"
	"sync"
	"time"
)

// Settings of an outbox. All are required.
type Settings[Item any] struct {
	// CapacityMax is how many items may wait.
	CapacityMax int
	// BatchMax is how many items are sent at once.
	BatchMax int
	// Wait is how long the first item of a batch waits for others.
	Wait time.Duration
	// ReportPause is the shortest time between two reports of dropped items.
	ReportPause time.Duration
	// Send sends a batch. It is called by one goroutine at a time, and ends when its context does.
	Send func(context.Context, []Item) error
	// OnDrop is told how many items were dropped because the outbox was full. It is called by the worker.
	OnDrop func(count uint64)
}

// Outbox is a bounded queue with one worker, which begins with the first item and ends when nothing is left.
type Outbox[Item any] struct {
	settings Settings[Item]
	// nudge wakes the worker before its time: the batch is full, or somebody waits for it.
	nudge chan struct{}

	mutex     sync.Mutex
	waiting   []Item
	isRunning bool
	isClosed  bool
	// ended is closed when the worker that runs ends, and giveUp makes it do so.
	ended  chan struct{}
	giveUp context.CancelFunc
	// progress is closed and made anew after each batch.
	progress chan struct{}
	// taken and settled count items from the beginning: those that were let in, and those that were sent or given up.
	taken, settled uint64
	// hurriedTo is up to which item somebody waits.
	hurriedTo  uint64
	dropped    uint64
	unreported uint64
	reportedAt time.Time
	// failure is of the last batch that failed, whose last item was failedAt.
	failure  error
	failedAt uint64
}

// New makes an outbox. It has no goroutine until there is an item.
func New[Item any](settings Settings[Item]) *Outbox[Item] {
	return &Outbox[Item]{
		settings: settings,
		nudge:    make(chan struct{}, 1),
		progress: make(chan struct{}),
	}
}

// Offer lets an item in and never waits. False: it was dropped, because the outbox is full or closed.
func (o *Outbox[Item]) Offer(item Item) bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.isClosed {
		o.dropped++
		return false
	}
	if len(o.waiting) >= o.settings.CapacityMax {
		o.dropped++
		o.unreported++
		return false
	}
	o.waiting = append(o.waiting, item)
	o.taken++
	if !o.isRunning {
		o.start()
	} else if len(o.waiting) == o.settings.BatchMax {
		o.wake()
	}
	return true
}

func (o *Outbox[Item]) start() {
	ctx, giveUp := context.WithCancel(context.Background())
	o.isRunning, o.ended, o.giveUp = true, make(chan struct{}), giveUp
	go o.work(ctx, giveUp, o.ended)
}

// Dropped counts the items that were not let in, or were given up by Close.
func (o *Outbox[Item]) Dropped() uint64 {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.dropped
}

// Flush sends what waits now, and gives the error of the last batch that could not be sent. It ends when its context does.
func (o *Outbox[Item]) Flush(ctx context.Context) error {
	o.mutex.Lock()
	target, before := o.taken, o.settled
	o.hurriedTo = max(o.hurriedTo, target)
	o.mutex.Unlock()
	o.wake()
	for {
		o.mutex.Lock()
		isDone, progress := o.settled >= target, o.progress
		var failure error
		if o.failedAt > before {
			failure = o.failure
		}
		o.mutex.Unlock()
		if isDone {
			return failure
		}
		select {
		case <-progress:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// closeGrace is how much longer than its context Close waits for a worker that was told to end.
const closeGrace = time.Second

// Close lets nothing more in, sends what waits, and ends the worker. When its context ends, what is left is given up and
// counted as dropped. The worker has ended then, unless Send or OnDrop do not return within a second. It may be called again.
func (o *Outbox[Item]) Close(ctx context.Context) error {
	o.mutex.Lock()
	o.isClosed = true
	ended, giveUp, isRunning := o.ended, o.giveUp, o.isRunning
	o.mutex.Unlock()
	err := o.Flush(ctx)
	if !isRunning {
		return err
	}
	select {
	case <-ended:
		return err
	case <-ctx.Done():
	}
	giveUp()
	grace := time.NewTimer(closeGrace)
	defer grace.Stop()
	select {
	case <-ended:
	case <-grace.C:
	}
	return err
}

func (o *Outbox[Item]) wake() {
	select {
	case o.nudge <- struct{}{}:
	default:
	}
}
