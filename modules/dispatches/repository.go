package dispatches

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
)

// errNone says that there is no such row.
var errNone = errors.New("none")

// repository reads offers and dispatches by their loads.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db} }

// openOf returns the offers for a load that can be answered, or wait for their turn.
func (r *repository) openOf(ctx context.Context, load uuid.UUID) ([]offer, error) {
	return database.All[offer](r.db.Conn(ctx).Where("load_id = ? AND state IN ? AND deleted_at IS NULL", load, []status{queued, offered, countered}).Order("rank, id"))
}

// openTo returns the offers to a carrier that can be answered, or wait for their turn.
func (r *repository) openTo(ctx context.Context, carrier uuid.UUID) ([]offer, error) {
	return database.All[offer](r.db.Conn(ctx).Where("carrier_id = ? AND state IN ? AND deleted_at IS NULL", carrier, []status{queued, offered, countered}).Order("id"))
}

// states returns the states that offers for a load are in, each once: of those that are open, and of those that were sent since a carrier
// last gave it back.
func (r *repository) states(ctx context.Context, load uuid.UUID) (all []status, err error) {
	given := "EXISTS (SELECT 1 FROM dispatches_dispatches AS ended WHERE ended.company_id = dispatches_offers.company_id AND ended.load_id = dispatches_offers.load_id " +
		"AND ended.cancelled_at >= dispatches_offers.sent_at)"

	return all, database.Translate(r.db.Conn(ctx).Model(&offer{}).Distinct().Where("load_id = ? AND deleted_at IS NULL AND (state IN ('offered', 'countered') OR NOT "+given+")", load).Pluck("state", &all).Error)
}

// next returns the offer of a batch whose turn it is. Error: errNone.
func (r *repository) next(ctx context.Context, batch uuid.UUID) (offer, error) {
	return database.One[offer](r.db.Conn(ctx).Order("rank").Limit(1), errNone, "batch_id = ? AND state = 'queued' AND deleted_at IS NULL", batch)
}

// live returns the dispatch of a load that is not canceled. Error: errNone.
func (r *repository) live(ctx context.Context, load uuid.UUID) (dispatch, error) {
	return database.One[dispatch](r.db.Conn(ctx), errNone, "load_id = ? AND state NOT IN ? AND deleted_at IS NULL", load, []course{cancelledByCarrier, cancelledByBroker})
}

// ofLoads returns the dispatches of loads that are not canceled.
func (r *repository) ofLoads(ctx context.Context, loads []uuid.UUID) (map[uuid.UUID]item.Ref, error) {
	found, err := database.All[dispatch](r.db.Conn(ctx).Select("id, company_id, load_id").
		Where("load_id IN ? AND state NOT IN ? AND deleted_at IS NULL", loads, []course{cancelledByCarrier, cancelledByBroker}))
	all := make(map[uuid.UUID]item.Ref, len(found))
	for _, row := range found {
		all[row.Load] = item.Ref{Type: dispatchesapi.Dispatch, UUID: row.ID}
	}

	return all, err
}

// ended returns the dispatches of a load that were canceled, the latest first.
func (r *repository) ended(ctx context.Context, load uuid.UUID) ([]dispatch, error) {
	return database.All[dispatch](r.db.Conn(ctx).Where("load_id = ? AND state IN ? AND deleted_at IS NULL", load, []course{cancelledByCarrier, cancelledByBroker}).
		Order("cancelled_at DESC, id DESC"))
}

// carriedLoad returns the dispatches of a load by which a carrier has carried it, or is to, in the order in which they were accepted.
func (r *repository) carriedLoad(ctx context.Context, load uuid.UUID) ([]dispatch, error) {
	return database.All[dispatch](r.db.Conn(ctx).Select("id, company_id, carrier_id, accepted_at, end_pay, end_paid_at").
		Where("load_id = ? AND (picked_up_at IS NOT NULL OR state NOT IN ?) AND deleted_at IS NULL", load, []course{cancelledByCarrier, cancelledByBroker}).
		Order("accepted_at, id"))
}

// offersTo returns the latest offers to a carrier, without what was said of them.
func (r *repository) offersTo(ctx context.Context, carrier uuid.UUID, most int) ([]offer, error) {
	return database.All[offer](r.db.Conn(ctx).Select("id, company_id, state, sent_at, answered_at").Where("carrier_id = ? AND deleted_at IS NULL", carrier).
		Order("created_at DESC, id DESC").Limit(most))
}

// carriedBy returns the latest dispatches of a carrier, without their terms.
func (r *repository) carriedBy(ctx context.Context, carrier uuid.UUID, most int) ([]dispatch, error) {
	return database.All[dispatch](r.db.Conn(ctx).Select("id, company_id, state, created_at, pickup_date, delivery_date, picked_up_at, delivered_at").
		Where("carrier_id = ? AND deleted_at IS NULL", carrier).Order("created_at DESC, id DESC").Limit(most))
}

// eachOverdue calls do for the dispatches of all companies whose carriers may not have come by the agreed day, as database.Each does. It is the
// calendar of their company that says so.
func (r *repository) eachOverdue(ctx context.Context, now time.Time, do func(ctx context.Context, id uuid.UUID) error) error {
	const ahead = 14 * time.Hour // the calendars of the Line Islands, which no other is ahead of
	day := now.UTC().Add(ahead).Format(time.DateOnly)

	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "carriers are overdue in all companies")).Model(&dispatch{}).
		Where("overdue = 'none' AND deleted_at IS NULL AND (state = 'accepted' AND pickup_date < ? OR state IN ('accepted', 'picked_up') AND delivery_date < ?)", day, day), do)
}

// eachDue calls do for the open offers of all companies that have expired at a time, as database.Each does.
func (r *repository) eachDue(ctx context.Context, at time.Time, do func(ctx context.Context, id uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "offers expire in all companies")).Model(&offer{}).
		Where("expires_at <= ? AND state IN ('offered', 'countered') AND deleted_at IS NULL", at), do)
}
