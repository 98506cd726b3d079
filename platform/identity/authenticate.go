package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/lastuse"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// readTimeout bounds reading a token, on which several requests may wait.
const readTimeout = 5 * time.Second

// Authenticate says who shows the token. What is known of a token is kept for a few seconds;
// every process is told of changes, and if it cannot be, they take effect within cacheLife.
// The principal's scopes are shared and must not be changed. Errors: the refusals identity.token_…,
// identity.user_deactivated and identity.company_suspended, all errs.Unauthenticated, and
// database.unavailable.
func (s *Service) Authenticate(ctx context.Context, bearer string) (principal.Principal, error) {
	switch {
	case bearer == "":
		return principal.Principal{}, errTokenMissing
	case !wellFormed(bearer):
		return principal.Principal{}, errTokenMalformed
	}
	now := s.clock.Now()
	found, err := s.find(ctx, digestOf(bearer), now)
	if err != nil {
		return principal.Principal{}, err
	}
	if err := found.refusal(now); err != nil {
		return principal.Principal{}, err
	}
	s.uses.Note(lastuse.Use{Company: found.principal.Company, ID: found.principal.Token, Kind: string(found.principal.Kind), At: now}, found.lastUsedAt)

	return found.principal, nil
}

// find returns what is known of a token, from the cache if it is fresh.
func (s *Service) find(ctx context.Context, d digest, now time.Time) (facts, error) {
	if found, cached := s.cache.get(d, now); cached {
		return found, nil
	}

	return s.cache.load(d, func() (facts, error) {
		// The caller that reads may go away while others wait for the same answer.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		defer cancel()
		found, err := s.rows.facts(ctx, d, s.roles)
		if err != nil {
			return facts{}, fmt.Errorf("reading a token: %w", err)
		}
		found.readAt = now

		return found, nil
	})
}

// facts is what decides about a token. The zero value is that there is no such token.
type facts struct {
	principal principal.Principal
	expiresAt *time.Time
	// revoked, deactivated and suspended are of the token, its user and its company.
	revoked, deactivated, suspended bool
	lastUsedAt                      time.Time
	// readAt is when the facts were asked for.
	readAt time.Time
}

func (f facts) known() bool { return f.principal.Token != uuid.Nil }

// refusal says why the token is refused at a time, nil if it is not. What concerns the token itself
// comes first: only who has a token that is good is told about its user and company.
func (f facts) refusal(now time.Time) error {
	switch {
	case !f.known():
		return errTokenUnknown
	case f.revoked:
		return errTokenRevoked
	case f.expiresAt != nil && !now.Before(*f.expiresAt):
		return errTokenExpired
	case f.suspended:
		return errCompanySuspended
	case f.deactivated:
		return errUserDeactivated
	default:
		return nil
	}
}
