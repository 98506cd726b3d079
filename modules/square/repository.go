package square

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
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

// retryRenewal is when tokens are renewed again that Square refused to renew.
const retryRenewal = 24 * time.Hour

// grants keeps the grants, and when their tokens are renewed.
type grants struct {
	db    *database.DB
	clock clock.Clock
	trail *audit.Log
}

func newGrants(db *database.DB, c clock.Clock, trail *audit.Log) *grants {
	return &grants{db: db, clock: c, trail: trail}
}

// connect stores that a merchant has granted access to an account.
func (g *grants) connect(ctx context.Context, account uuid.UUID, merchant string) error {
	if err := g.save(ctx, account, merchant); err != nil {
		return err
	}

	return g.trail.Record(ctx, audit.Entry{Action: "square.connected", Item: audit.Item{Type: "cards.account", UUID: account}})
}

// revoke deletes the grant of an account whose access was revoked.
func (g *grants) revoke(ctx context.Context, account uuid.UUID) error {
	if err := g.drop(ctx, account); err != nil {
		return err
	}

	return g.trail.Record(ctx, audit.Entry{Action: "square.revoked", Item: audit.Item{Type: "cards.account", UUID: account}})
}

// of returns the grants of a merchant to companies of any kind: a merchant may have several here.
func (g *grants) of(ctx context.Context, merchant string) ([]grant, error) {
	ctx = database.AcrossCompanies(ctx, "whose merchant it is, is not known before")
	const most = 100

	return database.All[grant](g.db.Conn(ctx).Where("merchant_id = ?", merchant).Order("company_id, id").Limit(most))
}

// eachDue calls do for the grants of all companies whose tokens are to be renewed now, as database.Each does.
func (g *grants) eachDue(ctx context.Context, do func(ctx context.Context, account uuid.UUID) error) error {
	ctx = database.AcrossCompanies(ctx, "tokens are renewed for all companies")

	return g.db.Each(ctx, g.db.Conn(ctx).Model(&grant{}).Where("renew_at <= ?", g.clock.Now()), do)
}

// save stores a grant whose tokens are new, in place of the one that the account has.
func (g *grants) save(ctx context.Context, account uuid.UUID, merchant string) error {
	row := grant{ID: account, Merchant: merchant, RenewAt: g.clock.Now().Add(gateway.RenewEvery)}
	replace := clause.OnConflict{
		Columns: []clause.Column{{Name: "company_id"}, {Name: "id"}}, Where: database.SameCompany(row.TableName()),
		DoUpdates: clause.AssignmentColumns([]string{"merchant_id", "renew_at"}),
	}

	return database.Translate(g.db.Conn(ctx).Clauses(replace).Create(&row).Error)
}

// postpone has tokens renewed later that Square refused to renew.
func (g *grants) postpone(ctx context.Context, account uuid.UUID) error {
	until := g.clock.Now().Add(retryRenewal)

	return database.Translate(g.db.Conn(ctx).Model(&grant{}).Where("id = ?", account).UpdateColumn("renew_at", until).Error)
}

// drop deletes the grant of an account.
func (g *grants) drop(ctx context.Context, account uuid.UUID) error {
	return database.Translate(g.db.Conn(ctx).Where("id = ?", account).Delete(&grant{}).Error)
}
