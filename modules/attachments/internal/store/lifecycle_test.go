package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLifecycle_IsSound(t *testing.T) {
	t.Parallel()
	require.NoError(t, Lifecycle.Validate())
}
