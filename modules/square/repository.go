package square

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// grant says which merchant allowed an account to charge cards. Its tokens are with the account's credentials.
type grant struct {
	database.Tenant

	ID       uuid.UUID `gorm:"primaryKey"` // the account's
	Merchant string    `gorm:"column:merchant_id"`
	RenewAt  time.Time
}

// TableName implements GORM's naming.
func (grant) TableName() string { return "square_grants" }

// grants keeps the grants.
type grants struct{ db *database.DB }

func newGrants(db *database.DB) *grants { return &grants{db: db} }

// of returns the grants of a merchant to companies of any kind: a merchant may have several here.
func (g *grants) of(ctx context.Context, merchant string) ([]grant, error) {
	ctx = database.AcrossCompanies(ctx, "whose merchant it is, is not known before")
	const most = 100

	return database.All[grant](g.db.Conn(ctx).Where("merchant_id = ?", merchant).Order("company_id, id").Limit(most))
}

// eachDue calls do for the grants of all companies whose tokens are to be renewed at a time, as database.Each does.
func (g *grants) eachDue(ctx context.Context, at time.Time, do func(ctx context.Context, account uuid.UUID) error) error {
	ctx = database.AcrossCompanies(ctx, "tokens are renewed for all companies")

	return g.db.Each(ctx, g.db.Conn(ctx).Model(&grant{}).Where("renew_at <= ?", at), do)
}

// save stores a grant, in place of the one that the account has.
func (g *grants) save(ctx context.Context, row grant) error {
	replace := clause.OnConflict{
		Columns: []clause.Column{{Name: "company_id"}, {Name: "id"}}, Where: database.SameCompany(row.TableName()),
		DoUpdates: clause.AssignmentColumns([]string{"merchant_id", "renew_at"}),
	}

	return database.Translate(g.db.Conn(ctx).Clauses(replace).Create(&row).Error)
}

// postpone has tokens renewed at a time.
func (g *grants) postpone(ctx context.Context, account uuid.UUID, until time.Time) error {
	return database.Translate(g.db.Conn(ctx).Model(&grant{}).Where("id = ?", account).UpdateColumn("renew_at", until).Error)
}

// drop deletes the grant of an account.
func (g *grants) drop(ctx context.Context, account uuid.UUID) error {
	return database.Translate(g.db.Conn(ctx).Where("id = ?", account).Delete(&grant{}).Error)
}
