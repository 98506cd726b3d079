package custommodules

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

// commonWords remembers the searches that find many records, so that their index is not read to the end
// again just to learn that. Who is remembered for too long is searched for in the order of the list, as
// rightly, if not as fast.
type commonWords struct {
	clock clock.Clock
	since *lru.Cache[string, time.Time]
}

func newCommonWords(c clock.Clock) (*commonWords, error) {
	since, err := lru.New[string, time.Time](mostCommon)

	return &commonWords{clock: c, since: since}, err
}

func commonKey(module uuid.UUID, words []string) string {
	return string(module[:]) + strings.Join(words, " ")
}

// add remembers that many records of a module have the words.
func (w *commonWords) add(module uuid.UUID, words []string) {
	w.since.Add(commonKey(module, words), w.clock.Now())
}

// has reports whether many records of a module had the words a short while ago.
func (w *commonWords) has(module uuid.UUID, words []string) bool {
	since, ok := w.since.Get(commonKey(module, words))
	now := w.clock.Now()

	return ok && now.Sub(since) < commonLife && !now.Before(since)
}
