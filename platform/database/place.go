package database

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/principal"
)

// Place names a row of any company. Work for all companies finds places by AcrossCompanies, and goes on as the company of each.
type Place struct{ CompanyID, ID uuid.UUID }

// placesAtOnce is how many places are found at a time.
const placesAtOnce = 200

// AfterPlace narrows a query to the places behind one, in their order; most is how many at the most.
func AfterPlace(tx *gorm.DB, last Place, most int) *gorm.DB {
	return tx.Where("(company_id > ? OR (company_id = ? AND id > ?))", last.CompanyID, last.CompanyID, last.ID).
		Order("company_id, id").Limit(most)
}

// Each calls do for every row of a query, whatever company's, a part at a time. It calls as the service itself at work for
// the row's company, in a transaction of its own. The query says in its context why it is AcrossCompanies.
func (db *DB) Each(ctx context.Context, query *gorm.DB, do func(ctx context.Context, id uuid.UUID) error) error {
	query = query.Session(&gorm.Session{})
	for last := (Place{}); ; {
		places, err := All[Place](AfterPlace(query, last, placesAtOnce))
		if err != nil || len(places) == 0 {
			return err
		}
		for _, last = range places {
			ctx := asCompany(ctx, last.CompanyID)
			if err := db.InTx(ctx, func(ctx context.Context) error { return do(ctx, last.ID) }); err != nil {
				return err
			}
		}
	}
}

// Drain calls do for the rows of a query, whatever company's, until it finds none: do removes what was found, or makes it
// something that the query does not find. It calls as Each does, with all rows of a company that were found together.
func (db *DB) Drain(ctx context.Context, query *gorm.DB, do func(ctx context.Context, ids []uuid.UUID) error) error {
	query = query.Session(&gorm.Session{})
	for {
		places, err := All[Place](query.Limit(placesAtOnce))
		if err != nil || len(places) == 0 {
			return err
		}
		byCompany := map[uuid.UUID][]uuid.UUID{}
		for _, at := range places {
			byCompany[at.CompanyID] = append(byCompany[at.CompanyID], at.ID)
		}
		for company, ids := range byCompany {
			ctx := asCompany(ctx, company)
			if err := db.InTx(ctx, func(ctx context.Context) error { return do(ctx, ids) }); err != nil {
				return err
			}
		}
	}
}

// asCompany is a context of one company, whatever it was before: what is done for it reaches no other one.
func asCompany(ctx context.Context, company uuid.UUID) context.Context {
	return principal.AsCompany(context.WithValue(ctx, acrossKey{}, nil), company)
}
