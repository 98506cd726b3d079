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

	"github.com/dispatchd/dispatchd/platform/principal"
)

// Tenant is embedded in a row of a company. The plug-in fills it in and filters by it.
type Tenant struct {
	CompanyID uuid.UUID `gorm:"<-:create"`
}

// Global is embedded in a row that belongs to no company.
type Global struct{}

const (
	companyColumn = "company_id"
	companyField  = "CompanyID"
	// settingRaw marks handles of DB.Raw.
	settingRaw = "dispatchd:raw"
)

// ErrRefused is what every statement fails with that could reach beyond the rows of the caller's
// company, or write where it should not. It is a defect of the code that made the statement, so it
// is no errs.Error; the message says what to do instead.
var ErrRefused = errors.New("refused")

// Why a statement is refused.
var (
	errNoPrincipal = refusedError("nobody is calling: put a principal into the context, or use AcrossCompanies")
	errNoModel     = refusedError("no model: use a struct that embeds database.Tenant or database.Global")
	errUndeclared  = refusedError("the model embeds neither database.Tenant nor database.Global")
	errOtherTable  = refusedError("the table is not the model's")
	errJoins       = refusedError("joins are not filtered by company: use DB.Raw, or a statement a table")
	errByHand      = refusedError("SQL by hand is not filtered by company: use DB.Raw")
	errOutsideTx   = refusedError("a write outside DB.InTx")
	errSave        = refusedError("saving writes every column of whatever has that id: use Updates with the columns that change")
	errConflict    = refusedError("ON CONFLICT may update another company's row: add SameCompany to its Where")
	errCompany     = refusedError("company_id is not for writing")
	errOther       = refusedError("the row belongs to another company than the caller")
	errAssociation = refusedError("the model has associations: write each row by itself, or omit clause.Associations")
	errBegin       = refusedError("a transaction of GORM's own: use DB.InTx, or DB.Savepoint inside one")
	errEnded       = refusedError("the transaction of this context has ended")
	errUnbounded   = refusedError("an update or delete without a condition of its own")
)

func refusedError(why string) error { return fmt.Errorf("%w: %s", ErrRefused, why) }

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
		noticeWrites(db),
		callback.Query().Before("*").Register("dispatchd:query", p.guard(checkRead)),
		callback.Query().Replace("gorm:query", boundedQuery),
		callback.Row().Before("*").Register("dispatchd:row", p.guard(checkRows)),
		callback.Raw().Before("*").Register("dispatchd:raw", p.guard(checkExec)),
		callback.Create().Before("*").Register("dispatchd:create", p.guard(checkCreate)),
		callback.Update().Before("*").Register("dispatchd:update", p.guard(checkUpdate)),
		callback.Delete().Before("*").Register("dispatchd:delete", p.guard(checkDelete)),
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
		err := check(db.Statement)
		if err == nil {
			return
		}
		err = db.AddError(fmt.Errorf("database: %s: %w", tableOf(db.Statement), err))
		if db.DryRun { // a subquery, for one
			db.Statement.SQL.Reset()
			db.Statement.AddVar(db.Statement, failing{err})
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
	if _, ok := s.ConnPool.(joined); !ok {
		return errOutsideTx
	}

	return nil
}

func checkRead(s *gorm.Statement) error {
	if isRaw(s) {
		return readsOnly(s)
	}
	if s.SQL.Len() > 0 {
		return errByHand
	}
	tenant, err := modelOf(s)
	if err != nil || !tenant {
		return err
	}

	return addCompanyCondition(s)
}

func checkUpdate(s *gorm.Statement) error {
	// Of the row of changes the id would be written, not looked for.
	if err := checkChange(s, hasID(s, s.Model)); err != nil {
		return err
	}
	if slices.Contains(s.Selects, "*") {
		return errSave
	}

	return keepCompany(s)
}

func checkDelete(s *gorm.Statement) error {
	if err := checkChange(s, hasID(s, s.Dest) || s.ReflectValue.CanAddr() && hasID(s, s.Model)); err != nil {
		return err
	}
	if len(s.Selects) > 0 { // they name associations to delete
		return errAssociation
	}

	return nil
}

// checkChange checks what updates and deletes have in common. byID says that GORM will add the id of a row
// to the conditions.
func checkChange(s *gorm.Statement, byID bool) error {
	if err := inTx(s); err != nil {
		return err
	}
	tenant, err := modelOf(s)
	if err != nil {
		return err
	}
	if !byID && !hasConditions(s) {
		return errUnbounded
	}
	if !tenant {
		return nil
	}

	return addCompanyCondition(s)
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
	if insert, ok := s.Clauses["INSERT"]; ok && insert.Expression != (clause.Insert{}) {
		return false, errOtherTable
	}
	if update, ok := s.Clauses["UPDATE"]; ok && update.Expression != (clause.Update{}) {
		return false, errOtherTable
	}
	if err := textInside(s); err != nil {
		return false, err
	}

	return isTenantModel(s.Schema.ModelType)
}

// isTenantModel reports whether the model embeds Tenant or Global, itself or in what it embeds.
func isTenantModel(model reflect.Type) (tenant bool, err error) {
	for field := range model.Fields() {
		if !field.Anonymous || field.Type.Kind() != reflect.Struct {
			continue
		}
		switch field.Type {
		case reflect.TypeFor[Tenant]():
			return true, nil
		case reflect.TypeFor[Global]():
			return false, nil
		}
		if tenant, err := isTenantModel(field.Type); err == nil {
			return tenant, nil
		}
	}

	return false, errUndeclared
}

// companyScope returns whose rows the statement may touch; across is true for the rows of all.
func companyScope(ctx context.Context) (id uuid.UUID, across bool, err error) {
	if _, ok := ctx.Value(acrossKey{}).(string); ok {
		return uuid.Nil, true, nil
	}
	p, ok := principal.From(ctx)
	if !ok || p.Company == uuid.Nil {
		return uuid.Nil, false, errNoPrincipal
	}

	return p.Company, false, nil
}
