// Package capture watches a response on its way to the caller, without changing it.
package capture

import (
	"mime"
	"net/http"
	"strings"
)

// Body keeps the beginning of a textual body.
type Body struct {
	bytesMax  int
	isDecided bool
	isWanted  bool
	kept      []byte
}

// NewBody keeps at most so many bytes; none at all when it is 0.
func NewBody(bytesMax int) Body {
	return Body{bytesMax: bytesMax, isDecided: bytesMax <= 0}
}

// Add takes the next part of the body. The headers of the answer decide with the first one.
func (b *Body) Add(header http.Header, part []byte) {
	if len(part) == 0 {
		return
	}
	if !b.isDecided {
		b.isDecided = true
		b.isWanted = IsTextual(header, part)
	}
	if room := b.bytesMax - len(b.kept); b.isWanted && room > 0 {
		b.kept = append(b.kept, part[:min(room, len(part))]...)
	}
}

// Wants tells whether the next part may be of use.
func (b *Body) Wants() bool {
	return !b.isDecided || b.isWanted && len(b.kept) < b.bytesMax
}

// Kept is what was kept.
func (b *Body) Kept() []byte { return b.kept }

// textualTypes are textual besides text/* and the suffixes.
var textualTypes = map[string]bool{
	"application/json": true, "application/ndjson": true, "application/x-ndjson": true, "application/jsonl": true,
	"application/xml": true, "application/yaml": true, "application/x-yaml": true, "application/javascript": true,
	"application/x-javascript": true, "application/x-www-form-urlencoded": true,
}

// IsTextual tells whether a body can be read as text: by its type, which is guessed from its beginning where the headers do
// not name it, as net/http does. A compressed one cannot, nor one of another charset; and one of events has no end.
func IsTextual(header http.Header, beginning []byte) bool {
	if encoding := header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return false
	}
	contentType := header.Get("Content-Type")
	if contentType == "" {
		contentType = http.DetectContentType(beginning)
	}
	mediaType, parameters, err := mime.ParseMediaType(contentType)
	if err != nil && mediaType == "" {
		return false
	}
	switch strings.ToLower(parameters["charset"]) {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
	default:
		return false
	}
	return textualTypes[mediaType] ||
		strings.HasPrefix(mediaType, "text/") && mediaType != "text/event-stream" ||
		strings.HasSuffix(mediaType, "+json") || strings.HasSuffix(mediaType, "+xml") || strings.HasSuffix(mediaType, "+yaml")
}
