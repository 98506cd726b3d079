package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"

	"github.com/dispatchd/dispatchd/platform/principal"
)

// Tenant is embedded in a row of a company. The plug-in fills it in and filters by it.
type Tenant struct {
	CompanyID uuid.UUID
}

// Global is embedded in a row that belongs to no company.
type Global struct{}

const (
	companyColumn = "company_id"
	companyField  = "CompanyID"
	// settingRaw marks handles of DB.Raw.
	settingRaw = "dispatchd:raw"
)

// Why a statement is refused. They are defects of ours, so none is an errs.Error.
var (
	errNoPrincipal = errors.New("nobody is calling: put a principal into the context, or use AcrossCompanies")
	errNoModel     = errors.New("no model: use a struct that embeds database.Tenant or database.Global")
	errUndeclared  = errors.New("the model embeds neither database.Tenant nor database.Global")
	errOtherTable  = errors.New("the table is not the model's")
	errJoins       = errors.New("joins are not filtered by company: use DB.Raw, or a statement a table")
	errByHand      = errors.New("SQL by hand is not filtered by company: use DB.Raw")
	errOutsideTx   = errors.New("a write outside DB.InTx")
	errSave        = errors.New("saving writes every column of whatever has that id: use Updates with the columns that change")
	errConflict    = errors.New("ON CONFLICT may update another company's row: add SameCompany to its Where")
	errCompany     = errors.New("company_id is not for writing")
	errOther       = errors.New("the row belongs to another company than the caller")
	errAssociation = errors.New("the model has associations: write each row by itself, or omit clause.Associations")
	errUnbounded   = errors.New("an update or delete without a condition of its own")
)

type acrossKey struct{}

// AcrossCompanies returns a context in which statements see the rows of all companies. It is for
// the service itself and for the operator; say why, for the reader and the log.
func AcrossCompanies(ctx context.Context, why string) context.Context {
	return context.WithValue(ctx, acrossKey{}, why)
}

// SameCompany is the Where of an ON CONFLICT clause on a tenant table.
func SameCompany(table string) clause.Where {
	return clause.Where{Exprs: []clause.Expression{clause.Expr{SQL: table + ".company_id = excluded.company_id"}}}
}

// tenancy is the GORM plug-in that keeps companies apart.
type tenancy struct{ log *slog.Logger }

// Name implements gorm.Plugin.
func (tenancy) Name() string { return "dispatchd:tenancy" }

// Initialize implements gorm.Plugin.
func (p tenancy) Initialize(db *gorm.DB) error {
	callback := db.Callback()

	return errors.Join(
		callback.Query().Before("*").Register("dispatchd:query", p.guard(read)),
		callback.Row().Before("*").Register("dispatchd:row", p.guard(byHand)),
		callback.Raw().Before("*").Register("dispatchd:raw", p.guard(byHand)),
		callback.Create().Before("*").Register("dispatchd:create", p.guard(create)),
		callback.Update().Before("*").Register("dispatchd:update", p.guard(update)),
		callback.Delete().Before("*").Register("dispatchd:delete", p.guard(remove)),
	)
}

// guard makes a callback of a check. A statement that fails its check does not reach the database.
func (p tenancy) guard(check func(*gorm.Statement) error) func(*gorm.DB) {
	return func(db *gorm.DB) {
		if db.Error != nil {
			return
		}
		if why, ok := db.Statement.Context.Value(acrossKey{}).(string); ok {
			p.log.DebugContext(db.Statement.Context, "statement across companies", "why", why)
		}
		if err := check(db.Statement); err != nil {
			_ = db.AddError(fmt.Errorf("database: %s: %w", tableOf(db.Statement), err))
		}
	}
}

func tableOf(s *gorm.Statement) string {
	if s.Table != "" {
		return s.Table
	}

	return "statement"
}

func isRaw(s *gorm.Statement) bool {
	_, ok := s.Settings.Load(settingRaw)

	return ok
}

func inTx(s *gorm.Statement) error {
	if !InTransaction(s.Context) {
		return errOutsideTx
	}

	return nil
}

