package inbound

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TakeRoom takes all the room for bodies, which must be there, and returns what gives it back.
func (in *Inbox) TakeRoom(t *testing.T) func() {
	t.Helper()
	require.True(t, in.room.all.TryAcquire("", in.room.all.Most()))

	return func() { in.room.all.Release("", in.room.all.Most()) }
}
