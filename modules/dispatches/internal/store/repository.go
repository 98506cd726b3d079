// Package store has the rows of offers and dispatches: their states, what is done to them, their events and errors, and what follows from a row
// alone.
//
//	model_offer.go, model_dispatch.go   the rows, their lifecycles and rules
//	offer.go, dispatch.go               questions that a row answers by itself
//	proposal.go                         what one party proposes or answers
//	days.go                             the days on which a load can be picked up and delivered
package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
)

// ErrNone says that there is no such row.
var ErrNone = errors.New("none")

// Repository reads offers and dispatches by their loads.
type Repository struct{ db *database.DB }

// NewRepository returns a repository.
func NewRepository(db *database.DB) *Repository { return &Repository{db} }

func openStates() []OfferState { return []OfferState{Queued, Offered, Countered} }

func cancelledStates() []DispatchState { return []DispatchState{CancelledByCarrier, CancelledByBroker} }

// OpenOffers returns the offers for a load that can be answered, or wait for their turn.
func (r *Repository) OpenOffers(ctx context.Context, load uuid.UUID) ([]Offer, error) {
	return database.All[Offer](r.db.Conn(ctx).Where("load_id = ? AND state IN ? AND deleted_at IS NULL", load, openStates()).Order("rank, id"))
}

// OpenOffersTo returns the offers to a carrier that can be answered, or wait for their turn.
func (r *Repository) OpenOffersTo(ctx context.Context, carrier uuid.UUID) ([]Offer, error) {
	return database.All[Offer](r.db.Conn(ctx).Where("carrier_id = ? AND state IN ? AND deleted_at IS NULL", carrier, openStates()).Order("id"))
}

// OfferStates returns the states that offers for a load are in, each once: of those that are open, and of those that were sent since a carrier
// last gave it back.
func (r *Repository) OfferStates(ctx context.Context, load uuid.UUID) (all []OfferState, err error) {
	const givenBack = "EXISTS (SELECT 1 FROM dispatches_dispatches AS ended WHERE ended.company_id = dispatches_offers.company_id " +
		"AND ended.load_id = dispatches_offers.load_id AND ended.cancelled_at >= dispatches_offers.sent_at)"
	found := r.db.Conn(ctx).Model(&Offer{}).Distinct().
		Where("load_id = ? AND deleted_at IS NULL AND (state IN ('offered', 'countered') OR NOT "+givenBack+")", load).Pluck("state", &all)

	return all, database.Translate(found.Error)
}

// NextOfBatch returns the offer of a batch whose turn it is. Error: errNone.
func (r *Repository) NextOfBatch(ctx context.Context, batch uuid.UUID) (Offer, error) {
	return database.One[Offer](r.db.Conn(ctx).Order("rank").Limit(1), ErrNone, "batch_id = ? AND state = 'queued' AND deleted_at IS NULL", batch)
}

// LiveDispatch returns the dispatch of a load that is not canceled. Error: errNone.
func (r *Repository) LiveDispatch(ctx context.Context, load uuid.UUID) (Dispatch, error) {
	return database.One[Dispatch](r.db.Conn(ctx), ErrNone, "load_id = ? AND state NOT IN ? AND deleted_at IS NULL", load, cancelledStates())
}

// DispatchesOfLoads returns the dispatches of loads that are not canceled.
func (r *Repository) DispatchesOfLoads(ctx context.Context, loads []uuid.UUID) (map[uuid.UUID]item.Ref, error) {
	found, err := database.All[Dispatch](r.db.Conn(ctx).Select("id, company_id, load_id").
		Where("load_id IN ? AND state NOT IN ? AND deleted_at IS NULL", loads, cancelledStates()))
	all := make(map[uuid.UUID]item.Ref, len(found))
	for _, row := range found {
		all[row.Load] = item.Ref{Type: dispatchesapi.Dispatch, UUID: row.ID}
	}

	return all, err
}

// CancelledDispatches returns the dispatches of a load that were canceled, the latest first.
func (r *Repository) CancelledDispatches(ctx context.Context, load uuid.UUID) ([]Dispatch, error) {
	return database.All[Dispatch](r.db.Conn(ctx).Where("load_id = ? AND state IN ? AND deleted_at IS NULL", load, cancelledStates()).
		Order("cancelled_at DESC, id DESC"))
}

// Hauls returns the dispatches of a load by which a carrier has carried it, or is to, in the order in which they were accepted.
func (r *Repository) Hauls(ctx context.Context, load uuid.UUID) ([]Dispatch, error) {
	return database.All[Dispatch](r.db.Conn(ctx).Select("id, company_id, carrier_id, accepted_at, end_pay, end_paid_at").
		Where("load_id = ? AND (picked_up_at IS NOT NULL OR state NOT IN ?) AND deleted_at IS NULL", load, cancelledStates()).
		Order("accepted_at, id"))
}

// LatestOffersTo returns the latest offers to a carrier, without their transactions.
func (r *Repository) LatestOffersTo(ctx context.Context, carrier uuid.UUID, most int) ([]Offer, error) {
	return database.All[Offer](r.db.Conn(ctx).Select("id, company_id, state, sent_at, answered_at").Where("carrier_id = ? AND deleted_at IS NULL", carrier).
		Order("created_at DESC, id DESC").Limit(most))
}

// LatestDispatchesOf returns the latest dispatches of a carrier, without their terms.
func (r *Repository) LatestDispatchesOf(ctx context.Context, carrier uuid.UUID, most int) ([]Dispatch, error) {
	return database.All[Dispatch](r.db.Conn(ctx).Select("id, company_id, state, created_at, pickup_date, delivery_date, picked_up_at, delivered_at").
		Where("carrier_id = ? AND deleted_at IS NULL", carrier).Order("created_at DESC, id DESC").Limit(most))
}

// EachOverdue calls do for the dispatches of all companies whose carriers may not have come by the agreed day, as database.Each does. It is the
// calendar of their company that says so.
func (r *Repository) EachOverdue(ctx context.Context, now time.Time, do func(ctx context.Context, id uuid.UUID) error) error {
	const ahead = 14 * time.Hour // the calendars of the Line Islands, which no other is ahead of
	day := now.UTC().Add(ahead).Format(time.DateOnly)

	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "carriers are overdue in all companies")).Model(&Dispatch{}).
		Where("overdue = 'none' AND deleted_at IS NULL AND (state = 'accepted' AND pickup_date < ? OR state IN ('accepted', 'picked_up') AND delivery_date < ?)", day, day), do)
}

// EachDue calls do for the open offers of all companies that have expired at a time, as database.Each does.
func (r *Repository) EachDue(ctx context.Context, at time.Time, do func(ctx context.Context, id uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "offers expire in all companies")).Model(&Offer{}).
		Where("expires_at <= ? AND state IN ('offered', 'countered') AND deleted_at IS NULL", at), do)
}