// byHand refuses Raw, Exec, Row, Rows and Scan outside DB.Raw. Exec is a write.
func byHand(s *gorm.Statement) error {
	if !isRaw(s) {
		return errByHand
	}

	return nil
}

func read(s *gorm.Statement) error {
	if isRaw(s) {
		return nil
	}
	if s.SQL.Len() > 0 {
		return errByHand
	}
	tenant, err := modelOf(s)
	if err != nil || !tenant {
		return err
	}

	return filter(s)
}

func update(s *gorm.Statement) error {
	if err := change(s); err != nil {
		return err
	}
	if slices.Contains(s.Selects, "*") {
		return errSave
	}

	return keepCompany(s)
}

func remove(s *gorm.Statement) error { return change(s) }

// change checks what updates and deletes have in common.
func change(s *gorm.Statement) error {
	if err := inTx(s); err != nil {
		return err
	}
	tenant, err := modelOf(s)
	if err != nil {
		return err
	}
	if !bounded(s) {
		return errUnbounded
	}
	if !tenant {
		return nil
	}

	return filter(s)
}

// modelOf reports whether the statement is on rows of companies, and refuses what it cannot tell.
func modelOf(s *gorm.Statement) (tenant bool, err error) {
	switch {
	case s.Schema == nil:
		return false, errNoModel
	case s.TableExpr != nil || s.Table != s.Schema.Table:
		return false, errOtherTable
	case len(s.Joins) > 0:
		return false, errJoins
	}
	if from, ok := s.Clauses["FROM"]; ok && from.Expression != nil {
		return false, errJoins
	}

	return declared(s.Schema)
}

// declared reports whether the model embeds Tenant or Global.
func declared(s *schema.Schema) (tenant bool, err error) {
	for field := range s.ModelType.Fields() {
		if !field.Anonymous {
			continue
		}
		switch field.Type {
		case reflect.TypeFor[Tenant]():
			return true, nil
		case reflect.TypeFor[Global]():
			return false, nil
		}
	}

	return false, errUndeclared
}

// company returns whose rows the statement may touch; across is true for the rows of all.
func company(ctx context.Context) (id uuid.UUID, across bool, err error) {
	if _, ok := ctx.Value(acrossKey{}).(string); ok {
		return uuid.Nil, true, nil
	}
	p, ok := principal.From(ctx)
	if !ok || p.Company == uuid.Nil {
		return uuid.Nil, false, errNoPrincipal
	}

	return p.Company, false, nil
}

// filter adds the condition on the company, around all others: an OR among them stays inside.
func filter(s *gorm.Statement) error {
	id, across, err := company(s.Context)
	if err != nil || across {
		return err
	}
	own := clause.Eq{Column: clause.Column{Table: clause.CurrentTable, Name: companyColumn}, Value: id}
	conditions := []clause.Expression{own}
	if where, ok := s.Clauses["WHERE"].Expression.(clause.Where); ok && len(where.Exprs) > 0 {
		conditions = append(conditions, inParentheses{where})
	}
	s.Clauses["WHERE"] = clause.Clause{Name: "WHERE", Expression: clause.Where{Exprs: conditions}}

	return nil
}

// inParentheses are conditions that stay together.
type inParentheses struct{ clause.Where }

// Build implements clause.Expression.
func (p inParentheses) Build(b clause.Builder) {
	_ = b.WriteByte('(')
	p.Where.Build(b)
	_ = b.WriteByte(')')
}

// bounded reports whether an update or delete has a condition of its own, or a row with an id.
func bounded(s *gorm.Statement) bool {
	if where, ok := s.Clauses["WHERE"].Expression.(clause.Where); ok && len(where.Exprs) > 0 {
		return true
	}

	return hasID(s, s.ReflectValue)
}

func hasID(s *gorm.Statement, value reflect.Value) bool {
	switch value.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range value.Len() {
			if !hasID(s, reflect.Indirect(value.Index(i))) {
				return false
			}
		}

		return value.Len() > 0
	case reflect.Struct:
		for _, field := range s.Schema.PrimaryFields {
			if field.Name == companyField {
				continue
			}
			if _, zero := field.ValueOf(s.Context, value); !zero {
				return true
			}
		}
	}

	return false
}
