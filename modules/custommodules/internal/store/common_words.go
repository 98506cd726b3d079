package store

import (
	"strings"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/dispatchd/dispatchd/platform/clock"
)

const (
	// mostCommon is of how many searches it is known that they find many records, for commonLife.
	mostCommon = 4_096
	commonLife = 5 * time.Minute
)

// CommonWords remembers the searches that find many records, so that their index is not read to the end
// again just to learn that. Who is remembered for too long is searched for in the order of the list, as
// rightly, if not as fast.
type CommonWords struct {
	clock clock.Clock
	since *lru.Cache[string, time.Time]
}

// NewCommonWords returns them, with none known yet.
func NewCommonWords(c clock.Clock) (*CommonWords, error) {
	since, err := lru.New[string, time.Time](mostCommon)

	return &CommonWords{clock: c, since: since}, err
}

func commonKey(module uuid.UUID, words []string) string {
	return string(module[:]) + strings.Join(words, " ")
}

// Add remembers that many records of a module have the words.
func (w *CommonWords) Add(module uuid.UUID, words []string) {
	w.since.Add(commonKey(module, words), w.clock.Now())
}

// Has reports whether many records of a module had the words a short while ago.
func (w *CommonWords) Has(module uuid.UUID, words []string) bool {
	since, ok := w.since.Get(commonKey(module, words))
	now := w.clock.Now()

	return ok && now.Sub(since) < commonLife && !now.Before(since)
}
