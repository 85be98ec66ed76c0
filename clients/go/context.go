package keysvc

import (
	"context"
	"unsafe"
)

const (
	// ContextDecisionKey is under which the adapters keep the *VerificationResult of a request that was validated, in the
	// framework's own store.
	ContextDecisionKey = "keysvc.decision"
	// ContextErrorKey is under which the adapters keep the error, when FailureOpen let a request through.
	ContextErrorKey = "keysvc.error"
)

// outcomeKey is for contexts that are ours alone.
type outcomeKey struct{}

// outcome is what became of a request in one middleware. It has the decision or the failure, or neither where no key is checked.
type outcome struct {
	engine *engine
	// identity is that of the request: see bridge.Request.
	identity unsafe.Pointer
	decision *VerificationResult
	failure  error
	// outer is of the middleware around this one.
	outer *outcome
}

// told gives the innermost outcome that has something to tell.
func told(ctx context.Context) *outcome {
	found, _ := ctx.Value(outcomeKey{}).(*outcome)
	for ; found != nil; found = found.outer {
		if found.decision != nil || found.failure != nil {
			return found
		}
	}
	return nil
}

// Passed implements bridge.Engine.
func (e *engine) Passed(ctx context.Context, identity unsafe.Pointer) bool {
	if identity == nil {
		return false // Nothing tells it from others.
	}
	found, _ := ctx.Value(outcomeKey{}).(*outcome)
	for ; found != nil; found = found.outer {
		if found.engine == e && found.identity == identity {
			return true
		}
	}
	return false
}

// DecisionFromContext gives the verdict that let a request through. False: it was not validated, because it is excluded, keys
// are not checked, or FailureOpen let it through.
//
// It takes the context of the request, for all frameworks; and *gin.Context and fiber.Ctx themselves.
func DecisionFromContext(ctx context.Context) (*VerificationResult, bool) {
	if found := told(ctx); found != nil {
		return found.decision, found.decision != nil
	}
	decision, ok := ctx.Value(ContextDecisionKey).(*VerificationResult)
	return decision, ok && decision != nil
}

// ValidationErrorFromContext gives the error because of which a request could not be validated, when FailureOpen let it
// through; else nil. It takes the same contexts as [DecisionFromContext].
func ValidationErrorFromContext(ctx context.Context) error {
	if found := told(ctx); found != nil {
		return found.failure
	}
	failure, _ := ctx.Value(ContextErrorKey).(error)
	return failure
}
