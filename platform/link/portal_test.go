package link

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const sheet Purpose = "dispatches.sheet"

// eachWithSheets is each with links for carriers.
func eachWithSheets(t *testing.T, test func(t *testing.T, s service)) {
	t.Helper()
	each(t, func(t *testing.T, s service) {
		t.Helper()
		require.NoError(t, s.declare(sheet, Rules{Portal: Carriers, Life: 24 * time.Hour}))
		test(t, s)
	})
}

func (s service) switchCarriers(ctx context.Context, t *testing.T, on bool) bool {
	t.Helper()
	changed, err := s.SwitchPortal(ctx, Carriers, on)
	require.NoError(t, err)

	return changed
}

func TestPortal_ThatIsOffRefusesItsLinksUntilItIsOnAgain(t *testing.T) {
	t.Parallel()
	eachWithSheets(t, func(t *testing.T, s service) {
		t.Helper()
		mine, other := s.company(t), s.company(t)
		made, text := s.create(mine, t, NewLink{Purpose: sheet})
		_, theirs := s.create(other, t, NewLink{Purpose: sheet})
		_, invited := s.create(mine, t, NewLink{Purpose: invitation})
		require.True(t, s.switchCarriers(mine, t, false))
		require.False(t, s.switchCarriers(mine, t, false), "it is off already")

		for name, by := range map[string]func() error{
			"Peek":  func() error { _, err := s.Peek(t.Context(), sheet, text); return err },
			"Use":   func() error { _, err := s.Use(t.Context(), sheet, text); return err },
			"Enter": func() error { _, _, err := s.Enter(t.Context(), sheet, text); return err },
			"Known": func() error { _, err := s.Known(t.Context(), sheet, text); return err },
			"by id": func() error { return s.UseByID(mine, sheet, made.ID) },
		} {
			require.ErrorIs(t, by(), errUnavailable, name)
		}
		for purpose, still := range map[Purpose]string{sheet: theirs, invitation: invited} {
			_, err := s.Peek(t.Context(), purpose, still)
			require.NoError(t, err, purpose)
		}

		require.True(t, s.switchCarriers(mine, t, true))
		used, err := s.Use(t.Context(), sheet, text)
		require.NoError(t, err)
		require.Equal(t, 1, used.Uses, "the use that was refused does not count")
	})
}

func TestCreate_RefusesLinksOfAPortalThatIsOffAndSaysHowToSwitchItOn(t *testing.T) {
	t.Parallel()
	eachWithSheets(t, func(t *testing.T, s service) {
		t.Helper()
		mine := s.company(t)
		s.switchCarriers(mine, t, false)
		caller, _ := principal.From(mine)
		caller.Kind = principal.User
		_, _, err := s.Create(principal.With(mine, caller), NewLink{Purpose: sheet})
		refused, _ := errors.AsType[*errs.Error](err)
		require.ErrorIs(t, err, ErrPortalOff)
		require.Equal(t, Carriers, refused.Details["portal"])
		require.Contains(t, refused.Message, "PATCH /companies/api/v1/portals/carriers")

		_, _, err = s.Create(mine, NewLink{Purpose: sheet}) // in the name of an outsider
		require.ErrorIs(t, err, ErrPortalOff)
		require.NotContains(t, err.Error(), "PATCH")
		found, err := s.List(mine, Filter{})
		require.NoError(t, err)
		require.Empty(t, found)

		s.switchCarriers(mine, t, true)
		s.create(mine, t, NewLink{Purpose: sheet})
	})
}

func TestPortals_CountTheirLiveLinks(t *testing.T) {
	t.Parallel()
	eachWithSheets(t, func(t *testing.T, s service) {
		t.Helper()
		mine := s.company(t)
		revoked, _ := s.create(mine, t, NewLink{Purpose: sheet})
		require.NoError(t, s.Revoke(mine, revoked.ID))
		s.create(mine, t, NewLink{Purpose: sheet})
		s.create(mine, t, NewLink{Purpose: invitation})
		s.create(s.company(t), t, NewLink{Purpose: sheet})
		s.switchCarriers(mine, t, false)

		portals, err := s.Portals(mine)
		require.NoError(t, err)
		off := s.clock.Now()
		require.Equal(t, []PortalState{
			{Portal: Customers, Purposes: []Purpose{}},
			{Portal: Carriers, Purposes: []Purpose{sheet}, OffSince: &off, Live: 1},
			{Portal: Drivers, Purposes: []Purpose{}},
		}, portals)
	})
}

