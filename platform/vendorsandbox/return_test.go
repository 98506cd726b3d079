package vendorsandbox_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
)

func TestCanReturnTo_TakesAddressesOfTheWebAlone(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"https://example.org", "http://localhost:3000/loads?id=7", "https://[::1]:8443/"} {
		require.True(t, vendorsandbox.CanReturnTo(good), good)
	}
	for _, bad := range []string{
		"", "javascript:alert(1)", "ftp://example.org", "https://", "https://a b/", "https://user:pw@example.org/", "/relative",
		`https://example.org/"><x>`, "https://example.org/" + strings.Repeat("x", 500),
	} {
		require.False(t, vendorsandbox.CanReturnTo(bad), bad)
	}
}

func TestReturnTo_KeepsWhatTheAddressHas(t *testing.T) {
	t.Parallel()
	require.Equal(t, "https://example.org/?event=paid&id=7", vendorsandbox.ReturnTo("https://example.org/?id=7", "event", "paid"))
	require.Empty(t, vendorsandbox.ReturnTo("", "event", "paid"))
}
