package custommodules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
)

func TestBulkRoom_LeavesTheMessageOfAnErrorWhenTheAnswerIsFull(t *testing.T) {
	t.Parallel()
	room := bulkRoom(100)
	refusal := errInvalidPayload.WithField("payload.a", strings.Repeat("x", 70))
	first, second := bulkOutcome{err: refusal}, bulkOutcome{err: refusal}
	room.fit(&first)
	room.fit(&second)
	require.Equal(t, error(refusal), first.err)
	require.ErrorIs(t, second.err, errInvalidPayload)
	var short *errs.Error
	require.ErrorAs(t, second.err, &short)
	require.Empty(t, short.Fields)
	require.NotEmpty(t, short.Message)
	require.NotEmpty(t, refusal.Fields)
}
