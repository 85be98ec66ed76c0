package keysvcgin

import (
	"bufio"
	"net"
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/keysvc/keysvc-go/internal/bridge"
	"github.com/keysvc/keysvc-go/internal/capture"
)

// writer is Gin's writer, and keeps the headers as they were sent and the beginning of the body.
type writer struct {
	gin.ResponseWriter
	keepsHeader bool
	header      http.Header
	body        capture.Body
	isHijacked  bool
}

func newWriter(inner gin.ResponseWriter, wants bridge.Wants) *writer {
	return &writer{ResponseWriter: inner, keepsHeader: wants.Header, body: capture.NewBody(wants.BodyBytes)}
}

// sentHeader gives the headers as they were sent; nil when they are not wanted. An answer that has not begun is sent with the
// headers that are there now, unless somebody goes on with it.
func (w *writer) sentHeader(goesOn bool) http.Header {
	if w.header == nil && w.keepsHeader && !w.isHijacked && !goesOn {
		return w.Header()
	}
	return w.header
}

func (w *writer) begin() {
	if w.keepsHeader && w.header == nil && !w.isHijacked {
		w.header = w.Header().Clone()
	}
}

func (w *writer) WriteHeaderNow() {
	w.begin()
	w.ResponseWriter.WriteHeaderNow()
}

func (w *writer) Flush() {
	w.begin()
	w.ResponseWriter.Flush()
}

// finalStatus is 101 for a connection that was taken over, of whose status Gin does not know.
func (w *writer) finalStatus() int {
	if status := w.Status(); !w.isHijacked || status != http.StatusOK {
		return status
	}
	return http.StatusSwitchingProtocols
}

// Unwrap lets http.ResponseController find what the writer can do.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *writer) Write(part []byte) (int, error) {
	w.begin()
	count, err := w.ResponseWriter.Write(part)
	if w.body.Wants() {
		w.body.Add(w.Header(), part[:max(0, min(count, len(part)))])
	}
	return count, err
}

func (w *writer) WriteString(part string) (int, error) {
	w.begin()
	count, err := w.ResponseWriter.WriteString(part)
	if w.body.Wants() {
		w.body.Add(w.Header(), []byte(part[:max(0, min(count, len(part)))]))
	}
	return count, err
}

func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	connection, buffer, err := w.ResponseWriter.Hijack()
	w.isHijacked = w.isHijacked || err == nil
	return connection, buffer, err
}
