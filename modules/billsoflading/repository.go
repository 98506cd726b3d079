package billsoflading

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// errNone says that there is no such row.
var errNone = errors.New("none")

// repository reads what belongs to a bill of lading, and keeps what phones were answered.
type repository struct {
	db    *database.DB
	clock clock.Clock
}

func newRepository(db *database.DB, c clock.Clock) *repository { return &repository{db, c} }

// receipt is a row of bills_of_lading_receipts: what a phone was answered.
type receipt struct {
	database.Tenant

	Load      uuid.UUID      `gorm:"primaryKey;column:load_id"`
	Client    uuid.UUID      `gorm:"primaryKey;column:client_id"`
	Answer    rawjson.Object `gorm:"column:answer"`
	CreatedAt time.Time      `gorm:"autoCreateTime:false"`
}

// TableName implements GORM's naming.
func (receipt) TableName() string { return "bills_of_lading_receipts" }

// live returns the bills of lading of a load that are not void.
func (r *repository) live(ctx context.Context, load uuid.UUID) ([]bol, error) {
	return database.All[bol](r.db.Conn(ctx).Where("load_id = ? AND state NOT IN ('void', 'transferred') AND deleted_at IS NULL", load).Order("number"))
}

// issued returns the bills of lading of a load that were issued and not voided, those of carriers that have handed it over among them.
func (r *repository) issued(ctx context.Context, load uuid.UUID) ([]bol, error) {
	return database.All[bol](r.db.Conn(ctx).Where("load_id = ? AND state NOT IN ('void', 'draft') AND deleted_at IS NULL", load).Order("number"))
}

func (r *repository) inspectionsOf(ctx context.Context, bol uuid.UUID) ([]inspection, error) {
	return database.All[inspection](r.db.Conn(ctx).Where("bol_id = ? AND deleted_at IS NULL", bol).Order("stage DESC, created_at, id"))
}

func (r *repository) damagesOf(ctx context.Context, bol uuid.UUID) ([]damaged, error) {
	return database.All[damaged](r.db.Conn(ctx).Where("bol_id = ? AND deleted_at IS NULL", bol).Order("stage DESC, created_at, id"))
}

func (r *repository) photosOf(ctx context.Context, bol uuid.UUID) ([]photo, error) {
	return database.All[photo](r.db.Conn(ctx).Where("bol_id = ? AND deleted_at IS NULL", bol).Order("stage DESC, created_at, id"))
}

func (r *repository) signaturesOf(ctx context.Context, bol uuid.UUID) ([]signature, error) {
	return database.All[signature](r.db.Conn(ctx).Where("bol_id = ? AND deleted_at IS NULL", bol).Order("stage DESC, created_at, id"))
}

// damageCount is how many damages an inspection has.
func (r *repository) damageCount(ctx context.Context, inspection uuid.UUID) (n int64, err error) {
	err = r.db.Conn(ctx).Model(&damaged{}).Where("inspection_id = ? AND deleted_at IS NULL", inspection).Count(&n).Error

	return n, database.Translate(err)
}

// photoCount is how many photos an inspection has, and the bytes of all photos of its bill of lading.
func (r *repository) photoCount(ctx context.Context, inspection, bol uuid.UUID) (n, bytes int64, err error) {
	all, err := database.All[photo](r.db.Conn(ctx).Select("inspection_id", "size_bytes").Where("bol_id = ? AND deleted_at IS NULL", bol))
	for _, p := range all {
		if bytes += p.Size; p.Inspection == inspection {
			n++
		}
	}

	return n, bytes, err
}

// inspection returns that of a vehicle at a stage. Error: errNone.
func (r *repository) inspection(ctx context.Context, bol, vehicle uuid.UUID, at stage) (inspection, error) {
	return database.One[inspection](r.db.Conn(ctx), errNone, "bol_id = ? AND vehicle_id = ? AND stage = ? AND deleted_at IS NULL", bol, vehicle, at)
}

// photo returns a photo of an inspection by its content or its attachment. Error: errNone.
func (r *repository) photo(ctx context.Context, inspection, attachment uuid.UUID, sum string) (photo, error) {
	return database.One[photo](r.db.Conn(ctx), errNone, "inspection_id = ? AND (sha256 = ? OR attachment_id = ?) AND deleted_at IS NULL", inspection, sum, attachment)
}

// receipt returns what a phone was answered. Error: errNone.
func (r *repository) receipt(ctx context.Context, load, client uuid.UUID) (receipt, error) {
	return database.One[receipt](r.db.Conn(ctx), errNone, "load_id = ? AND client_id = ?", load, client)
}

// claim keeps that an entry of a phone is being worked on, in a transaction. Error: database.ErrDuplicate.
func (r *repository) claim(ctx context.Context, load, client uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Create(&receipt{Load: load, Client: client, Answer: rawjson.Object("{}"), CreatedAt: r.clock.Now().UTC()}).Error)
}

// answer keeps what a phone is answered.
func (r *repository) answer(ctx context.Context, load, client uuid.UUID, text []byte) error {
	return database.Translate(r.db.Conn(ctx).Model(&receipt{}).Where("load_id = ? AND client_id = ?", load, client).UpdateColumn("answer", rawjson.Object(text)).Error)
}

const (
	// receiptLife is for how long a phone may repeat what it sent.
	receiptLife = 90 * 24 * time.Hour
	purgeEvery  = 24 * time.Hour
)

// purgeArgs are the arguments of the job that removes old answers.
type purgeArgs struct{}

// Kind implements jobs.Args.
func (purgeArgs) Kind() string { return "bills_of_lading.purge_receipts" }

func (r *repository) purge(ctx context.Context, _ purgeArgs) error {
	ctx = database.AcrossCompanies(ctx, "old answers to phones are removed for all companies")

	return r.db.InTx(ctx, func(ctx context.Context) error {
		return database.Translate(r.db.Conn(ctx).Where("created_at < ?", r.clock.Now().Add(-receiptLife)).Delete(&receipt{}).Error)
	})
}
