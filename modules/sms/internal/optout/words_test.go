package optout

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWords_AreWrittenAsTheyAreCompared(t *testing.T) {
	t.Parallel()
	for _, list := range []words{vendorWords, exactWords, clearWords, weakWords, startWords, helpWords, curses, beforeStop, afterStop, "|" + politeWords + "|"} {
		for word := range strings.SplitSeq(strings.Trim(string(list), "|"), "|") {
			if !curses.has(word) {
				require.Equal(t, word, Normalize(word))
			}
		}
	}
}
