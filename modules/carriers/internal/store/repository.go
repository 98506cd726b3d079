package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Repository reads and writes what the resources do not.
type Repository struct {
	db     *database.DB
	engine *resource.Engine
}

// NewRepository returns a Repository.
func NewRepository(db *database.DB, e *resource.Engine) *Repository { return &Repository{db, e} }

// InTx runs a function in a transaction.
func (r *Repository) InTx(ctx context.Context, fn func(context.Context) error) error {
	return r.db.InTx(ctx, fn)
}

// IDs returns all carriers of the caller's company.
func (r *Repository) IDs(ctx context.Context) (ids []uuid.UUID, err error) {
	err = r.db.Conn(ctx).Model(&Carrier{}).Where("deleted_at IS NULL AND merged_into_id IS NULL").Order("id").Pluck("id", &ids).Error

	return ids, database.Translate(err)
}

// ReachedBy returns the oldest carrier with an e-mail address, or else a phone. Error: ErrNone.
func (r *Repository) ReachedBy(ctx context.Context, email, phone string) (Carrier, error) {
	return database.One[Carrier](r.db.Conn(ctx).Order("id").Limit(1), ErrNone,
		"(email = ? AND ? <> '' OR phone = ? AND ? <> '' AND ? = '') AND deleted_at IS NULL AND merged_into_id IS NULL", email, email, phone, phone, email)
}

// Numbered returns the carrier with a USDOT number. Error: ErrNone.
func (r *Repository) Numbered(ctx context.Context, usdot string) (Carrier, error) {
	return database.One[Carrier](r.db.Conn(ctx).Order("id").Limit(1), ErrNone, "usdot = ? AND deleted_at IS NULL AND merged_into_id IS NULL", usdot)
}

// Companies returns the companies that have carriers.
func (r *Repository) Companies(ctx context.Context) (ids []uuid.UUID, err error) {
	ctx = database.AcrossCompanies(ctx, "verdicts are checked again in all companies")
	err = r.db.Conn(ctx).Model(&Carrier{}).Where("deleted_at IS NULL").Distinct("company_id").Order("company_id").Pluck("company_id", &ids).Error

	return ids, database.Translate(err)
}

// KeepVerdict stores the result of a verdict with a locked carrier. The version of the carrier stays.
func (r *Repository) KeepVerdict(ctx context.Context, id uuid.UUID, status, codes string, at time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&Carrier{}).Where("id = ?", id).
		UpdateColumns(map[string]any{"compliance": status, "compliance_codes": codes, "compliance_checked_at": at}).Error)
}

// Standings returns carriers with the results of their last verdicts, ordered by id; status and one narrow them if given.
func (r *Repository) Standings(ctx context.Context, status string, one, after uuid.UUID, limit int) (rows []Carrier, err error) {
	tx := r.db.Dynamic(ctx).Model(&Carrier{}).Select("id", "legal_name", "compliance", "compliance_codes", "compliance_checked_at").
		Where("deleted_at IS NULL AND merged_into_id IS NULL AND id > ?", after)
	if status != "" {
		tx = tx.Where("compliance = ?", status)
	}
	if one != uuid.Nil {
		tx = tx.Where("id = ?", one)
	}
	err = tx.Order("id").Limit(limit).Find(&rows).Error

	return rows, database.Translate(err)
}

// Records returns the records of some carriers or, if none are named, of all, in the year until a day; without empty ones.
func (r *Repository) Records(ctx context.Context, today field.Date, carriers ...uuid.UUID) (map[uuid.UUID]Record, error) {
	day, err := time.Parse(time.DateOnly, string(today))
	if err != nil {
		return nil, err
	}
	tx := r.db.Conn(ctx).Model(&Incident{}).Select("carrier_id, kind, state, confirmed_at IS NOT NULL AS confirmed, count(*) AS n").
		Where("deleted_at IS NULL AND happened_on >= ?", day.AddDate(0, 0, -remembered).Format(time.DateOnly))
	if carriers != nil {
		tx = tx.Where("carrier_id IN ?", carriers)
	}
	var rows []counted
	err = tx.Group("carrier_id, kind, state, confirmed_at IS NOT NULL").Find(&rows).Error

	return recordsOf(rows), database.Translate(err)
}

