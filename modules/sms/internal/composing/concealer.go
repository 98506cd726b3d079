package composing

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/sms/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
)

// Concealer keeps secrets out of what is stored.
type Concealer struct {
	vendors *vendors.Service
	texts   *store.Texts
}

// NewConcealer returns a Concealer.
func NewConcealer(v *vendors.Service, t *store.Texts) *Concealer {
	return &Concealer{vendors: v, texts: t}
}

// conceal keeps the secrets of a draft out of what is stored. A sandbox sends nothing: there, they are read in the message.
func (s *Concealer) conceal(ctx context.Context, c composed, row *store.Message) error {
	if len(c.Secrets) == 0 {
		return nil
	}
	account, err := s.vendors.Accounts.One(ctx, row.AccountID)
	if err != nil || account.Provider == sandbox.Name {
		return err
	}

	return s.texts.Conceal(ctx, row, c.Secrets)
}
