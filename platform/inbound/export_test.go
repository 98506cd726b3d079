package inbound

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TakeRoom takes all the room for bodies, which must be there, and returns what gives it back.
func (in *Inbox) TakeRoom(t *testing.T) func() {
	t.Helper()
	require.True(t, in.room.TryAcquire(int64(in.settings.Memory)))

	return func() { in.room.Release(int64(in.settings.Memory)) }
}
