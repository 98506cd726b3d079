package companies

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSpoken_SaysATimeAsPeopleDo(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]string{
		time.Second: "1 second", 59 * time.Second: "59 seconds", time.Minute: "1 minute", 61 * time.Second: "2 minutes", time.Hour: "60 minutes",
		300 * time.Millisecond: "1 second",
	} {
		require.Equal(t, want, formatWait(wait))
	}
}
