package packet

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// The table and the column of encrypted account numbers.
const (
	AccountsTable = "carriers_packet_accounts"
	AccountColumn = "number"
)

// account is the account number of a packet, under the packet's id.
type account struct {
	database.Tenant

	ID     uuid.UUID
	Number []byte
}

// TableName implements GORM's naming.
func (account) TableName() string { return AccountsTable }

// settingsRow is a row of carriers_packet_settings.
type settingsRow struct {
	database.Tenant

	Documents []string `gorm:"serializer:json"`
	Agreement string
	LinkDays  int64
	Version   int64
	UpdatedAt time.Time
	UpdatedBy *uuid.UUID
}

// TableName implements GORM's naming.
func (settingsRow) TableName() string { return "carriers_packet_settings" }

// Repository reads and writes the settings and account numbers of packets.
type Repository struct {
	db   *database.DB
	keys *secret.Keys
}

// NewRepository returns a Repository.
func NewRepository(db *database.DB, keys *secret.Keys) *Repository { return &Repository{db, keys} }

// InTx runs a function in a transaction, which may be the caller's.
func (r *Repository) InTx(ctx context.Context, fn func(context.Context) error) error {
	return r.db.InTx(ctx, fn)
}

// settings returns the row of the caller's company, or nil.
func (r *Repository) settings(ctx context.Context) (*settingsRow, error) {
	rows, err := database.All[settingsRow](r.db.Conn(ctx).Where("version > 0").Limit(1))
	if err != nil || len(rows) == 0 {
		return nil, err
	}

	return &rows[0], nil
}

// lockSettings creates the row if it is missing, and locks it until the transaction ends.
func (r *Repository) lockSettings(ctx context.Context, now time.Time) error {
	none := settingsRow{Documents: []string{}, UpdatedAt: now}
	if err := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&none).Error; err != nil {
		return database.Translate(err)
	}
	_, err := database.All[settingsRow](database.ForUpdate(r.db.Conn(ctx).Where("version >= 0")))

	return err
}

func (r *Repository) saveSettings(ctx context.Context, row settingsRow) error {
	return database.Translate(r.db.Conn(ctx).Model(&settingsRow{}).Where("version >= 0").
		Select("documents", "agreement", "link_days", "version", "updated_at", "updated_by").Updates(&row).Error)
}

func placeOf(ctx context.Context, id uuid.UUID) secret.Place {
	return secret.Place{Table: AccountsTable, Column: AccountColumn, Company: principal.CompanyOf(ctx), ID: id}
}

// KeepAccount replaces the account number of a packet; an empty one deletes it.
func (r *Repository) KeepAccount(ctx context.Context, id uuid.UUID, number secret.Text) error {
	if err := r.db.Conn(ctx).Where("id = ?", id).Delete(&account{}).Error; err != nil || number.Reveal() == "" {
		return database.Translate(err)
	}
	sealed, err := r.keys.Seal(ctx, placeOf(ctx, id), []byte(number.Reveal()))
	if err != nil {
		return err
	}

	return database.Translate(r.db.Conn(ctx).Create(&account{ID: id, Number: sealed}).Error)
}

var errNoAccount = errors.New("packet: no account number")

// Account returns the account number of a packet, or an empty one.
func (r *Repository) Account(ctx context.Context, id uuid.UUID) (secret.Text, error) {
	row, err := database.One[account](r.db.Conn(ctx), errNoAccount, "id = ?", id)
	if errors.Is(err, errNoAccount) {
		return secret.Text{}, nil
	}
	if err != nil {
		return secret.Text{}, err
	}
	number, err := r.keys.Open(ctx, placeOf(ctx, id), row.Number)

	return secret.Hide(string(number)), err
}

// EachUnopened calls do for the packets of all companies that were not started before their links expired.
func (r *Repository) EachUnopened(ctx context.Context, now time.Time, do func(context.Context, uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "packets expire in all companies")).Model(&Packet{}).
		Where("state = 'sent' AND link_expires_at <= ? AND deleted_at IS NULL", now), do)
}