func TestPage_FiltersByPurposePortalHolderAndWhatIsLive(t *testing.T) {
	t.Parallel()
	eachWithSheets(t, func(t *testing.T, s service) {
		t.Helper()
		mine := s.company(t)
		carrier := Subject{Type: "carriers.carrier", ID: uuid.New()}
		revoked, _ := s.create(mine, t, NewLink{Purpose: sheet, Holder: carrier})
		require.NoError(t, s.Revoke(mine, revoked.ID))
		held, _ := s.create(mine, t, NewLink{Purpose: sheet, Holder: carrier})
		invited, _ := s.create(mine, t, NewLink{Purpose: invitation})
		s.create(s.company(t), t, NewLink{Purpose: sheet, Holder: carrier})
		ids := func(live bool, query string) (found []uuid.UUID) {
			values, err := url.ParseQuery(query)
			require.NoError(t, err)
			in := list.FromQuery("/links", values)
			q, err := in.Parse(mine, s.Schema())
			require.NoError(t, err)
			page, err := s.Page(mine, q, live)
			require.NoError(t, err)
			for _, l := range page.Data {
				found = append(found, l.ID)
			}

			return found
		}
		require.Equal(t, []uuid.UUID{invited.ID, held.ID, revoked.ID}, ids(false, ""))
		require.Equal(t, []uuid.UUID{revoked.ID, held.ID, invited.ID}, ids(false, "sort=uuid"))
		require.Equal(t, []uuid.UUID{invited.ID, held.ID}, ids(true, ""))
		require.Equal(t, []uuid.UUID{held.ID, revoked.ID}, ids(false, "filter[portal]=carriers"))
		require.Equal(t, []uuid.UUID{invited.ID}, ids(false, "filter[portal][null]=true"))
		require.Equal(t, []uuid.UUID{invited.ID}, ids(false, "filter[purpose]=companies.invitation"))
		require.Equal(t, []uuid.UUID{held.ID}, ids(true, "filter[holder_uuid]="+carrier.ID.String()))
		require.Empty(t, ids(false, "filter[portal]=drivers"))

		found, err := s.Find(mine, held.ID)
		require.NoError(t, err)
		require.Equal(t, carrier, found.Holder)
		_, err = s.Find(s.company(t), held.ID)
		require.ErrorIs(t, err, ErrNotFound)
	})
}

func TestRevokeSelected_EndsWhatHasAllThatIsSelected(t *testing.T) {
	t.Parallel()
	eachWithSheets(t, func(t *testing.T, s service) {
		t.Helper()
		mine, other := s.company(t), s.company(t)
		one, two := Subject{Type: "carriers.carrier", ID: uuid.New()}, Subject{Type: "carriers.carrier", ID: uuid.New()}
		for _, ctx := range []context.Context{mine, other} {
			for _, n := range []NewLink{{Purpose: sheet, Holder: one}, {Purpose: sheet, Holder: two}, {Purpose: sheet}, {Purpose: share, Holder: one}} {
				s.create(ctx, t, n)
			}
		}
		for _, step := range []struct {
			which Selection
			ended int
		}{
			{Selection{Purpose: sheet, Holder: one.ID}, 1},
			{Selection{Portal: Drivers}, 0},
			{Selection{Holder: one.ID}, 1},
			{Selection{Purpose: sheet, Holder: one.ID}, 0},
			{Selection{Portal: Carriers}, 2},
		} {
			ended, err := s.RevokeSelected(mine, step.which)
			require.NoError(t, err)
			require.Equal(t, step.ended, ended, step.which)
		}
		_, err := s.RevokeSelected(mine, Selection{})
		require.Error(t, err)
		left, err := s.List(other, Filter{Usable: true})
		require.NoError(t, err)
		require.Len(t, left, 4)
	})
}

func TestEnter_IsRecordedAsTheLastUse(t *testing.T) {
	t.Parallel()
	eachWithSheets(t, func(t *testing.T, s service) {
		t.Helper()
		mine := s.company(t)
		made, text := s.create(mine, t, NewLink{Purpose: sheet})
		visited := s.clock.Now()
		for range 2 {
			_, _, err := s.Enter(t.Context(), sheet, text)
			require.NoError(t, err)
			s.clock.Advance(time.Second)
		}
		require.NoError(t, s.Start(t.Context()))
		require.NoError(t, s.Stop(t.Context()))
		found, err := s.Find(mine, made.ID)
		require.NoError(t, err)
		require.Equal(t, visited, *found.LastUsedAt, "once a minute")
		require.Zero(t, found.Uses, "a visit is no use")
	})
}

func TestDeclare_RefusesAPortalThatThereIsNot(t *testing.T) {
	t.Parallel()
	require.EqualError(t, New(nil, nil, nil).declare(sheet, Rules{Portal: "brokers", Life: time.Hour}),
		`purpose of a link "dispatches.sheet": there is no portal "brokers"`)
}
