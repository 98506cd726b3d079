package attachments

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// limitsItem is the type of a company's limits in the audit trail.
const limitsItem = "attachments.limits"

// sizeWithin is the largest file within some limits beside the deployment's; 0 is no limit.
func (s settings) sizeWithin(limits ...int64) int64 {
	most := int64(s.MaxSize)
	for _, limit := range limits {
		if limit > 0 {
			most = min(most, limit)
		}
	}

	return most
}

// total is how many bytes the company may have, 0 for any number. A limit of its own never exceeds the deployment's, which may
// have been lowered since.
func (row companyLimits) total(s settings) int64 {
	switch ceiling := int64(s.MaxCompanySize); {
	case row.MaxCompanySize == 0:
		return ceiling
	case ceiling == 0:
		return row.MaxCompanySize
	default:
		return min(row.MaxCompanySize, ceiling)
	}
}

// check refuses limits that are wider than the deployment's.
func (row companyLimits) check(s settings) error {
	wrong := errInvalid
	if row.MaxSize > int64(s.MaxSize) {
		wrong = wrong.WithField("max_size", fmt.Sprintf("The max size must be at most %d, which the service takes.", s.MaxSize))
	}
	if ceiling := int64(s.MaxCompanySize); ceiling > 0 && row.MaxCompanySize > ceiling {
		wrong = wrong.WithField("max_company_size", fmt.Sprintf("The max company size must be at most %d, which the service takes.", ceiling))
	}
	if len(row.Types) > mostTypes {
		wrong = wrong.WithField("types", fmt.Sprintf("The types must be at most %d.", mostTypes))
	}
	for _, t := range row.Types {
		if !typeRule.MatchString(t) {
			wrong = wrong.WithField("types", "The types must be media types such as application/pdf or image/*.")

			break
		}
		if len(s.AllowedTypes) > 0 && !among(t, s.AllowedTypes) || slices.Contains(s.RefusedTypes, t) {
			wrong = wrong.WithField("types", "The type "+t+" is not taken by the service.")

			break
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

// limiter keeps the limits that companies set themselves.
type limiter struct {
	settings   settings
	repository *repository
	clock      clock.Clock
	trail      *audit.Log
}

func newLimiter(s settings, r *repository, c clock.Clock, trail *audit.Log) *limiter {
	return &limiter{settings: s, repository: r, clock: c, trail: trail}
}

// set stores the limits of the company. Uploads read them, so all replicas go by them from the commit on; what is
// under way is checked again when it ends.
func (l *limiter) set(ctx context.Context, match web.IfMatch, wanted companyLimits) (row companyLimits, err error) {
	if err := wanted.check(l.settings); err != nil {
		return row, err
	}
	err = l.repository.db.InTx(ctx, func(ctx context.Context) error {
		before, err := l.repository.heldLimits(ctx, l.clock.Now())
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		row = before
		row.MaxSize, row.MaxCompanySize, row.Types = wanted.MaxSize, wanted.MaxCompanySize, append([]string{}, wanted.Types...)
		row.Version, row.UpdatedBy, row.UpdatedAt = before.Version+1, principal.UserOf(ctx), l.clock.Now()
		if err := l.repository.saveLimits(ctx, &row); err != nil {
			return err
		}

		return l.trail.Record(ctx, audit.Entry{
			Action: "attachments.limits_changed", Item: audit.Item{Type: limitsItem, UUID: row.CompanyID}, Changes: row.since(before),
		})
	})

	return row, err
}

// since is what has changed, for the audit trail.
func (row companyLimits) since(before companyLimits) map[string]audit.Change {
	changes := map[string]audit.Change{}
	note := func(key string, was, is any, changed bool) {
		if changed {
			changes[key] = audit.Change{Before: was, After: is}
		}
	}
	note("max_size", before.MaxSize, row.MaxSize, before.MaxSize != row.MaxSize)
	note("max_company_size", before.MaxCompanySize, row.MaxCompanySize, before.MaxCompanySize != row.MaxCompanySize)
	note("types", strings.Join(before.Types, ", "), strings.Join(row.Types, ", "), !slices.Equal(before.Types, row.Types))

	return changes
}

func overQuota(used, limit int64) error {
	return errQuota.WithMessage("The files of the company may take %s, and take %d bytes. Delete some, or ask for more room.", config.Size(limit), used).
		WithDetail("used", used).WithDetail("limit", limit)
}

// count adds to what the company's files take, and refuses what is more than they may.
func (s *service) count(ctx context.Context, bytes, files int64) error {
	own, err := s.repository.limits(ctx)
	if err != nil {
		return err
	}
	limit := own.total(s.settings)
	fits, err := s.repository.use(ctx, bytes, files, limit, s.clock.Now())
	if err != nil || fits {
		return err
	}
	used, err := s.repository.usage(ctx)
	if err != nil {
		return err
	}

	return overQuota(used.Bytes, limit)
}

// bounded gives an upload the limits of the company.
func (s *service) bounded(ctx context.Context, in incoming) (incoming, error) {
	own, err := s.repository.limits(ctx)
	in.own = own

	return in, err
}
