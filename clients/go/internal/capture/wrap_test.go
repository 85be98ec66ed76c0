package capture

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// plain is a writer that can do nothing besides, and keeps what it is told.
type plain struct {
	header   http.Header
	statuses []int
	body     bytes.Buffer
	calls    []string
}

func (p *plain) Header() http.Header            { return p.header }
func (p *plain) WriteHeader(status int)         { p.statuses = append(p.statuses, status) }
func (p *plain) Write(part []byte) (int, error) { return p.body.Write(part) }
func (p *plain) called(name string)             { p.calls = append(p.calls, name) }

type flusher struct{ *plain }

func (f flusher) Flush() { f.called("flush") }

type hijacker struct{ *plain }

func (h hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	h.called("hijack")
	return nil, nil, nil
}

type readerFrom struct{ *plain }

func (r readerFrom) ReadFrom(source io.Reader) (int64, error) {
	r.called("read")
	return r.body.ReadFrom(source)
}

type pusher struct{ *plain }

func (p pusher) Push(string, *http.PushOptions) error { p.called("push"); return nil }

// writers has each of the 16 shapes that a writer can have.
func writers(p *plain) []http.ResponseWriter {
	f, h, r, u := flusher{p}, hijacker{p}, readerFrom{p}, pusher{p}
	return []http.ResponseWriter{
		p, struct {
			http.ResponseWriter
			http.Flusher
		}{p, f}, struct {
			http.ResponseWriter
			http.Hijacker
		}{p, h}, struct {
			http.ResponseWriter
			http.Flusher
			http.Hijacker
		}{p, f, h}, struct {
			http.ResponseWriter
			io.ReaderFrom
		}{p, r}, struct {
			http.ResponseWriter
			http.Flusher
			io.ReaderFrom
		}{p, f, r}, struct {
			http.ResponseWriter
			http.Hijacker
			io.ReaderFrom
		}{p, h, r}, struct {
			http.ResponseWriter
			http.Flusher
			http.Hijacker
			io.ReaderFrom
		}{p, f, h, r}, struct {
			http.ResponseWriter
			http.Pusher
		}{p, u}, struct {
			http.ResponseWriter
			http.Flusher
			http.Pusher
		}{p, f, u}, struct {
			http.ResponseWriter
			http.Hijacker
			http.Pusher
		}{p, h, u}, struct {
			http.ResponseWriter
			http.Flusher
			http.Hijacker
			http.Pusher
		}{p, f, h, u}, struct {
			http.ResponseWriter
			io.ReaderFrom
			http.Pusher
		}{p, r, u}, struct {
			http.ResponseWriter
			http.Flusher
			io.ReaderFrom
			http.Pusher
		}{p, f, r, u}, struct {
			http.ResponseWriter
			http.Hijacker
			io.ReaderFrom
			http.Pusher
		}{p, h, r, u}, struct {
			http.ResponseWriter
			http.Flusher
			http.Hijacker
			io.ReaderFrom
			http.Pusher
		}{p, f, h, r, u},
	}
}

func TestARecordingCanDoExactlyWhatItsWriterCan(t *testing.T) {
	for n := range 16 {
		inner := &plain{header: http.Header{}}
		writer := writers(inner)[n]
		recording := Wrap(writer, Wants{})
		var want []string
		flusher, canFlush := recording.(http.Flusher)
		hijacker, canHijack := recording.(http.Hijacker)
		reader, canRead := recording.(io.ReaderFrom)
		pusher, canPush := recording.(http.Pusher)
		if canFlush != (n&1 != 0) || canHijack != (n&2 != 0) || canRead != (n&4 != 0) || canPush != (n&8 != 0) {
			t.Fatalf("shape %d: %v %v %v %v", n, canFlush, canHijack, canRead, canPush)
		}
		if canPush {
			_ = pusher.Push("/", nil)
			want = append(want, "push")
		}
		if canRead {
			_, _ = reader.ReadFrom(strings.NewReader("body"))
			want = append(want, "read")
		}
		if canFlush {
			flusher.Flush()
			want = append(want, "flush")
		}
		if canHijack {
			_, _, _ = hijacker.Hijack()
			want = append(want, "hijack")
		}
		if strings.Join(inner.calls, " ") != strings.Join(want, " ") {
			t.Errorf("shape %d: %v instead of %v", n, inner.calls, want)
		}
		if recording.Unwrap() != writer {
			t.Errorf("shape %d does not unwrap", n)
		}
	}
}

