package events

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKey_FindsAListenerThatWasExportedMeanwhile(t *testing.T) {
	t.Parallel()
	require.Equal(t, keyOf("cards.payment.captured", "loads/onCaptured"), keyOf("cards.payment.captured", "loads/OnCaptured"))
	require.NotEqual(t, keyOf("cards.payment.captured", "loads/onCaptured"), keyOf("cards.payment.captured", "loads/oncaptured"))
	require.NotEqual(t, keyOf("cards.payment.captured", "loads/onCaptured"), keyOf("cards.payment.captured", "billing/onCaptured"))
	require.NotPanics(t, func() { keyOf("cards.payment.captured", "loads/") })
}
