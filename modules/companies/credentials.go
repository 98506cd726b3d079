package companies

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/modules/companies/internal/passwords"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/identity"
)

// credentials compares and makes passwords, and makes the tokens of logins.
type credentials struct {
	identity  *identity.Service
	passwords *passwords.Hasher
	journal   *journal.Journal
	clock     clock.Clock
	life      time.Duration // of a login
}

func newCredentials(s settings, who *identity.Service, j *journal.Journal, clk clock.Clock) *credentials {
	return &credentials{identity: who, passwords: passwords.New(s.PasswordHashes), journal: j, clock: clk, life: s.LoginLife}
}

// issueToken makes the token of a login.
func (s *credentials) issueToken(ctx context.Context, as identity.Login) (identity.Token, string, error) {
	expires := s.clock.Now().Add(s.life)

	return s.identity.IssueToken(ctx, identity.NewToken{
		Company: as.Company, User: as.User, Name: "Login", Scopes: []string{"*"}, ExpiresAt: &expires, Login: true,
	})
}

// rightOf returns those of the logins whose password it is.
func (s *credentials) rightOf(ctx context.Context, logins []identity.Login, password string) ([]identity.Login, error) {
	hashes := make([]string, len(logins))
	for i, l := range logins {
		hashes[i] = l.Hash
	}
	matches, err := s.passwords.Match(ctx, password, hashes)
	if err != nil {
		return nil, err
	}
	var right []identity.Login
	for i, l := range logins {
		if matches[i] {
			right = append(right, l)
		}
	}

	return right, nil
}

// noteFailure records that a password was wrong, and that the account is locked now if it is.
func (s *credentials) noteFailure(ctx context.Context, action string, user uuid.UUID, attempt identity.Attempt) error {
	item := userItem
	if user == uuid.Nil {
		item = ""
	}
	if err := s.journal.Record(ctx, action, item, user, nil); err != nil {
		return err
	}
	if attempt.Locks == 0 {
		return nil
	}

	return s.journal.Record(ctx, "login_locked", item, user, journal.Diff{}.Set("locked_for", nil, attempt.Locks.String()))
}

// newHash checks a new password for an account, and hashes it. The caller is at work for a company.
func (s *credentials) newHash(ctx context.Context, field, password string, account identity.Account, name string) (string, error) {
	company, err := s.identity.Company(ctx, journal.Caller(ctx).Company)
	if err != nil {
		return "", err
	}
	local, _, _ := strings.Cut(account.Email, "@")
	if err := passwords.Check(field, password, account.Email, local, name, company.Name); err != nil {
		return "", err
	}
	logins, err := s.identity.Logins(ctx, identity.Account{Email: account.Email})
	if err != nil {
		return "", err
	}
	var elsewhere []string
	for _, l := range logins {
		if l.Company != company.ID {
			elsewhere = append(elsewhere, l.Hash)
		}
	}

	return s.passwords.Hash(ctx, password, elsewhere)
}
