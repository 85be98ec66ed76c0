package keysvc

import (
	"encoding/json"
	"math"
	"time"
)

// Event is a request that a guarded application served. Method and StatusCode are required, and one of Path and Endpoint;
// everything else may be left unset. An event that breaks a rule of the service is rejected alone, and told to OnError.
type Event struct {
	// RequestID joins the event to a validation, and is recorded once within 24 hours. 1 to 128 visible ASCII characters;
	// Ingest makes one when it is unset.
	RequestID string
	// Timestamp is when the request came; Ingest sets it when it is unset.
	Timestamp time.Time
	// Method is the HTTP method.
	Method string
	// Endpoint is the path without what varies from call to call; when it is unset, the path without its query.
	Endpoint string
	// Path is the path, with its query where that is wanted.
	Path string
	// StatusCode is the HTTP status that was answered, 100 to 599.
	StatusCode int
	// LatencyMs is how long the answer took, in milliseconds.
	LatencyMs float64
	// ClientIP is the caller's address.
	ClientIP string
	// APIKey is the key that the caller presented. Mask it: the service keeps only its end.
	APIKey string
	// APIID is the API that was called.
	APIID string
	// APIName is what the API is called; the name that the project gave it wins.
	APIName string
	// ConsumerID is the consumer that called.
	ConsumerID string
	// ConsumerName is a label; when it is unset, the consumer's own name is shown.
	ConsumerName string
	// Country is the caller's country.
	Country string
	// Region is the caller's region.
	Region string
	// UserAgent is the caller's program.
	UserAgent string
	// RequestBody is kept up to 2,048 bytes.
	RequestBody string
	// ResponseBody is kept up to 2,048 bytes.
	ResponseBody string
	// RequestHeaders is the JSON text of an object, at most 16,384 bytes.
	RequestHeaders string
	// ResponseHeaders is the same of the answer.
	ResponseHeaders string
}

// MarshalJSON writes the event as /ingest takes it. A latency that is no number is left out: JSON has no way to write it, and the
// whole batch would be lost with it.
func (e Event) MarshalJSON() ([]byte, error) {
	latencyMs := &e.LatencyMs
	if math.IsNaN(e.LatencyMs) || math.IsInf(e.LatencyMs, 0) {
		latencyMs = nil
	}
	var timestamp int64
	if !e.Timestamp.IsZero() {
		timestamp = e.Timestamp.UnixMilli()
	}
	return json.Marshal(struct {
		RequestID       string   `json:"requestId,omitempty"`
		Timestamp       int64    `json:"timestamp,omitempty"`
		Method          string   `json:"method"`
		Endpoint        string   `json:"endpoint,omitempty"`
		Path            string   `json:"path,omitempty"`
		StatusCode      int      `json:"statusCode"`
		LatencyMs       *float64 `json:"latencyMs,omitempty"`
		ClientIP        string   `json:"clientIp,omitempty"`
		APIKey          string   `json:"apiKey,omitempty"`
		APIID           string   `json:"apiId,omitempty"`
		APIName         string   `json:"apiName,omitempty"`
		ConsumerID      string   `json:"consumerId,omitempty"`
		ConsumerName    string   `json:"consumerName,omitempty"`
		Country         string   `json:"country,omitempty"`
		Region          string   `json:"region,omitempty"`
		UserAgent       string   `json:"userAgent,omitempty"`
		RequestBody     string   `json:"requestBody,omitempty"`
		ResponseBody    string   `json:"responseBody,omitempty"`
		RequestHeaders  string   `json:"requestHeaders,omitempty"`
		ResponseHeaders string   `json:"responseHeaders,omitempty"`
	}{
		e.RequestID, timestamp, e.Method, e.Endpoint, e.Path, e.StatusCode, latencyMs, e.ClientIP, e.APIKey, e.APIID,
		e.APIName, e.ConsumerID, e.ConsumerName, e.Country, e.Region, e.UserAgent, e.RequestBody, e.ResponseBody,
		e.RequestHeaders, e.ResponseHeaders,
	})
}
