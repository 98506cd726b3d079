package intake

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

const (
	// idWindow is how long a request with an id of its own is recognized, bodyWindow one without.
	idWindow   = 30 * 24 * time.Hour
	bodyWindow = 10 * time.Minute
)

// Key is what a request is recognized by when it is sent again, and for how long.
type Key struct {
	Text   string
	Window time.Duration
}

// KeyOf returns the key of an inquiry of a source, the i-th of a text: its own id or the mail's, or else the whole text.
func KeyOf(l Letter, q Inquiry, text string, i int) Key {
	if id := cmp.Or(l.ID, q.Value(ExternalID)); id != "" {
		return Key{fmt.Sprintf("id:%.200s:%d", id, i), idWindow}
	}
	sum := sha256.Sum256([]byte(text))

	return Key{fmt.Sprintf("body:%s:%d", hex.EncodeToString(sum[:]), i), bodyWindow}
}
