package link

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
)

func TestSweep_DeletesLinksThatExpiredLongAgo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		ctx := s.company(t)
		_, text, err := s.Create(ctx, NewLink{Purpose: invitation, Subject: Subject{Type: "companies.user", ID: database.NewID()}})
		require.NoError(t, err)
		s.clock.Advance(90*24*time.Hour + 12*time.Hour)
		_, kept, err := s.Create(ctx, NewLink{Purpose: invitation, Subject: Subject{Type: "companies.user", ID: database.NewID()}})
		require.NoError(t, err)

		removed, err := s.Sweep(t.Context())
		require.NoError(t, err)
		require.Zero(t, removed)
		s.clock.Advance(13 * time.Hour)
		removed, err = s.Sweep(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, removed)
		_, err = s.Peek(ctx, invitation, text)
		require.ErrorIs(t, err, errUnknown)
		_, err = s.Peek(ctx, invitation, kept)
		require.NoError(t, err)
	})
}
