package carriers

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

// repository reads and writes what the resources do not.
type repository struct {
	db     *database.DB
	engine *resource.Engine
}

func newRepository(db *database.DB, e *resource.Engine) *repository { return &repository{db, e} }

// inTx runs a function in a transaction.
func (r *repository) inTx(ctx context.Context, fn func(context.Context) error) error {
	return r.db.InTx(ctx, fn)
}

// ids returns all carriers of the caller's company.
func (r *repository) ids(ctx context.Context) (ids []uuid.UUID, err error) {
	err = r.db.Conn(ctx).Model(&carrier{}).Where("deleted_at IS NULL AND merged_into_id IS NULL").Order("id").Pluck("id", &ids).Error

	return ids, database.Translate(err)
}

// reachedBy returns the oldest carrier with an e-mail address, or else a phone. Error: errNobody.
func (r *repository) reachedBy(ctx context.Context, email, phone string) (carrier, error) {
	return database.One[carrier](r.db.Conn(ctx).Order("id").Limit(1), errNobody,
		"(email = ? AND ? <> '' OR phone = ? AND ? <> '' AND ? = '') AND deleted_at IS NULL AND merged_into_id IS NULL", email, email, phone, phone, email)
}

// numbered returns the carrier with a USDOT number. Error: errNobody.
func (r *repository) numbered(ctx context.Context, usdot string) (carrier, error) {
	return database.One[carrier](r.db.Conn(ctx).Order("id").Limit(1), errNobody, "usdot = ? AND deleted_at IS NULL AND merged_into_id IS NULL", usdot)
}

// companies returns the companies that have carriers.
func (r *repository) companies(ctx context.Context) (ids []uuid.UUID, err error) {
	ctx = database.AcrossCompanies(ctx, "verdicts are checked again in all companies")
	err = r.db.Conn(ctx).Model(&carrier{}).Where("deleted_at IS NULL").Distinct("company_id").Order("company_id").Pluck("company_id", &ids).Error

	return ids, database.Translate(err)
}

// keepVerdict stores the result of a verdict with a locked carrier. The version of the carrier stays.
func (r *repository) keepVerdict(ctx context.Context, id uuid.UUID, status, codes string, at time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&carrier{}).Where("id = ?", id).
		UpdateColumns(map[string]any{"compliance": status, "compliance_codes": codes, "compliance_checked_at": at}).Error)
}

// standings returns carriers with the results of their last verdicts, ordered by id; status and one narrow them if given.
func (r *repository) standings(ctx context.Context, status string, one, after uuid.UUID, limit int) (rows []carrier, err error) {
	tx := r.db.Dynamic(ctx).Model(&carrier{}).Select("id", "legal_name", "compliance", "compliance_codes", "compliance_checked_at").
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

// counted is the number of incidents of a carrier by kind, state and confirmation.
type counted struct {
	CarrierID uuid.UUID
	Kind      string
	State     string
	Confirmed bool
	N         int
}

// incidents counts the incidents since a day, of some carriers or, if nil, of all.
func (r *repository) incidents(ctx context.Context, since field.Date, carriers []uuid.UUID) (rows []counted, err error) {
	tx := r.db.Conn(ctx).Model(&incident{}).Select("carrier_id, kind, state, confirmed_at IS NOT NULL AS confirmed, count(*) AS n").
		Where("deleted_at IS NULL AND happened_on >= ?", since)
	if carriers != nil {
		tx = tx.Where("carrier_id IN ?", carriers)
	}
	err = tx.Group("carrier_id, kind, state, confirmed_at IS NOT NULL").Find(&rows).Error

	return rows, database.Translate(err)
}

// latestIncidents returns the incidents of a carrier that the caller may read, the latest first.
func (r *repository) latestIncidents(ctx context.Context, carrier uuid.UUID, limit int) ([]incident, error) {
	tx, err := r.engine.Visible(ctx, r.db.Conn(ctx), "item_part")
	if err != nil {
		return nil, err
	}

	return database.All[incident](tx.Where("carrier_id = ? AND deleted_at IS NULL", carrier).Order("happened_on DESC, id DESC").Limit(limit))
}

// verdictRow is a row of carriers_verdict_changes.
type verdictRow struct {
	database.Tenant

	ID         uuid.UUID
	CarrierID  uuid.UUID
	At         time.Time
	FromStatus string
	ToStatus   string
	Codes      string
}

// TableName implements GORM's naming.
func (verdictRow) TableName() string { return "carriers_verdict_changes" }

// keepChanges stores changes of verdicts.
func (r *repository) keepChanges(ctx context.Context, rows []verdictRow) error {
	if len(rows) == 0 {
		return nil
	}

	return database.Translate(r.db.Conn(ctx).Create(&rows).Error)
}

// verdictChanges returns the changes of the verdict on a carrier, the latest first.
func (r *repository) verdictChanges(ctx context.Context, carrier uuid.UUID, limit int) ([]verdictRow, error) {
	return database.All[verdictRow](r.db.Conn(ctx).Where("carrier_id = ?", carrier).Order("at DESC, id DESC").Limit(limit))
}

// candidates returns the carriers that can be suggested: active ones that the last verdict does not block.
func (r *repository) candidates(ctx context.Context, limit int) ([]carrier, error) {
	return database.All[carrier](r.db.Conn(ctx).Select("id, legal_name, usdot, phone, email, equipment, lanes, preferred, rating, insurance, "+
		"agreement_signed, agreement_expires, compliance").
		Where("deleted_at IS NULL AND merged_into_id IS NULL AND status = ? AND compliance NOT IN ?", active, []verdict.Status{verdict.Blocked, verdict.Expired}).
		Order("preferred DESC, rating DESC, id").Limit(limit))
}

// keepUse stores when a user last used a saved carrier.
func (r *repository) keepUse(ctx context.Context, user, saved uuid.UUID, at time.Time) error {
	return r.db.Pipeline(ctx, "an insert that may be there; the company is bound",
		`INSERT INTO carriers_saved_uses (company_id, user_id, saved_id, used_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (company_id, user_id, saved_id) DO UPDATE SET used_at = excluded.used_at`,
		[]any{principal.CompanyOf(ctx), user, saved, at}, nil)
}

// recentlySaved returns the saved carriers that a user read, saved or changed, the latest first.
func (r *repository) recentlySaved(ctx context.Context, user uuid.UUID, limit int) (rows []savedCarrier, err error) {
	err = r.db.Raw(ctx, "a join; the company is bound").Raw(`SELECT s.* FROM carriers_saved AS s
		LEFT JOIN carriers_saved_uses AS u ON u.company_id = s.company_id AND u.saved_id = s.id AND u.user_id = ?
		WHERE s.company_id = ? AND s.deleted_at IS NULL AND (u.user_id IS NOT NULL OR s.created_by = ? OR s.updated_by = ?)
		ORDER BY CASE WHEN s.updated_by = ? AND (u.used_at IS NULL OR s.updated_at > u.used_at) THEN s.updated_at
			ELSE coalesce(u.used_at, s.created_at) END DESC, s.id DESC LIMIT ?`,
		user, principal.CompanyOf(ctx), user, user, user, limit).Scan(&rows).Error

	return rows, database.Translate(err)
}
