package keysvcfiber

import (
	"iter"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/gofiber/fiber/v3"

	"github.com/keysvc/keysvc-go/internal/bridge"
	"github.com/keysvc/keysvc-go/internal/capture"
)

// describe copies everything, because Fiber uses the memory of a request again for the next ones, while events still wait.
func describe(c fiber.Ctx, wants bridge.Wants) bridge.Request {
	inner := c.RequestCtx()
	header := headerOf(inner.Request.Header.All())
	header.Del(fiber.HeaderHost)
	request := bridge.Request{
		Method:   strings.Clone(c.Method()),
		Path:     string(inner.URI().PathOriginal()),
		RawQuery: string(inner.URI().QueryString()),
		Host:     string(inner.Host()),
		Header:   header,
		Raw:      c,
		Identity: keepIdentity(c),
	}
	if wants.ClientIP {
		request.ClientIP = strings.Clone(c.IP())
	}
	return request
}

// observe looks at the answer. It never touches the body of a stream: to read it would hold it back.
func observe(c fiber.Ctx, wants bridge.Wants) bridge.Answer {
	answer := bridge.Answer{Route: strings.Clone(c.Route().Path)}
	response := c.Response()
	wantsBody := wants.BodyBytes > 0 && c.Method() != fiber.MethodHead && !response.IsBodyStream()
	if !wants.Header && !wantsBody {
		return answer
	}
	header := headerOf(response.Header.All())
	if wants.Header {
		answer.Header = header
	}
	if wantsBody {
		body := capture.NewBody(wants.BodyBytes)
		body.Add(header, response.Body())
		answer.Body = body.Kept()
	}
	return answer
}

func headerOf(all iter.Seq2[[]byte, []byte]) http.Header {
	header := http.Header{}
	for name, value := range all {
		key := textproto.CanonicalMIMEHeaderKey(string(name))
		header[key] = append(header[key], string(value))
	}
	return header
}
