package loads

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// onLoad is a VIN on an open load.
type onLoad struct {
	database.Tenant

	LoadID uuid.UUID `gorm:"primaryKey"`
	VIN    string    `gorm:"primaryKey;column:vin"`
}

// TableName implements GORM's naming.
func (onLoad) TableName() string { return "loads_vins" }

// repository reads and writes what belongs to no resource; the database package keeps companies apart.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db} }

func (r *repository) addVINs(ctx context.Context, all []onLoad) error {
	if len(all) == 0 {
		return nil
	}

	return database.Translate(r.db.Conn(ctx).Create(&all).Error)
}

func (r *repository) removeVINs(ctx context.Context, loads []uuid.UUID) error {
	if len(loads) == 0 {
		return nil
	}

	return database.Translate(r.db.Conn(ctx).Where("load_id IN ?", loads).Delete(&onLoad{}).Error)
}

// elsewhere returns the VINs that other open loads have too, of some.
func (r *repository) elsewhere(ctx context.Context, but uuid.UUID, vins []string) ([]onLoad, error) {
	const most = 50

	return database.All[onLoad](r.db.Conn(ctx).Where("vin IN ? AND load_id <> ?", vins, but).Order("load_id, vin").Limit(most))
}

// settings returns the settings of the company. Error: database.ErrNotFound.
func (r *repository) settings(ctx context.Context) (settingsRow, error) {
	return database.One[settingsRow](r.db.Conn(ctx).Where("version > 0"), database.ErrNotFound, "id = ?", onlySettings)
}

// beginSettings makes and holds the row of the company's settings, in the transaction in ctx.
func (r *repository) beginSettings(ctx context.Context) error {
	row := settingsRow{ID: onlySettings}
	if err := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
		return database.Translate(err)
	}

	return database.Translate(r.db.Conn(ctx).Model(&settingsRow{}).Where("id = ?", onlySettings).UpdateColumn("id", onlySettings).Error)
}

func (r *repository) saveSettings(ctx context.Context, s settings) error {
	return database.Translate(r.db.Conn(ctx).Model(&settingsRow{}).Where("id = ?", onlySettings).
		Updates(map[string]any{"body": resource.JSON[settings]{V: s}, "version": s.Version}).Error)
}

// eachHeld calls do for the loads of all companies whose hold is over at a time, as database.Each does.
func (r *repository) eachHeld(ctx context.Context, at time.Time, do func(ctx context.Context, id uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "holds end in all companies")).Model(&load{}).Where("hold_until <= ? AND deleted_at IS NULL", at), do)
}

// rate is what a load cost.
type rate struct{ Tariff, CarrierPay money.Amount }

// rates returns what the loads of a lane cost that were booked since a time, the latest thousand.
func (r *repository) rates(ctx context.Context, where, from, to string, in money.Currency, since time.Time, but uuid.UUID) ([]rate, error) {
	const most = 1000

	return database.All[rate](r.db.Conn(ctx).Model(&load{}).Select("tariff, carrier_pay").Where(where, from, to).
		Where("currency = ? AND booked_at >= ? AND id <> ? AND deleted_at IS NULL", in, since, but).Order("booked_at DESC").Limit(most))
}

// ofCustomer returns the newest loads of a customer.
func (r *repository) ofCustomer(ctx context.Context, customer uuid.UUID) ([]load, error) {
	const most = 100
	rows, err := database.All[load](r.db.Conn(ctx).Where("customer_id = ? AND deleted_at IS NULL", customer).Order("created_at DESC, id DESC").Limit(most))
	if rows == nil {
		rows = []load{}
	}

	return rows, err
}

// takeTurn returns the number of the next turn of a rule, in the transaction in ctx, which holds the rule.
func (r *repository) takeTurn(ctx context.Context, rule uuid.UUID) (int64, error) {
	rows := r.db.Conn(ctx).Model(&assignmentRule{}).Where("id = ?", rule)
	if err := rows.UpdateColumn("turn", gorm.Expr("turn + 1")).Error; err != nil {
		return 0, database.Translate(err)
	}
	found, err := database.One[assignmentRule](r.db.Conn(ctx), database.ErrNotFound, "id = ?", rule)

	return found.Turn - 1, err
}
