package identity_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestSweep_DeletesTokensThatEndedLongAgoAndNoOthers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s replica, _ string) {
		t.Helper()
		company := s.company(t)
		issue := func(name string, expires time.Time) uuid.UUID {
			token := identity.NewToken{Company: company.ID, Name: name, Scopes: []string{"*"}}
			if !expires.IsZero() {
				token.ExpiresAt = &expires
			}
			made, _, err := s.IssueToken(t.Context(), token)
			require.NoError(t, err)

			return made.ID
		}
		const day = 24 * time.Hour
		now := s.clock.Now()
		issue("soon expired", now.Add(day))
		issue("later expired", now.Add(10*day))
		issue("for ever", time.Time{})
		revoked := issue("revoked", time.Time{})
		require.NoError(t, s.RevokeToken(principal.With(t.Context(), principal.ForCompany(company.ID)), revoked))

		names := func() (names []string) {
			require.NoError(t, s.db.Raw(t.Context(), "test").Raw("SELECT name FROM identity_tokens ORDER BY name").Scan(&names).Error)

			return names
		}
		s.clock.Advance(89 * day)
		removed, err := s.Sweep(t.Context())
		require.NoError(t, err)
		require.Zero(t, removed)
		s.clock.Advance(3 * day)
		removed, err = s.Sweep(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, removed)
		require.Equal(t, []string{"for ever", "later expired"}, names())
	})
}
