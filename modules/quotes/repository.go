package quotes

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
)

// errNone says that a load has no such quote.
var errNone = errors.New("no quote")

// repository reads quotes by their loads.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db} }

// last returns the latest quote of a load. Error: errNone.
func (r *repository) last(ctx context.Context, load uuid.UUID) (quote, error) {
	return database.One[quote](r.db.Conn(ctx).Order("revision DESC").Limit(1), errNone, "load_id = ? AND deleted_at IS NULL", load)
}

// shown returns the latest quote of a load that was sent. Error: errNone.
func (r *repository) shown(ctx context.Context, load uuid.UUID) (quote, error) {
	return database.One[quote](r.db.Conn(ctx).Order("revision DESC").Limit(1), errNone, "load_id = ? AND sent_at IS NOT NULL AND deleted_at IS NULL", load)
}

// countView counts that the page of a quote was shown. It is no new version of the quote.
func (r *repository) countView(ctx context.Context, id uuid.UUID) error {
	const most = 1000

	return database.Translate(r.db.Conn(ctx).Model(&quote{}).Where("id = ? AND view_count < ?", id, most).UpdateColumn("view_count", gorm.Expr("view_count + 1")).Error)
}

// eachDue calls do for the open quotes of all companies that are no longer valid at a time, as database.Each does.
func (r *repository) eachDue(ctx context.Context, at time.Time, do func(ctx context.Context, id uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "quotes expire in all companies")).Model(&quote{}).Where("valid_until <= ? AND state IN ? AND deleted_at IS NULL", at, []status{sent, viewed}), do)
}

// eachUnwarned calls do for the open quotes of all companies that expire before a time, and of which nobody was told so.
func (r *repository) eachUnwarned(ctx context.Context, before time.Time, do func(ctx context.Context, id uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "quotes expire in all companies")).Model(&quote{}).
		Where("valid_until <= ? AND warned_at IS NULL AND state IN ? AND deleted_at IS NULL", before, []status{sent, viewed}), do)
}
