package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/money"
)

// VINOnLoad is a VIN on an open load.
type VINOnLoad struct {
	database.Tenant

	LoadID uuid.UUID `gorm:"primaryKey"`
	VIN    string    `gorm:"primaryKey;column:vin"`
}

// TableName implements GORM's naming.
func (VINOnLoad) TableName() string { return "loads_vins" }

// Repository reads and writes what belongs to no resource; the database package keeps companies apart.
type Repository struct{ db *database.DB }

// NewRepository returns a Repository.
func NewRepository(db *database.DB) *Repository { return &Repository{db} }

// AddVINs keeps which VINs are on which loads.
func (r *Repository) AddVINs(ctx context.Context, all []VINOnLoad) error {
	if len(all) == 0 {
		return nil
	}

	return database.Translate(r.db.Conn(ctx).Create(&all).Error)
}

// RemoveVINs forgets the VINs of loads.
func (r *Repository) RemoveVINs(ctx context.Context, loads []uuid.UUID) error {
	if len(loads) == 0 {
		return nil
	}

	return database.Translate(r.db.Conn(ctx).Where("load_id IN ?", loads).Delete(&VINOnLoad{}).Error)
}

// Elsewhere returns the VINs that other open loads have too, of some.
func (r *Repository) Elsewhere(ctx context.Context, but uuid.UUID, vins []string) ([]VINOnLoad, error) {
	const most = 50

	return database.All[VINOnLoad](r.db.Conn(ctx).Where("vin IN ? AND load_id <> ?", vins, but).Order("load_id, vin").Limit(most))
}

// EachHeld calls do for the loads of all companies whose hold is over at a time, as database.Each does.
func (r *Repository) EachHeld(ctx context.Context, at time.Time, do func(ctx context.Context, id uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "holds end in all companies")).Model(&Load{}).Where("hold_until <= ? AND deleted_at IS NULL", at), do)
}

// EachOverdue calls do for the loads of all companies that are late at a time and do not say so, and then for those of which a payment is overdue, as
// database.Each does.
func (r *Repository) EachOverdue(ctx context.Context, at time.Time, do func(ctx context.Context, id uuid.UUID) error) error {
	for _, overdue := range []string{"due_at < ? AND late = 'none' AND deleted_at IS NULL", "payment_due_at < ? AND billing <> 'overdue' AND deleted_at IS NULL"} {
		all := r.db.Conn(database.AcrossCompanies(ctx, "loads become late in all companies")).Model(&Load{})
		if err := r.db.Each(ctx, all.Where(overdue, at), do); err != nil {
			return err
		}
	}

	return nil
}

// EachStale calls do for the leads and quoted loads of all companies that were not changed since a time, as database.Each does.
func (r *Repository) EachStale(ctx context.Context, since time.Time, do func(ctx context.Context, id uuid.UUID) error) error {
	open := States(loadsapi.Lead, loadsapi.Quoted)

	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "leads expire in all companies")).Model(&Load{}).
		Where("state IN ? AND updated_at <= ? AND deleted_at IS NULL", open, since), do)
}

// EachUnanswered calls do for the leads of all companies that were assigned until a time, after another one, and on which nobody has worked, as
// database.Each does.
func (r *Repository) EachUnanswered(ctx context.Context, until, after time.Time, do func(ctx context.Context, id uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "leads are passed on in all companies")).Model(&Load{}).
		Where("state = 'lead' AND first_contact_at IS NULL AND deleted_at IS NULL AND assigned_at <= ? AND assigned_at > ?", until, after), do)
}

// Counted is how many loads are in a state, with their offers standing in a way; held and late among them.
type Counted struct {
	State             loadsapi.State
	Coverage          loadsapi.Offers
	Loads, Held, Late int64
}

// isOpen is the condition of the index loads_loads_open, literally, as a database does not see from parameters that it holds.
const isOpen = "deleted_at IS NULL AND state IN ('draft', 'lead', 'quoted', 'booked', 'ready', 'dispatched', 'picked_up', 'delivered')"

// CountOpen counts the loads that are not over by their states, and by how their offers stand.
func (r *Repository) CountOpen(ctx context.Context, now time.Time) ([]Counted, error) {
	return database.All[Counted](r.db.Conn(ctx).Model(&Load{}).Select(`state, coverage, COUNT(*) AS loads, COUNT(held_at) AS held,
		COUNT(CASE WHEN due_at < ? THEN 1 END) AS late`, now).Where(isOpen).Group("state, coverage"))
}

// OfCustomer returns the newest loads of a customer.
func (r *Repository) OfCustomer(ctx context.Context, customer uuid.UUID) ([]Load, error) {
	const most = 100
	rows, err := database.All[Load](r.db.Conn(ctx).Where("customer_id = ? AND deleted_at IS NULL", customer).Order("created_at DESC, id DESC").Limit(most))
	if rows == nil {
		rows = []Load{}
	}

	return rows, err
}

// Owed returns what a customer has yet to pay for its loads, by currency.
func (r *Repository) Owed(ctx context.Context, customer uuid.UUID) (map[money.Currency]money.Amount, error) {
	type sum struct {
		Currency money.Currency
		Units    int64
	}
	const digits = 4 // which both databases add up exactly
	rows, err := database.All[sum](r.db.Conn(ctx).Model(&Load{}).Select("currency, SUM(CAST(ROUND(CAST(customer_balance AS numeric) * 10000) AS bigint)) AS units").
		Where("customer_id = ? AND customer_balance IS NOT NULL AND state NOT IN ? AND deleted_at IS NULL", customer, States(loadsapi.Draft, loadsapi.Lead, loadsapi.Quoted)).Group("currency"))
	owed := make(map[money.Currency]money.Amount, len(rows))
	for _, row := range rows {
		for range digits - row.Currency.Digits() {
			row.Units /= 10 //nolint:mnd // a digit fewer
		}
		owed[row.Currency] = money.OfUnits(row.Units, row.Currency).Amount
	}

	return owed, err
}

// LastUsers returns, for each of some customers, who has the newest of its loads to which somebody is assigned.
func (r *Repository) LastUsers(ctx context.Context, customers []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	last := map[uuid.UUID]uuid.UUID{}
	if len(customers) == 0 {
		return last, nil
	}
	rows, err := database.All[Load](r.db.Conn(ctx).Select("id, customer_id, assigned_id").
		Where("customer_id IN ? AND assigned_id IS NOT NULL AND deleted_at IS NULL", customers).
		Where(`NOT EXISTS (SELECT 1 FROM loads_loads AS newer WHERE newer.company_id = loads_loads.company_id AND newer.customer_id = loads_loads.customer_id
			AND newer.assigned_id IS NOT NULL AND newer.deleted_at IS NULL AND (newer.created_at, newer.id) > (loads_loads.created_at, loads_loads.id))`))
	for _, l := range rows {
		last[*l.Customer] = *l.Assigned
	}

	return last, err
}

// NewestOf returns the newest loads of a customer, drafts aside: nobody has looked at them yet.
func (r *Repository) NewestOf(ctx context.Context, customer uuid.UUID, most int) ([]Load, error) {
	return database.All[Load](r.db.Conn(ctx).Where("customer_id = ? AND state <> ? AND deleted_at IS NULL", customer, loadsapi.Draft).
		Order("created_at DESC, id DESC").Limit(most))
}
