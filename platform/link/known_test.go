package link

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestKnown_FindsWhatCanBeUsedNoMore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		mine := s.company(t)
		made, text := s.create(mine, t, NewLink{Purpose: invitation})
		_, err := s.Use(t.Context(), invitation, text)
		require.NoError(t, err)
		_, err = s.Peek(t.Context(), invitation, text)
		requireRefusal(t, err, "link.used_up")
		known, err := s.Known(t.Context(), invitation, text)
		require.NoError(t, err)
		require.Equal(t, made.ID, known.ID)
		_, err = s.Known(t.Context(), share, text)
		requireRefusal(t, err, "link.unknown")
		_, err = s.Known(t.Context(), invitation, "dsl_x")
		requireRefusal(t, err, "link.unknown")
	})
}

func TestUseByID_CountsAsUseDoesForTheCompanyAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		mine, other := s.company(t), s.company(t)
		made, text := s.create(mine, t, NewLink{Purpose: invitation})
		requireRefusal(t, s.UseByID(other, invitation, made.ID), "link.unknown")
		requireRefusal(t, s.UseByID(mine, share, made.ID), "link.unknown")
		requireRefusal(t, s.UseByID(mine, invitation, uuid.New()), "link.unknown")
		require.NoError(t, s.UseByID(mine, invitation, made.ID))
		requireRefusal(t, s.UseByID(mine, invitation, made.ID), "link.used_up")
		_, err := s.Use(t.Context(), invitation, text)
		requireRefusal(t, err, "link.used_up")
	})
}
