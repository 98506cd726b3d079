package vendoraccount

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// CheckSize refuses credentials that are too large to be any.
func (s *Store[A, P]) CheckSize(credentials map[string]string) error {
	const longestName = 100
	for name, value := range credentials {
		if len(name) > longestName || len(value) > s.rules.MaxCredential {
			return s.rules.Invalid.WithField("credentials", fmt.Sprintf("A credential must have at most %d bytes.", s.rules.MaxCredential))
		}
	}

	return nil
}

// Seal gives an account credentials, which are kept with its next writing. One that is new is the caller's company's.
func (s *Store[A, P]) Seal(ctx context.Context, row P, credentials map[string]string) (err error) {
	a := row.Common()
	if a.CompanyID == uuid.Nil {
		who, _ := principal.From(ctx)
		a.CompanyID = who.Company
	}
	a.Credentials, err = secret.SealValue(ctx, s.keys, secretPlace(row), secret.Hide(credentials))

	return err
}

// Open returns the credentials of an account.
func (s *Store[A, P]) Open(ctx context.Context, row A) (secret.Hidden[map[string]string], error) {
	credentials, err := secret.OpenValue[map[string]string](ctx, s.keys, secretPlace(P(&row)), P(&row).Common().Credentials)
	if err != nil {
		return credentials, fmt.Errorf("account %s: %w", P(&row).Common().ID, err)
	}

	return credentials, nil
}

func secretPlace[A any, P Row[A]](row P) secret.Place {
	a := row.Common()

	return secret.Place{Table: row.TableName(), Column: Credentials, Company: a.CompanyID, ID: a.ID}
}
