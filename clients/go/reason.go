package keysvc

// Reason is the code of a verdict. The service may come to know others than those listed here; they are denials.
type Reason string

// The verdicts of the service.
const (
	// ReasonValid lets the request through.
	ReasonValid Reason = "VALID"
	// ReasonNotFound: unknown, malformed, deleted, rotated away, or another project's.
	ReasonNotFound Reason = "NOT_FOUND"
	// ReasonKeyDisabled: the key is switched off.
	ReasonKeyDisabled Reason = "KEY_DISABLED"
	// ReasonKeyExpired: the key has expired.
	ReasonKeyExpired Reason = "KEY_EXPIRED"
	// ReasonConsumerDisabled: the consumer is switched off.
	ReasonConsumerDisabled Reason = "CONSUMER_DISABLED"
	// ReasonConsumerExpired: the consumer has expired.
	ReasonConsumerExpired Reason = "CONSUMER_EXPIRED"
	// ReasonAPINotAllowed: the key may not call the API, or there is no such API.
	ReasonAPINotAllowed Reason = "API_NOT_ALLOWED"
	// ReasonRateLimited: the consumer's rate limit is reached.
	ReasonRateLimited Reason = "RATE_LIMITED"
	// ReasonUsageExceeded: the credits do not cover the cost, or have expired.
	ReasonUsageExceeded Reason = "USAGE_EXCEEDED"
)

// ErrorCode is the code of a denial, as the caller of the guarded application sees it, and the key of
// MiddlewareOptions.ErrorMessages.
type ErrorCode string

// The denials of the middleware. Those of the service have the codes of its verdicts.
const (
	// ErrorCodeMissingKey: the request has no key. Status 401.
	ErrorCodeMissingKey ErrorCode = "MISSING_KEY"
	// ErrorCodeNotFound: the key is not known, or cannot be a key. Status 401.
	ErrorCodeNotFound = ErrorCode(ReasonNotFound)
	// ErrorCodeKeyExpired: the key has expired. Status 401.
	ErrorCodeKeyExpired = ErrorCode(ReasonKeyExpired)
	// ErrorCodeKeyDisabled: the key is switched off. Status 403.
	ErrorCodeKeyDisabled = ErrorCode(ReasonKeyDisabled)
	// ErrorCodeConsumerDisabled: the consumer is switched off. Status 403.
	ErrorCodeConsumerDisabled = ErrorCode(ReasonConsumerDisabled)
	// ErrorCodeConsumerExpired: the consumer has expired. Status 403.
	ErrorCodeConsumerExpired = ErrorCode(ReasonConsumerExpired)
	// ErrorCodeAPINotAllowed: the key may not call the API. Status 403.
	ErrorCodeAPINotAllowed = ErrorCode(ReasonAPINotAllowed)
	// ErrorCodeRateLimited: the rate limit is reached. Status 429, with Retry-After.
	ErrorCodeRateLimited = ErrorCode(ReasonRateLimited)
	// ErrorCodeUsageExceeded: the credits do not cover the cost. Status 429, with Retry-After when a refill is due.
	ErrorCodeUsageExceeded = ErrorCode(ReasonUsageExceeded)
	// ErrorCodeServiceUnavailable: the key could not be checked. Status 503.
	ErrorCodeServiceUnavailable ErrorCode = "SERVICE_UNAVAILABLE"
)
