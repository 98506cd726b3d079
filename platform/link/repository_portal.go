package link

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// errClosed is that the portal of a new link is off.
var errClosed = errors.New("the portal is off")

// isOff is the condition that a portal, its second argument, of a company, its first, is off.
const isOff = "EXISTS (SELECT 1 FROM link_portals AS off WHERE off.company_id = ? AND off.portal = ?)"

// withPortal has a statement that reads links read whether their portal is off, if they have one.
func withPortal(tx *gorm.DB, p Portal) *gorm.DB {
	if p == "" {
		return tx
	}

	return tx.Select("link_links.*, "+isOff+" AS portal_off", clause.Column{Table: row{}.TableName(), Name: "company_id"}, p)
}

// ifOpen has an INSERT of a link insert nothing if its portal is off: it is INSERT … SELECT … WHERE in place of INSERT … VALUES, so that
// asking takes no statement of its own.
type ifOpen struct {
	made   *row // its company is known when the statement is built
	portal Portal
}

// Build implements clause.Expression, as gorm.DB.Clauses asks; ModifyStatement does the work.
func (ifOpen) Build(clause.Builder) {}

// ModifyStatement implements gorm.StatementModifier.
func (o ifOpen) ModifyStatement(s *gorm.Statement) {
	s.Clauses["VALUES"] = clause.Clause{Builder: o.build}
}

func (o ifOpen) build(c clause.Clause, b clause.Builder) {
	values, is := c.Expression.(clause.Values)
	if !is || len(values.Values) != 1 {
		_ = b.AddError(gorm.ErrInvalidData) //nolint:errcheck // it returns what it is given

		return
	}
	_ = b.WriteByte('(')
	for i, column := range values.Columns {
		if i > 0 {
			_ = b.WriteByte(',')
		}
		b.WriteQuoted(column)
	}
	_, _ = b.WriteString(") SELECT ") //nolint:errcheck // into memory
	b.AddVar(b, values.Values[0]...)
	clause.Expr{SQL: " WHERE NOT " + isOff, Vars: []any{o.made.CompanyID, o.portal}}.Build(b)
}

// portalsOff returns the portals that the company has switched off.
func (r repository) portalsOff(ctx context.Context) ([]portalRow, error) {
	return database.All[portalRow](r.db.Conn(ctx).Order("portal"))
}

// closePortal switches a portal off, and reports whether it was on.
func (r repository) closePortal(ctx context.Context, p portalRow) (bool, error) {
	tx := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&p)

	return tx.RowsAffected > 0, database.Translate(tx.Error)
}

// openPortal switches a portal on, and reports whether it was off.
func (r repository) openPortal(ctx context.Context, p Portal) (bool, error) {
	tx := r.db.Conn(ctx).Where("portal = ?", p).Delete(&portalRow{})

	return tx.RowsAffected > 0, database.Translate(tx.Error)
}

// countLive counts the company's links that can be used at a time, by purpose.
func (r repository) countLive(ctx context.Context, now time.Time) (map[Purpose]int, error) {
	var counts []struct {
		Purpose Purpose
		Live    int
	}
	err := r.db.Conn(ctx).Model(&row{}).Select("purpose, count(*) AS live").Where(usable, now).Group("purpose").Find(&counts).Error
	live := make(map[Purpose]int, len(counts))
	for _, c := range counts {
		live[c.Purpose] = c.Live
	}

	return live, database.Translate(err)
}
