package keysvc

// VerificationResult is a verdict of the service about a key.
type VerificationResult struct {
	// Reason is the verdict's code: ReasonValid, or why not.
	Reason Reason
	// RequestID is the id of the validation. The event of the request has the same.
	RequestID string
	// KeyID is the key's id; empty when the key was not found.
	KeyID string
	// APIID is the API that was asked about.
	APIID string
	// Consumer owns the key; nil when the key was not found.
	Consumer *Consumer
	// CreditsRemaining is what is left after this verdict; nil: unlimited, or the key was not found.
	CreditsRemaining *int64
	// CreditsLimit is the size of the pool; nil: unlimited, or the key was not found.
	CreditsLimit *int64
	// Credits is the pool after this verdict; nil: unlimited, or the key was not found.
	Credits *Credits
	// RateLimit is the consumer's rate limit after this verdict; nil: none, or the key was not found.
	RateLimit *RateLimit
	// RetryAfterSeconds is when a denied call may pass; nil when that is not known.
	RetryAfterSeconds *int64
}

// Allowed tells whether the key is valid: the request may be served, and was charged.
func (r *VerificationResult) Allowed() bool { return r != nil && r.Reason == ReasonValid }

// Consumer is the customer that owns a key.
type Consumer struct {
	// ID has the form consumer_<id>.
	ID string `json:"consumerId"`
	// Name is empty when it is not set.
	Name string `json:"name"`
	// ExternalID is the project owner's own identifier; empty when it is not set.
	ExternalID string `json:"externalId"`
	// PlanID has the form plan_<id>; empty when there is no plan.
	PlanID string `json:"planId"`
	// Metadata is data of the project owner's own.
	Metadata map[string]any `json:"metadata"`
	// Tags are the consumer's labels.
	Tags []string `json:"tags"`
}

// Credits is a consumer's pool after a verdict.
type Credits struct {
	// Limit is the size of the pool.
	Limit int64 `json:"limit"`
	// Used counts credits used, overage included.
	Used int64 `json:"used"`
	// Remaining is what is left, never below 0.
	Remaining int64 `json:"remaining"`
	// OverageUsed counts credits used beyond the pool.
	OverageUsed int64 `json:"overageUsed"`
	// Cost is what this verdict charged.
	Cost int64 `json:"cost"`
	// NextRefillAt is in epoch milliseconds; nil: no refill is due.
	NextRefillAt *int64 `json:"nextRefillAt"`
}

// RateLimit is a consumer's rate limit after a verdict.
type RateLimit struct {
	// Limit is how many calls a window takes.
	Limit int64 `json:"limit"`
	// WindowSeconds is the length of a window.
	WindowSeconds int64 `json:"window"`
	// Remaining is how many calls this window still takes.
	Remaining int64 `json:"remaining"`
	// ResetAt is when the next window begins, in epoch milliseconds.
	ResetAt int64 `json:"resetAt"`
}

// verdict is the answer of /key/validate.
type verdict struct {
	Valid             bool       `json:"valid"`
	Code              Reason     `json:"code"`
	RequestID         string     `json:"requestId"`
	KeyID             string     `json:"keyId"`
	APIID             string     `json:"apiId"`
	Consumer          *Consumer  `json:"consumer"`
	Credits           *Credits   `json:"credits"`
	RateLimit         *RateLimit `json:"rateLimit"`
	RetryAfterSeconds *int64     `json:"retryAfterSeconds"`
}

// result is nil when the answer is no verdict: it has no code, or does not call a valid key valid.
func (v *verdict) result() *VerificationResult {
	if v.Code == "" || v.Code == ReasonValid && !v.Valid {
		return nil
	}
	result := &VerificationResult{
		Reason: v.Code, RequestID: v.RequestID, KeyID: v.KeyID, APIID: v.APIID, Consumer: v.Consumer,
		Credits: v.Credits, RateLimit: v.RateLimit, RetryAfterSeconds: v.RetryAfterSeconds,
	}
	if v.Credits != nil {
		result.CreditsRemaining, result.CreditsLimit = &v.Credits.Remaining, &v.Credits.Limit
	}
	return result
}