// LatestIncidents returns the incidents of a carrier that the caller may read, the latest first.
func (r *Repository) LatestIncidents(ctx context.Context, carrier uuid.UUID, limit int) ([]Incident, error) {
	tx, err := r.engine.Visible(ctx, r.db.Conn(ctx), "item_part")
	if err != nil {
		return nil, err
	}

	return database.All[Incident](tx.Where("carrier_id = ? AND deleted_at IS NULL", carrier).Order("happened_on DESC, id DESC").Limit(limit))
}

// VerdictChange is a row of carriers_verdict_changes.
type VerdictChange struct {
	database.Tenant

	ID         uuid.UUID
	CarrierID  uuid.UUID
	At         time.Time
	FromStatus string
	ToStatus   string
	Codes      string
}

// TableName implements GORM's naming.
func (VerdictChange) TableName() string { return "carriers_verdict_changes" }

// KeepChanges stores changes of verdicts.
func (r *Repository) KeepChanges(ctx context.Context, rows []VerdictChange) error {
	if len(rows) == 0 {
		return nil
	}

	return database.Translate(r.db.Conn(ctx).Create(&rows).Error)
}

// VerdictChanges returns the changes of the verdict on a carrier, the latest first.
func (r *Repository) VerdictChanges(ctx context.Context, carrier uuid.UUID, limit int) ([]VerdictChange, error) {
	return database.All[VerdictChange](r.db.Conn(ctx).Where("carrier_id = ?", carrier).Order("at DESC, id DESC").Limit(limit))
}

// Candidates returns the carriers that can be suggested: active ones that the last verdict does not block.
func (r *Repository) Candidates(ctx context.Context, limit int) ([]Carrier, error) {
	return database.All[Carrier](r.db.Conn(ctx).Select("id, legal_name, usdot, phone, email, equipment, lanes, preferred, rating, insurance, "+
		"agreement_signed, agreement_expires, compliance").
		Where("deleted_at IS NULL AND merged_into_id IS NULL AND status = ? AND compliance NOT IN ?", Active, []verdict.Status{verdict.Blocked, verdict.Expired}).
		Order("preferred DESC, rating DESC, id").Limit(limit))
}

// KeepUse stores when a user last used a saved carrier.
func (r *Repository) KeepUse(ctx context.Context, user, saved uuid.UUID, at time.Time) error {
	return r.db.Pipeline(ctx, "an insert that may be there; the company is bound",
		`INSERT INTO carriers_saved_uses (company_id, user_id, saved_id, used_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (company_id, user_id, saved_id) DO UPDATE SET used_at = excluded.used_at`,
		[]any{principal.CompanyOf(ctx), user, saved, at}, nil)
}

// RecentlySaved returns the saved carriers that a user read, saved or changed, the latest first.
func (r *Repository) RecentlySaved(ctx context.Context, user uuid.UUID, limit int) (rows []SavedCarrier, err error) {
	err = r.db.Raw(ctx, "a join; the company is bound").Raw(`SELECT s.* FROM carriers_saved AS s
		LEFT JOIN carriers_saved_uses AS u ON u.company_id = s.company_id AND u.saved_id = s.id AND u.user_id = ?
		WHERE s.company_id = ? AND s.deleted_at IS NULL AND (u.user_id IS NOT NULL OR s.created_by = ? OR s.updated_by = ?)
		ORDER BY CASE WHEN s.updated_by = ? AND (u.used_at IS NULL OR s.updated_at > u.used_at) THEN s.updated_at
			ELSE coalesce(u.used_at, s.created_at) END DESC, s.id DESC LIMIT ?`,
		user, principal.CompanyOf(ctx), user, user, user, limit).Scan(&rows).Error

	return rows, database.Translate(err)
}
