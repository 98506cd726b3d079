package numbers

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Releases gives numbers back.
type Releases struct {
	store       *store.Repository
	vendors     *vendors.Service
	numbers     *Editor
	defaults    *Defaults
	provisioner *Provisioner
}

// NewReleases returns Releases.
func NewReleases(r *store.Repository, v *vendors.Service, n *Editor, d *Defaults, p *Provisioner) *Releases {
	return &Releases{store: r, vendors: v, numbers: n, defaults: d, provisioner: p}
}

// Release begins to give a number back. From now on it is nobody's default and sends nothing.
func (s *Releases) Release(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Number, error) {
	var simulated bool
	row, err := s.numbers.Change(ctx, id, match, func(ctx context.Context, row *store.Number) error {
		if row.State != store.NumberActive {
			return store.ErrNotSending.WithMessage("The number is %s: only an active one can be released.", row.State)
		}
		row.State, row.UserID = store.NumberReleasing, nil
		if err := s.defaults.clearNumber(ctx, row.ID); err != nil {
			return err
		}

		from, err := s.vendors.Accounts.One(ctx, row.AccountID)
		if simulated = s.vendors.Simulates(from.Provider); err != nil || simulated {
			return err
		}

		return s.provisioner.enqueueRelease(ctx, row.ID)
	})
	if err != nil || !simulated {
		return row, err
	}
	if err := s.provisioner.ReleaseOne(ctx, ReleaseNumber{Number: id}); err != nil {
		return row, err
	}

	return s.store.Number(ctx, id)
}
