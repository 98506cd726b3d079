package companies

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/database"
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

// logins log users in and out.
type logins struct {
	identity    *identity.Service
	credentials *credentials
	journal     *journal.Journal
	db          *database.DB
}

func newLogins(who *identity.Service, c *credentials, j *journal.Journal, db *database.DB) *logins {
	return &logins{identity: who, credentials: c, journal: j, db: db}
}

// login makes a token for whom the address and the password are of. Whether there is such an account shows
// neither in the answer nor in the time that it takes: a password is compared with those of all companies of
// the address, whichever is asked for. Errors: companies.locked, companies.wrong_credentials, and companies.company_needed, which only
// those get whose password is right.
func (s *logins) login(ctx context.Context, account identity.Account, password, address string) (loggedIn, error) {
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
	right, err := s.credentials.rightOf(ctx, logins, password)
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

// logIn makes the token, unless the user has another password, or none, by now.
func (s *logins) logIn(ctx context.Context, made loginAttempt, as identity.Login, everywhere bool) (in loggedIn, err error) {
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
		in.token, in.secret, err = s.credentials.issueToken(ctx, as)
		if err != nil {
			return err
		}
		if err := s.recordCorrectPassword(ctx, made, everywhere, as); err != nil {
			return err
		}

		return s.journal.Record(ctx, "logged_in", journal.Token, in.token.ID, nil)
	})
	if err == nil && !valid {
		return loggedIn{}, s.failed(outer, made, []identity.Login{as})
	}

	return in, err
}

// recordCorrectPassword records in which companies the password was right.
func (s *logins) recordCorrectPassword(ctx context.Context, made loginAttempt, everywhere bool, right ...identity.Login) error {
	companies := make([]uuid.UUID, len(right))
	for i, l := range right {
		companies[i] = l.Company
	}

	return s.identity.LoginProved(ctx, made.account.Email, made.address, made.counted, companies, everywhere)
}

// failed records a login that failed, with each company that the address may log in to, and with the
// operator where there is none: it takes as long.
func (s *logins) failed(ctx context.Context, made loginAttempt, logins []identity.Login) error {
	if len(logins) == 0 {
		logins = []identity.Login{{}}
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		for _, l := range logins {
			if err := s.credentials.noteFailure(principal.With(ctx, principal.Principal{Company: l.Company}), "login_failed", l.User, made.counted); err != nil {
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

// choice is a company that somebody may log in to.
type choice struct {
	UUID uuid.UUID `json:"uuid"`
	Name string    `json:"name"`
}

// undecided asks which company is meant.
func (s *logins) undecided(ctx context.Context, made loginAttempt, right []identity.Login, everywhere bool) error {
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
func (s *logins) logout(ctx context.Context) error {
	token := journal.Caller(ctx).Token

	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.identity.RevokeToken(ctx, token); err != nil {
			return err
		}

		return s.journal.Record(ctx, "logged_out", journal.Token, token, nil)
	})
}
