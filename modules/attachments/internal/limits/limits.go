// Package limits has the limits that companies set themselves, and what their files may take.
package limits

import (
	"context"
	"fmt"
	"slices"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// limitsItem is the type of a company's limits in the audit trail.
const limitsItem = "attachments.limits"

// Limiter keeps the limits that companies set themselves.
type Limiter struct {
	settings   settings.Settings
	repository *store.Repository
	clock      clock.Clock
	trail      *audit.Log
}

// NewLimiter returns the keeper of limits.
func NewLimiter(s settings.Settings, r *store.Repository, c clock.Clock, trail *audit.Log) *Limiter {
	return &Limiter{settings: s, repository: r, clock: c, trail: trail}
}

// Set stores the limits of the company. Uploads read them, so all replicas go by them from the commit on; what is
// under way is checked again when it ends.
func (l *Limiter) Set(ctx context.Context, match web.IfMatch, wanted store.CompanyLimits) (row store.CompanyLimits, err error) {
	if err := checkLimits(wanted, l.settings); err != nil {
		return row, err
	}
	err = l.repository.DB.InTx(ctx, func(ctx context.Context) error {
		before, err := l.repository.LockLimits(ctx, l.clock.Now())
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		row = before
		row.MaxSize, row.MaxCompanySize, row.Types = wanted.MaxSize, wanted.MaxCompanySize, append([]string{}, wanted.Types...)
		row.Version, row.UpdatedBy, row.UpdatedAt = before.Version+1, principal.UserOf(ctx), l.clock.Now()
		if err := l.repository.SaveLimits(ctx, &row); err != nil {
			return err
		}

		return l.trail.Record(ctx, audit.Entry{
			Action: "attachments.limits_changed", Item: audit.Item{Type: limitsItem, UUID: row.CompanyID}, Changes: row.ChangesSince(before),
		})
	})

	return row, err
}

// checkLimits refuses limits that are wider than the deployment's.
func checkLimits(row store.CompanyLimits, s settings.Settings) error {
	wrong := store.ErrInvalid
	if row.MaxSize > int64(s.MaxSize) {
		wrong = wrong.WithField("max_size", fmt.Sprintf("The max size must be at most %d, the limit of the service.", s.MaxSize))
	}
	if ceiling := int64(s.MaxCompanySize); ceiling > 0 && row.MaxCompanySize > ceiling {
		wrong = wrong.WithField("max_company_size", fmt.Sprintf("The max company size must be at most %d, the limit of the service.", ceiling))
	}
	if len(row.Types) > MaxTypes {
		wrong = wrong.WithField("types", fmt.Sprintf("The types must be at most %d.", MaxTypes))
	}
	for _, t := range row.Types {
		if !settings.ValidMediaType(t) {
			wrong = wrong.WithField("types", "The types must be media types such as application/pdf or image/*.")

			break
		}
		if len(s.AllowedTypes) > 0 && !filetype.MatchesAny(t, s.AllowedTypes) || slices.Contains(s.RefusedTypes, t) {
			wrong = wrong.WithField("types", "The type "+t+" is not taken by the service.")

			break
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

// MaxTypes is how many media types a list of them may have.
const MaxTypes = 20
