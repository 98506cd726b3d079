package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// ErrNone is returned for a row that does not exist.
var ErrNone = errors.New("none")

// Repository reads the rows that belong to a bill of lading, and keeps the responses to phones.
type Repository struct {
	db    *database.DB
	clock clock.Clock
}

// NewRepository returns a Repository.
func NewRepository(db *database.DB, c clock.Clock) *Repository { return &Repository{db, c} }

// InTx runs something in a transaction.
func (r *Repository) InTx(ctx context.Context, do func(ctx context.Context) error) error {
	return r.db.InTx(ctx, do)
}

// Receipt is a row of bills_of_lading_receipts: the response to an entry of a phone.
type Receipt struct {
	database.Tenant

	Load      uuid.UUID      `gorm:"primaryKey;column:load_id"`
	Client    uuid.UUID      `gorm:"primaryKey;column:client_id"`
	Answer    rawjson.Object `gorm:"column:answer"`
	CreatedAt time.Time      `gorm:"autoCreateTime:false"`
}

// TableName implements GORM's naming.
func (Receipt) TableName() string { return "bills_of_lading_receipts" }

// Live returns the bills of lading of a load that are not void.
func (r *Repository) Live(ctx context.Context, load uuid.UUID) ([]Bol, error) {
	return database.All[Bol](r.db.Conn(ctx).Where("load_id = ? AND state NOT IN ('void', 'transferred') AND deleted_at IS NULL", load).Order("number"))
}

// Issued returns the bills of lading of a load that were issued and not voided, including those of earlier carriers.
func (r *Repository) Issued(ctx context.Context, load uuid.UUID) ([]Bol, error) {
	return database.All[Bol](r.db.Conn(ctx).Where("load_id = ? AND state NOT IN ('void', 'draft') AND deleted_at IS NULL", load).Order("number"))
}

// InspectionsOf returns the inspections of a bill of lading, those of the pickup first.
func (r *Repository) InspectionsOf(ctx context.Context, bol uuid.UUID) ([]Inspection, error) {
	return database.All[Inspection](r.db.Conn(ctx).Where("bol_id = ? AND deleted_at IS NULL", bol).Order("stage DESC, created_at, id"))
}

// DamagesOf returns the damages of a bill of lading, those of the pickup first.
func (r *Repository) DamagesOf(ctx context.Context, bol uuid.UUID) ([]Damaged, error) {
	return database.All[Damaged](r.db.Conn(ctx).Where("bol_id = ? AND deleted_at IS NULL", bol).Order("stage DESC, created_at, id"))
}

// PhotosOf returns the photos of a bill of lading, those of the pickup first.
func (r *Repository) PhotosOf(ctx context.Context, bol uuid.UUID) ([]Photo, error) {
	return database.All[Photo](r.db.Conn(ctx).Where("bol_id = ? AND deleted_at IS NULL", bol).Order("stage DESC, created_at, id"))
}

// SignaturesOf returns the signatures of a bill of lading, those of the pickup first.
func (r *Repository) SignaturesOf(ctx context.Context, bol uuid.UUID) ([]Signature, error) {
	return database.All[Signature](r.db.Conn(ctx).Where("bol_id = ? AND deleted_at IS NULL", bol).Order("stage DESC, created_at, id"))
}

// DamageCount returns how many damages an inspection has.
func (r *Repository) DamageCount(ctx context.Context, inspection uuid.UUID) (n int64, err error) {
	err = r.db.Conn(ctx).Model(&Damaged{}).Where("inspection_id = ? AND deleted_at IS NULL", inspection).Count(&n).Error

	return n, database.Translate(err)
}

// PhotoCount returns how many photos an inspection has, and the bytes of all photos of its bill of lading.
func (r *Repository) PhotoCount(ctx context.Context, inspection, bol uuid.UUID) (n, bytes int64, err error) {
	all, err := database.All[Photo](r.db.Conn(ctx).Select("inspection_id", "size_bytes").Where("bol_id = ? AND deleted_at IS NULL", bol))
	for _, p := range all {
		if bytes += p.Size; p.Inspection == inspection {
			n++
		}
	}

	return n, bytes, err
}

// Inspection returns that of a vehicle at a stage. Error: ErrNone.
func (r *Repository) Inspection(ctx context.Context, bol, vehicle uuid.UUID, at Stage) (Inspection, error) {
	return database.One[Inspection](r.db.Conn(ctx), ErrNone, "bol_id = ? AND vehicle_id = ? AND stage = ? AND deleted_at IS NULL", bol, vehicle, at)
}

// Photo returns a photo of an inspection by its content or its attachment. Error: ErrNone.
func (r *Repository) Photo(ctx context.Context, inspection, attachment uuid.UUID, sum string) (Photo, error) {
	return database.One[Photo](r.db.Conn(ctx), ErrNone, "inspection_id = ? AND (sha256 = ? OR attachment_id = ?) AND deleted_at IS NULL", inspection, sum, attachment)
}

// Receipt returns the response to an entry of a phone. Error: ErrNone.
func (r *Repository) Receipt(ctx context.Context, load, client uuid.UUID) (Receipt, error) {
	return database.One[Receipt](r.db.Conn(ctx), ErrNone, "load_id = ? AND client_id = ?", load, client)
}

// Claim reserves the id of an entry, in a transaction. Error: database.ErrDuplicate.
func (r *Repository) Claim(ctx context.Context, load, client uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Create(&Receipt{Load: load, Client: client, Answer: rawjson.Object("{}"), CreatedAt: r.clock.Now().UTC()}).Error)
}

// Answer stores the response to an entry.
func (r *Repository) Answer(ctx context.Context, load, client uuid.UUID, text []byte) error {
	return database.Translate(r.db.Conn(ctx).Model(&Receipt{}).Where("load_id = ? AND client_id = ?", load, client).UpdateColumn("answer", rawjson.Object(text)).Error)
}

const (
	// receiptLife is how long a phone may repeat what it sent.
	receiptLife = 90 * 24 * time.Hour
	// PurgeEvery is how often old receipts are deleted.
	PurgeEvery = 24 * time.Hour
)

// Purge are the arguments of the job that deletes old receipts.
type Purge struct{}

// Kind implements jobs.Args.
func (Purge) Kind() string { return "bills_of_lading.purge_receipts" }

// Purge deletes old receipts.
func (r *Repository) Purge(ctx context.Context, _ Purge) error {
	ctx = database.AcrossCompanies(ctx, "old receipts are deleted for all companies")

	return r.db.InTx(ctx, func(ctx context.Context) error {
		return database.Translate(r.db.Conn(ctx).Where("created_at < ?", r.clock.Now().Add(-receiptLife)).Delete(&Receipt{}).Error)
	})
}

// Rendering is the job that files the PDF of a bill of lading as it was signed at a stage.
type Rendering struct {
	BOL   uuid.UUID `json:"bol"`
	Stage Stage     `json:"stage"`
}

// Kind implements jobs.Args.
func (Rendering) Kind() string { return "bills_of_lading.render" }
