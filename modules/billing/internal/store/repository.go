package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Due returns the subscriptions of all companies with something to do at a time, the earliest first.
func (t *Tables) Due(ctx context.Context, at time.Time, most int) ([]database.Place, error) {
	ctx = database.AcrossCompanies(ctx, "subscriptions are renewed for all companies")

	return database.All[database.Place](t.DB.Conn(ctx).Model(&Subscription{}).Where("next_at <= ? AND deleted_at IS NULL", at).
		Order("next_at, id").Limit(most))
}

// Postpone has a subscription worked on later. Its version stays.
func (t *Tables) Postpone(ctx context.Context, id uuid.UUID, until time.Time) error {
	return t.DB.InTx(ctx, func(ctx context.Context) error {
		return database.Translate(t.DB.Conn(ctx).Model(&Subscription{}).Where("id = ?", id).UpdateColumn("next_at", until).Error)
	})
}