func TestTheFirstFinalStatusIsTheOneThatCounts(t *testing.T) {
	for _, one := range []struct {
		name   string
		do     func(http.ResponseWriter)
		status int
	}{
		{"nothing at all", func(http.ResponseWriter) {}, 200},
		{"a body alone", func(w http.ResponseWriter) { _, _ = w.Write([]byte("x")) }, 200},
		{"two statuses", func(w http.ResponseWriter) { w.WriteHeader(404); w.WriteHeader(500) }, 404},
		{"early hints", func(w http.ResponseWriter) { w.WriteHeader(103); w.WriteHeader(201) }, 201},
		{"switching protocols", func(w http.ResponseWriter) { w.WriteHeader(101); w.WriteHeader(200) }, 101},
		{"a flush before", func(w http.ResponseWriter) { w.(http.Flusher).Flush(); w.WriteHeader(500) }, 200},
		{"a connection taken over", func(w http.ResponseWriter) { _, _, _ = w.(http.Hijacker).Hijack() }, 101},
		{"one taken over after a status", func(w http.ResponseWriter) { w.WriteHeader(418); _, _, _ = w.(http.Hijacker).Hijack() }, 418},
	} {
		inner := &plain{header: http.Header{}}
		recording := Wrap(writers(inner)[15], Wants{})
		one.do(recording)
		if recording.Status() != one.status {
			t.Errorf("%s: %d instead of %d", one.name, recording.Status(), one.status)
		}
	}
}

func TestABodyIsKeptWhicheverWayItIsWritten(t *testing.T) {
	for name, write := range map[string]func(Recording){
		"Write":       func(w Recording) { _, _ = w.Write([]byte("hello ")); _, _ = w.Write([]byte("world, hello")) },
		"WriteString": func(w Recording) { _, _ = io.WriteString(w, "hello "); _, _ = io.WriteString(w, "world, hello") },
		"ReadFrom":    func(w Recording) { _, _ = w.(io.ReaderFrom).ReadFrom(strings.NewReader("hello world, hello")) },
		"io.Copy":     func(w Recording) { _, _ = io.Copy(w, strings.NewReader("hello world, hello")) },
	} {
		inner := &plain{header: http.Header{"Content-Type": {"text/plain"}}}
		recording := Wrap(writers(inner)[15], Wants{BodyBytes: 11})
		write(recording)
		if string(recording.KeptBody()) != "hello world" || inner.body.String() != "hello world, hello" {
			t.Errorf("%s: kept %q of %q", name, recording.KeptBody(), inner.body.String())
		}
	}
}

func TestHeadersAreThoseThatWereSent(t *testing.T) {
	inner := &plain{header: http.Header{"X-Before": {"1"}}}
	recording := Wrap(inner, Wants{Header: true})
	recording.WriteHeader(200)
	recording.Header().Set("X-After", "1")
	if sent := recording.SentHeader(false); sent.Get("X-Before") != "1" || sent.Get("X-After") != "" {
		t.Errorf("kept %v", sent)
	}
}

func TestOnlyTextualBodiesAreKept(t *testing.T) {
	for contentType, want := range map[string]bool{
		"text/plain": true, "TEXT/HTML; charset=UTF-8": true, "application/json": true, "application/problem+json": true,
		"image/svg+xml": true, "": true,
		"text/event-stream": false, "image/png": false, "application/octet-stream": false, "text/plain; charset=utf-16": false,
		"application/grpc": false, "nonsense": false, ";;;": false,
	} {
		header := http.Header{}
		if contentType != "" {
			header.Set("Content-Type", contentType)
		}
		if got := IsTextual(header, []byte("plain text")); got != want {
			t.Errorf("%q: %v", contentType, got)
		}
		header.Set("Content-Encoding", "gzip")
		if IsTextual(header, nil) {
			t.Errorf("%q is kept compressed", contentType)
		}
	}
}
