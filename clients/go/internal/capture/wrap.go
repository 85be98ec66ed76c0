package capture

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// Recording is a writer that records.
type Recording interface {
	http.ResponseWriter
	Unwrap() http.ResponseWriter
	Status() int
	SentHeader(goesOn bool) http.Header
	KeptBody() []byte
}

// Wrap gives a writer that records, and can do exactly what the inner one can: a handler that asks for http.Flusher,
// http.Hijacker, io.ReaderFrom or http.Pusher gets the same answer as without us. There is a type for each combination; each
// adds one method to another, so that one allocation is enough.
func Wrap(inner http.ResponseWriter, wants Wants) Recording {
	recorder := Recorder{inner: inner, keepsHeader: wants.Header, body: NewBody(wants.BodyBytes)}
	_, canFlush := inner.(http.Flusher)
	_, canHijack := inner.(http.Hijacker)
	_, canRead := inner.(io.ReaderFrom)
	_, canPush := inner.(http.Pusher)
	switch (shape{canFlush, canHijack, canRead, canPush}) {
	case shape{true, true, true, true}:
		return &flushHijackReadPushWriter{flushHijackReadWriter{flushHijackWriter{flushWriter{recorder}}}}
	case shape{true, true, false, true}:
		return &flushHijackPushWriter{flushHijackWriter{flushWriter{recorder}}}
	case shape{true, true, true, false}:
		return &flushHijackReadWriter{flushHijackWriter{flushWriter{recorder}}}
	case shape{true, false, true, true}:
		return &flushReadPushWriter{flushReadWriter{flushWriter{recorder}}}
	case shape{false, true, true, true}:
		return &hijackReadPushWriter{hijackReadWriter{hijackWriter{recorder}}}
	case shape{true, true, false, false}:
		return &flushHijackWriter{flushWriter{recorder}}
	case shape{true, false, false, true}:
		return &flushPushWriter{flushWriter{recorder}}
	case shape{true, false, true, false}:
		return &flushReadWriter{flushWriter{recorder}}
	case shape{false, true, false, true}:
		return &hijackPushWriter{hijackWriter{recorder}}
	case shape{false, true, true, false}:
		return &hijackReadWriter{hijackWriter{recorder}}
	case shape{false, false, true, true}:
		return &readPushWriter{readWriter{recorder}}
	case shape{true, false, false, false}:
		return &flushWriter{recorder}
	case shape{false, true, false, false}:
		return &hijackWriter{recorder}
	case shape{false, false, false, true}:
		return &pushWriter{recorder}
	case shape{false, false, true, false}:
		return &readWriter{recorder}
	}
	return &plainWriter{recorder}
}

// shape is what a writer can do.
type shape struct{ canFlush, canHijack, canRead, canPush bool }

// F: flush, H: hijack, R: read from, P: push; in this order in the names.
type (
	plainWriter               struct{ Recorder }
	flushWriter               struct{ Recorder }
	hijackWriter              struct{ Recorder }
	pushWriter                struct{ Recorder }
	readWriter                struct{ Recorder }
	flushHijackWriter         struct{ flushWriter }
	flushPushWriter           struct{ flushWriter }
	flushReadWriter           struct{ flushWriter }
	hijackPushWriter          struct{ hijackWriter }
	hijackReadWriter          struct{ hijackWriter }
	readPushWriter            struct{ readWriter }
	flushHijackPushWriter     struct{ flushHijackWriter }
	flushHijackReadWriter     struct{ flushHijackWriter }
	flushReadPushWriter       struct{ flushReadWriter }
	hijackReadPushWriter      struct{ hijackReadWriter }
	flushHijackReadPushWriter struct{ flushHijackReadWriter }
)

// Flush begins the answer.
func (w *flushWriter) Flush() { _ = w.flush() }

// FlushError is what http.ResponseController prefers, because Flush hides the error.
func (w *flushWriter) FlushError() error { return w.flush() }

func (w *hijackWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return w.hijack(w.inner.(http.Hijacker)) // Wrap has asked.
}
func (w *flushHijackWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return w.hijack(w.inner.(http.Hijacker)) // Wrap has asked.
}
func (w *readWriter) ReadFrom(source io.Reader) (int64, error) {
	return w.readFrom(w.inner.(io.ReaderFrom), source) // Wrap has asked.
}
func (w *flushReadWriter) ReadFrom(source io.Reader) (int64, error) {
	return w.readFrom(w.inner.(io.ReaderFrom), source) // Wrap has asked.
}
func (w *hijackReadWriter) ReadFrom(source io.Reader) (int64, error) {
	return w.readFrom(w.inner.(io.ReaderFrom), source) // Wrap has asked.
}
func (w *flushHijackReadWriter) ReadFrom(source io.Reader) (int64, error) {
	return w.readFrom(w.inner.(io.ReaderFrom), source) // Wrap has asked.
}
func (w *pushWriter) Push(target string, options *http.PushOptions) error {
	return w.inner.(http.Pusher).Push(target, options) // Wrap has asked.
}
func (w *flushPushWriter) Push(target string, options *http.PushOptions) error {
	return w.inner.(http.Pusher).Push(target, options) // Wrap has asked.
}
func (w *hijackPushWriter) Push(target string, options *http.PushOptions) error {
	return w.inner.(http.Pusher).Push(target, options) // Wrap has asked.
}
func (w *readPushWriter) Push(target string, options *http.PushOptions) error {
	return w.inner.(http.Pusher).Push(target, options) // Wrap has asked.
}
func (w *flushHijackPushWriter) Push(target string, options *http.PushOptions) error {
	return w.inner.(http.Pusher).Push(target, options) // Wrap has asked.
}
func (w *flushReadPushWriter) Push(target string, options *http.PushOptions) error {
	return w.inner.(http.Pusher).Push(target, options) // Wrap has asked.
}
func (w *hijackReadPushWriter) Push(target string, options *http.PushOptions) error {
	return w.inner.(http.Pusher).Push(target, options) // Wrap has asked.
}
func (w *flushHijackReadPushWriter) Push(target string, options *http.PushOptions) error {
	return w.inner.(http.Pusher).Push(target, options) // Wrap has asked.
}
