package keysvc

import "context"

const (
	// ContextDecisionKey is under which the adapters keep the *VerificationResult of a request that was validated, in the
	// framework's own store.
	ContextDecisionKey = "keysvc.decision"
	// ContextErrorKey is under which the adapters keep the error, when FailureOpen let a request through.
	ContextErrorKey = "keysvc.error"
)

// outcomeKey is for contexts that are ours alone.
type outcomeKey struct{}

// outcome is what a handler may ask for. It has the decision or the failure.
type outcome struct {
	decision *VerificationResult
	failure  error
}

// DecisionFromContext gives the verdict that let a request through. False: it was not validated, because it is excluded, keys
// are not checked, or FailureOpen let it through.
//
// It takes the context of the request, for all frameworks; and *gin.Context and fiber.Ctx themselves.
func DecisionFromContext(ctx context.Context) (*VerificationResult, bool) {
	if found, ok := ctx.Value(outcomeKey{}).(*outcome); ok {
		return found.decision, found.decision != nil
	}
	decision, ok := ctx.Value(ContextDecisionKey).(*VerificationResult)
	return decision, ok && decision != nil
}

// ValidationErrorFromContext gives the error because of which a request could not be validated, when FailureOpen let it
// through; else nil. It takes the same contexts as [DecisionFromContext].
func ValidationErrorFromContext(ctx context.Context) error {
	if found, ok := ctx.Value(outcomeKey{}).(*outcome); ok {
		return found.failure
	}
	failure, _ := ctx.Value(ContextErrorKey).(error)
	return failure
}
