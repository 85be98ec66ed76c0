// Package keysvcfiber guards the routes of a Fiber v3 application with keysvc.
package keysvcfiber

import (
	"errors"
	"unsafe"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/utils/v2"

	"github.com/keysvc/keysvc-go"
	"github.com/keysvc/keysvc-go/internal/bridge"
	"github.com/keysvc/keysvc-go/internal/percent"
)

// New makes middleware for Fiber v3. An error is a keysvc.ErrConfiguration, and names each field at fault.
//
// A handler finds the verdict under keysvc.ContextDecisionKey in c.Locals, and by keysvc.DecisionFromContext in c itself and
// in c.Context(). MiddlewareRequest.Raw is the fiber.Ctx; the other fields are copies that stay as they are. The caller's
// address is that of c.IP: set the application's trusted proxies.
//
// Register it for every target, by app.Use("*", guard). Fiber also serves targets that begin with no slash, such as "GET xv1/things":
// its catch-all routes take them, and middleware that is registered without a path does not see them.
//
// An error that a handler returns goes on unchanged; what is recorded is the status that Fiber's own error handler gives it,
// without headers and body. A streamed answer is recorded when the handler returns, before it is sent, and its body is not
// looked at. Register Fiber's recover middleware before this one: a panic that nobody recovers ends the process, and the events
// that wait with it.
func New(options keysvc.MiddlewareOptions) (fiber.Handler, error) {
	engine, err := bridge.Open(options)
	if err != nil {
		return nil, err
	}
	if engine == nil {
		return func(c fiber.Ctx) error { return c.Next() }, nil
	}
	wants := engine.Wants()
	return func(c fiber.Ctx) error { return handle(c, engine, wants) }, nil
}

// Must is [New] for options that are known to be right. It panics with the error when they are not.
func Must(options keysvc.MiddlewareOptions) fiber.Handler {
	middleware, err := New(options)
	if err != nil {
		panic(err)
	}
	return middleware
}

func handle(c fiber.Ctx, engine bridge.Engine, wants bridge.Wants) error {
	// Not a copy, because it is not kept.
	sentPath := utils.UnsafeString(c.RequestCtx().URI().PathOriginal())
	if engine.Bypasses(c.Method(), percent.Decode(sentPath), sentPath) {
		return c.Next()
	}
	if engine.Passed(c.Context(), identityOf(c)) {
		return c.Next()
	}
	if isTooLarge(c) {
		return nil
	}
	call := engine.Begin(c.Context(), describe(c, wants))
	if call.IsSkipped() {
		return c.Next()
	}
	if denial := call.Denial(); denial != nil {
		defer call.End(c.Context(), bridge.Answer{})
		return answer(c, denial)
	}
	if decision := call.Decision(); decision != nil {
		c.Locals(keysvc.ContextDecisionKey, decision)
	}
	if failure := call.Failure(); failure != nil {
		c.Locals(keysvc.ContextErrorKey, failure)
	}
	c.SetContext(call.Context(c.Context()))
	if !wants.Event {
		return c.Next()
	}
	return record(c, call, wants)
}

// mark is in the locals of a request that has been looked at. It is not empty, so that each has an address of its own: those of
// Fiber's contexts come again.
type mark struct{ _ byte }

type markKey struct{}

func identityOf(c fiber.Ctx) unsafe.Pointer {
	made, _ := c.Locals(markKey{}).(*mark)
	return unsafe.Pointer(made)
}

func keepIdentity(c fiber.Ctx) unsafe.Pointer {
	if identityOf(c) == nil {
		c.Locals(markKey{}, &mark{})
	}
	return identityOf(c)
}

// isTooLarge tells whether Fiber has not read the request. It runs middleware for such a one too, and answers it with its own
// error afterwards: nobody is to be charged for that, and no other handler to see it.
func isTooLarge(c fiber.Ctx) bool {
	return !c.Request().IsBodyStream() && c.Request().Header.ContentLength() > c.App().Config().BodyLimit
}

func answer(c fiber.Ctx, denial *bridge.Denial) error {
	for name, values := range denial.Header {
		c.Set(name, values[0]) // None has more than one.
	}
	return c.Status(denial.Status).Send(denial.Body)
}

// record runs the rest of the chain, and records also when it panics. The panic goes on by itself.
func record(c fiber.Ctx, call bridge.Call, wants bridge.Wants) (err error) {
	hasReturned := false
	defer func() {
		if err != nil || !hasReturned {
			wants.Header, wants.BodyBytes = false, 0 // Fiber's error handler makes another answer.
		}
		answer := observe(c, wants)
		answer.Panicked = !hasReturned
		answer.Status = statusOf(c, err)
		call.End(c.Context(), answer)
	}()
	err = c.Next()
	hasReturned = true
	return err
}

// statusOf gives the status that Fiber's error handler makes of an error, which runs only after us.
func statusOf(c fiber.Ctx, err error) int {
	status := c.Response().StatusCode()
	var known *fiber.Error
	switch {
	case errors.As(err, &known):
		return known.Code
	case err != nil:
		return fiber.StatusInternalServerError
	case c.RequestCtx().Hijacked() && status == fiber.StatusOK:
		return fiber.StatusSwitchingProtocols
	}
	return status
}
