package streams_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestAnEventOfAStreamArrivesBeforeTheHandlerGoesOn(t *testing.T) {
	goOn := make(chan struct{})
	each(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		flusher, canFlush := w.(http.Flusher)
		if !canFlush {
			t.Error("the writer cannot flush")
			return
		}
		flusher.Flush()
		<-goOn
		_, _ = io.WriteString(w, "data: 2\n\n")
	}, func(t *testing.T, server *httptest.Server, client *client, isHTTP2 bool) {
		response := get(t, server)
		defer func() { _ = response.Body.Close() }()
		if (response.ProtoMajor == 2) != isHTTP2 {
			t.Fatalf("the protocol is %s", response.Proto)
		}
		reader := bufio.NewReader(response.Body)
		// The handler waits for us: were the first event held back, this would never end.
		if line, err := reader.ReadString('\n'); err != nil || line != "data: 1\n" {
			t.Errorf("read %q, %v", line, err)
		}
		goOn <- struct{}{}
		if rest, _ := io.ReadAll(reader); string(rest) != "\ndata: 2\n\n" {
			t.Errorf("read %q", rest)
		}
		if event := client.next(t); event.StatusCode != 200 || event.ResponseBody != "" {
			t.Errorf("recorded %+v", event)
		}
	})
}

func TestAConnectionThatIsTakenOverIsRecordedAs101(t *testing.T) {
	each(t, func(w http.ResponseWriter, _ *http.Request) {
		hijacker, canHijack := w.(http.Hijacker)
		if !canHijack {
			w.WriteHeader(http.StatusNotImplemented)
			return
		}
		connection, buffer, err := hijacker.Hijack()
		if err != nil {
			w.WriteHeader(http.StatusNotImplemented)
			return
		}
		defer func() { _ = connection.Close() }()
		_, _ = buffer.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n")
		_ = buffer.Flush()
		line, _ := buffer.ReadString('\n')
		_, _ = buffer.WriteString("echo " + line)
		_ = buffer.Flush()
	}, func(t *testing.T, server *httptest.Server, client *client, isHTTP2 bool) {
		if isHTTP2 {
			t.Skip("HTTP/2 has no connections to take over, and Gin panics when it is asked")
		}
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = connection.Close() }()
		_, _ = fmt.Fprint(connection, "GET /stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_0123456789abcdefghij\r\n"+
			"Connection: Upgrade\r\nUpgrade: echo\r\n\r\nhello\n")
		text, _ := io.ReadAll(connection)
		if !strings.HasPrefix(string(text), "HTTP/1.1 101 ") || !strings.HasSuffix(string(text), "\r\n\r\necho hello\n") {
			t.Errorf("read %q", text)
		}
		if event := client.next(t); event.StatusCode != 101 || event.ResponseBody != "" {
			t.Errorf("recorded %+v", event)
		}
	})
}

func TestAResponseControllerReachesTheServersWriter(t *testing.T) {
	each(t, func(w http.ResponseWriter, _ *http.Request) {
		controller := http.NewResponseController(w)
		if err := controller.SetWriteDeadline(time.Now().Add(time.Hour)); err != nil {
			t.Errorf("SetWriteDeadline: %v", err)
		}
		if err := controller.SetReadDeadline(time.Now().Add(time.Hour)); err != nil {
			t.Errorf("SetReadDeadline: %v", err)
		}
		w.WriteHeader(http.StatusAccepted)
		if err := controller.Flush(); err != nil {
			t.Errorf("Flush: %v", err)
		}
		_, _ = io.WriteString(w, "done")
	}, func(t *testing.T, server *httptest.Server, client *client, _ bool) {
		response := get(t, server)
		defer func() { _ = response.Body.Close() }()
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode != 202 || string(body) != "done" {
			t.Errorf("%d %q", response.StatusCode, body)
		}
		if event := client.next(t); event.StatusCode != 202 || event.ResponseBody != "done" {
			t.Errorf("recorded %+v", event)
		}
	})
}

func TestTrailersAndEarlyHintsGoThrough(t *testing.T) {
	each(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "X-End")
		_, _ = io.WriteString(w, "body")
		w.Header().Set("X-End", "1")
	}, func(t *testing.T, server *httptest.Server, client *client, _ bool) {
		response := get(t, server)
		defer func() { _ = response.Body.Close() }()
		_, _ = io.Copy(io.Discard, response.Body)
		if response.Trailer.Get("X-End") != "1" {
			t.Errorf("trailers %v", response.Trailer)
		}
		client.next(t)
	})
}

func TestALargeFileIsSentWholeAndOnlyItsBeginningIsKept(t *testing.T) {
	large := strings.Repeat("0123456789", 100_000)
	each(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(large))
	}, func(t *testing.T, server *httptest.Server, client *client, _ bool) {
		response := get(t, server)
		defer func() { _ = response.Body.Close() }()
		if body, _ := io.ReadAll(response.Body); string(body) != large {
			t.Errorf("%d bytes arrived", len(body))
		}
		if event := client.next(t); event.ResponseBody != large[:1000] {
			t.Errorf("recorded %d characters", len(event.ResponseBody))
		}
	})
}
