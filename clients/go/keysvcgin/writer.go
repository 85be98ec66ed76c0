package keysvcgin

import (
	"bufio"
	"net"
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/keysvc/keysvc-go/internal/capture"
)

// writer is Gin's writer, and keeps the beginning of the body.
type writer struct {
	gin.ResponseWriter
	body       capture.Body
	isHijacked bool
}

func newWriter(inner gin.ResponseWriter, bodyBytes int) *writer {
	return &writer{ResponseWriter: inner, body: capture.NewBody(bodyBytes)}
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
	count, err := w.ResponseWriter.Write(part)
	if w.body.Wants() {
		w.body.Add(w.Header(), part[:max(0, min(count, len(part)))])
	}
	return count, err
}

func (w *writer) WriteString(part string) (int, error) {
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
