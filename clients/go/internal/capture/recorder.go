package capture

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// Recorder passes everything on to a writer, and keeps what is to be recorded of the answer.
type Recorder struct {
	inner       http.ResponseWriter
	status      int
	isHijacked  bool
	keepsHeader bool
	header      http.Header
	body        Body
}

// Wants says what is to be kept besides the status.
type Wants struct {
	Header bool
	// BodyBytes is how many bytes of a textual body; 0: none.
	BodyBytes int
}

// Status is what was answered: 200 when the handler did not say, 101 when it took the connection over.
func (r *Recorder) Status() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

// SentHeader is a copy of the headers as they were sent; nil when it was not wanted. An answer that has not begun is sent with
// the headers that are there now, unless somebody goes on with it.
func (r *Recorder) SentHeader(goesOn bool) http.Header {
	if r.header == nil && r.keepsHeader && !r.isHijacked && !goesOn {
		return r.inner.Header()
	}
	return r.header
}

// KeptBody is the beginning of a textual body; empty when it was not wanted.
func (r *Recorder) KeptBody() []byte { return r.body.Kept() }

// Unwrap lets http.ResponseController find what the writer can do.
func (r *Recorder) Unwrap() http.ResponseWriter { return r.inner }

// Header is that of the writer.
func (r *Recorder) Header() http.Header { return r.inner.Header() }

// WriteHeader keeps the first final status. Those below 200 are not final, but 101 is.
func (r *Recorder) WriteHeader(status int) {
	r.begin(status)
	r.inner.WriteHeader(status)
}

// Write passes a part of the body on.
func (r *Recorder) Write(part []byte) (int, error) {
	r.begin(http.StatusOK)
	count, err := r.inner.Write(part)
	r.keep(part[:max(0, min(count, len(part)))])
	return count, err
}

// WriteString does the same with a text, without a copy where the writer needs none.
func (r *Recorder) WriteString(part string) (int, error) {
	r.begin(http.StatusOK)
	count, err := io.WriteString(r.inner, part)
	if r.body.Wants() {
		r.keep([]byte(part[:max(0, min(count, len(part), r.body.bytesMax))]))
	}
	return count, err
}

func (r *Recorder) begin(status int) {
	if r.status != 0 || r.isHijacked || status < 200 && status != http.StatusSwitchingProtocols {
		return
	}
	r.status = status
	if r.keepsHeader {
		r.header = r.inner.Header().Clone()
	}
}

func (r *Recorder) keep(part []byte) {
	if r.body.Wants() {
		r.body.Add(r.inner.Header(), part)
	}
}

func (r *Recorder) flush() error {
	r.begin(http.StatusOK)
	return http.NewResponseController(r.inner).Flush()
}

func (r *Recorder) hijack(inner http.Hijacker) (net.Conn, *bufio.ReadWriter, error) {
	connection, buffer, err := inner.Hijack()
	if err == nil {
		if r.status == 0 {
			r.status = http.StatusSwitchingProtocols
		}
		r.isHijacked = true
	}
	return connection, buffer, err
}

// writes hides ReadFrom, so that io.Copy goes through Write.
type writes struct{ io.Writer }

// readFrom lets the writer read by itself, such as by sendfile, once nothing more is to be kept.
func (r *Recorder) readFrom(inner io.ReaderFrom, source io.Reader) (total int64, err error) {
	r.begin(http.StatusOK)
	if r.body.Wants() {
		limit := int64(r.body.bytesMax - len(r.body.kept))
		total, err = io.Copy(writes{r}, io.LimitReader(source, limit))
		if err != nil || total < limit {
			return total, err
		}
	}
	rest, err := inner.ReadFrom(source)
	return total + rest, err
}
