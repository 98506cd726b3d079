package companies

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// loggedIn is the outcome of a login.
type loggedIn struct {
	token  identity.Token
	secret string
	user   identity.User
}

// loginAttempt is an attempt to log in: where, from which address, and how it is counted.
type loginAttempt struct {
	account identity.Account
	address string
	counted identity.Attempt
}

// login makes a token for whom the address and the password are of. Whether there is such an account shows
// neither in the answer nor in the time that it takes: a password is compared with those of all companies of
// the address, whichever is asked for. Errors: companies.refuseLocked, companies.wrong_credentials,
// companies.company_needed, which only those get whose password is right, and companies.busy.
func (s *service) login(ctx context.Context, account identity.Account, password, address string) (loggedIn, error) {
	counted, err := s.identity.CountLogin(ctx, account, address)
	if err != nil {
		return loggedIn{}, err
	}
	if err := refuseLocked(counted); err != nil {
		return loggedIn{}, err
	}
	made := loginAttempt{account: account, address: address, counted: counted}
	logins, err := s.identity.Logins(ctx, identity.Account{Email: account.Email})
	if err != nil {
		return loggedIn{}, err
	}
	right, err := s.rightOf(ctx, logins, password)
	if err != nil {
		return loggedIn{}, err
	}
	everywhere := len(right) == len(logins)
	switch meant := loginsOf(account.Company, right); len(meant) {
	case 0:
		return loggedIn{}, s.failed(ctx, made, loginsOf(account.Company, logins))
	case 1:
		return s.logIn(ctx, made, meant[0], everywhere)
	default:
		return loggedIn{}, s.undecided(ctx, made, meant, everywhere)
	}
}

// loginsOf returns the logins of a company, all of them for uuid.Nil.
func loginsOf(company uuid.UUID, logins []identity.Login) []identity.Login {
	if company == uuid.Nil {
		return logins
	}

	return slices.DeleteFunc(slices.Clone(logins), func(l identity.Login) bool { return l.Company != company })
}

// refuseLocked refuses an attempt that has to wait.
func refuseLocked(made identity.Attempt) error {
	if made.Wait <= 0 {
		return nil
	}

	return errLocked.WithRetryAfter(made.Wait)
}

// rightOf returns those of the logins whose password it is.
func (s *service) rightOf(ctx context.Context, logins []identity.Login, password string) ([]identity.Login, error) {
	hashes := make([]string, len(logins))
	for i, l := range logins {
		hashes[i] = l.Hash
	}
	matches, err := s.passwords.match(ctx, password, hashes)
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

// logIn makes the token, unless the user has another password, or none, by now.
func (s *service) logIn(ctx context.Context, made loginAttempt, as identity.Login, everywhere bool) (in loggedIn, err error) {
	valid := false
	outer := ctx
	ctx = principal.With(ctx, principal.Principal{Kind: principal.User, Company: as.Company, User: as.User})
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if valid, err = s.identity.LoggedIn(ctx, as.Company, as.User, as.Hash); err != nil || !valid {
			return err
		}
		if in.user, err = s.identity.User(ctx, as.Company, as.User); err != nil {
			return err
		}
		expires := s.clock.Now().Add(s.settings.LoginLife)
		in.token, in.secret, err = s.identity.IssueToken(ctx, identity.NewToken{
			Company: as.Company, User: as.User, Name: "Login", Scopes: []string{"*"}, ExpiresAt: &expires, Login: true,
		})
		if err != nil {
			return err
		}
		if err := s.recordCorrectPassword(ctx, made, everywhere, as); err != nil {
			return err
		}

		return s.journal.record(ctx, "logged_in", tokenItem, in.token.ID, nil)
	})
	if err == nil && !valid {
		return loggedIn{}, s.failed(outer, made, []identity.Login{as})
	}

	return in, err
}

// recordCorrectPassword records in which companies the password was right.
func (s *service) recordCorrectPassword(ctx context.Context, made loginAttempt, everywhere bool, right ...identity.Login) error {
	companies := make([]uuid.UUID, len(right))
	for i, l := range right {
		companies[i] = l.Company
	}

	return s.identity.LoginProved(ctx, made.account.Email, made.address, made.counted, companies, everywhere)
}

// failed records a login that failed, with each company that the address may log in to, and with the
// operator where there is none: it takes as long.
func (s *service) failed(ctx context.Context, made loginAttempt, logins []identity.Login) error {
	if len(logins) == 0 {
		logins = []identity.Login{{}}
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		for _, l := range logins {
			if err := s.noteFailure(principal.With(ctx, principal.Principal{Company: l.Company}), "login_failed", l.User, made.counted); err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil {
		return err
	}

	return errCredentials
}

// noteFailure records that a password was wrong, and that the account is locked now if it is.
func (s *service) noteFailure(ctx context.Context, action string, user uuid.UUID, attempt identity.Attempt) error {
	item := userItem
	if user == uuid.Nil {
		item = ""
	}
	if err := s.journal.record(ctx, action, item, user, nil); err != nil {
		return err
	}
	if attempt.Locks == 0 {
		return nil
	}

	return s.journal.record(ctx, "login_locked", item, user, diff{}.set("locked_for", nil, attempt.Locks.String()))
}

// choice is a company that somebody may log in to.
type choice struct {
	UUID uuid.UUID `json:"uuid"`
	Name string    `json:"name"`
}

// undecided asks which company is meant.
func (s *service) undecided(ctx context.Context, made loginAttempt, right []identity.Login, everywhere bool) error {
	if err := s.recordCorrectPassword(ctx, made, everywhere, right...); err != nil {
		return err
	}
	choices := make([]choice, len(right))
	for i, l := range right {
		choices[i] = choice{UUID: l.Company, Name: l.CompanyName}
	}

	return errCompanyNeeded.WithDetail("companies", choices)
}

// logout ends the token that is shown.
func (s *service) logout(ctx context.Context) error {
	token := caller(ctx).Token

	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.identity.RevokeToken(ctx, token); err != nil {
			return err
		}

		return s.journal.record(ctx, "logged_out", tokenItem, token, nil)
	})
}

// newHash checks a new password for an account, and hashes it. The caller is at work for a company.
func (s *service) newHash(ctx context.Context, field, password string, account identity.Account, name string) (string, error) {
	company, err := s.identity.Company(ctx, caller(ctx).Company)
	if err != nil {
		return "", err
	}
	local, _, _ := strings.Cut(account.Email, "@")
	if err := checkPassword(field, password, account.Email, local, name, company.Name); err != nil {
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

	return s.passwords.hash(ctx, password, elsewhere)
}
