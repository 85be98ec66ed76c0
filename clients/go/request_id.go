package keysvc

import (
	"encoding/base32"
	"encoding/binary"
	"time"
)

// Lower-case digits and letters without those that are mistaken for others, in the order of their codes: ids sort by time.
var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newRequestID makes an id that sorts by time to the millisecond, with 80 random bits.
func newRequestID(now time.Time, random func([]byte)) string {
	var bytes [16]byte
	binary.BigEndian.PutUint64(bytes[:8], uint64(now.UnixMilli())<<16)
	random(bytes[6:])
	var id [4 + 26]byte
	copy(id[:], "req_")
	idEncoding.Encode(id[4:], bytes[:])
	return string(id[:])
}

// isRequestID tells whether the service takes an id.
func isRequestID(text string) bool {
	return len(text) >= 1 && len(text) <= 128 && isVisible(text)
}

// maskKey hides all of a key but its end, as the service does; all of one that is too short to be a key.
func maskKey(key string) string {
	const mask, shown, shownLengthMin = "********", 6, 18
	if len(key) < shownLengthMin {
		return mask
	}
	return mask + key[len(key)-shown:]
}
