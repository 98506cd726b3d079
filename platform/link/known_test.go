package link

import (
	"strings"
	"testing"
	"time"

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

func TestCode_IsFoundAsPeopleEnterIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		const parcel Purpose = "ledger.parcel"
		require.NoError(t, s.declare(parcel, Rules{Life: time.Hour, Code: true}))
		made, text := s.create(s.company(t), t, NewLink{Purpose: parcel})
		require.Regexp(t, `^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$`, text)
		require.Equal(t, text[:3], made.Prefix)
		for _, entered := range []string{text, strings.ToLower(text), strings.ReplaceAll(text, "-", ""), " " + text + " ", strings.NewReplacer("0", "o", "1", "l").Replace(text)} {
			found, err := s.Peek(t.Context(), parcel, entered)
			require.NoError(t, err, entered)
			require.Equal(t, made.ID, found.ID)
		}
		for _, wrong := range []string{"", text + "0", text[:9], "7H2KM-9TQX!", "U" + text[1:]} {
			_, err := s.Peek(t.Context(), parcel, wrong)
			requireRefusal(t, err, "link.unknown")
		}
		_, err := s.Peek(t.Context(), invitation, text)
		requireRefusal(t, err, "link.unknown")
	})
}
