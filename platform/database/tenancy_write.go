package database

import (
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// checkCreate fills in the company of new rows, and refuses rows of another.
func checkCreate(s *gorm.Statement) error {
	if err := inTx(s); err != nil {
		return err
	}
	tenant, err := modelOf(s)
	if err != nil {
		return err
	}
	if err := noAssociations(s); err != nil {
		return err
	}
	if !tenant {
		return nil
	}
	if err := sameCompanyOnConflict(s); err != nil {
		return err
	}

	if len(s.Selects) > 0 { // the company comes with the columns that are chosen
		s.Selects = append(slices.Clip(s.Selects), companyField)
	}

	return fillCompany(s, s.ReflectValue)
}

// noAssociations refuses models whose associations GORM would write along.
func noAssociations(s *gorm.Statement) error {
	if len(s.Schema.Relationships.Relations) == 0 {
		return nil
	}
	if slices.Contains(s.Omits, clause.Associations) {
		return nil
	}

	return errAssociation
}

// sameCompanyOnConflict refuses an upsert that could reach another company's row.
func sameCompanyOnConflict(s *gorm.Statement) error {
	conflict, ok := s.Clauses["ON CONFLICT"].Expression.(clause.OnConflict)
	if !ok || conflict.DoNothing {
		return nil
	}
	for _, assignment := range conflict.DoUpdates {
		if isCompany(assignment.Column.Name) {
			return errCompany
		}
	}
	want := s.Table + ".company_id = excluded.company_id"
	for _, condition := range conflict.Where.Exprs {
		if is, ok := condition.(clause.Expr); ok && strings.EqualFold(strings.TrimSpace(is.SQL), want) && onlyAnd(conflict.Where) {
			return nil
		}
	}

	return errConflict
}

// onlyAnd reports whether no condition is an alternative to the others.
func onlyAnd(where clause.Where) bool {
	for _, condition := range where.Exprs {
		if _, or := condition.(clause.OrConditions); or {
			return false
		}
	}

	return true
}

func fillCompany(s *gorm.Statement, value reflect.Value) error {
	switch value.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range value.Len() {
			if err := fillCompany(s, reflect.Indirect(value.Index(i))); err != nil {
				return err
			}
		}

		return nil
	case reflect.Struct:
		return fillRow(s, value)
	default:
		return errNoModel // a map, for one: its columns are not checked
	}
}

func fillRow(s *gorm.Statement, value reflect.Value) error {
	id, across, err := companyScope(s.Context)
	if err != nil {
		return err
	}
	field := s.Schema.FieldsByName[companyField]
	has, zero := field.ValueOf(s.Context, value)
	switch {
	case zero && across:
		return errNoPrincipal
	case zero:
		return field.Set(s.Context, value, id)
	case !across && has != any(id):
		return errOther
	}

	return nil
}

// keepCompany refuses an update that writes the company. A struct that was read may carry its own.
func keepCompany(s *gorm.Statement) error {
	if _, ok := s.Clauses["SET"]; ok {
		return errByHand
	}
	if err := noAssociations(s); err != nil {
		return err
	}
	if changes, ok := s.Dest.(map[string]any); ok {
		for column := range changes {
			if isCompany(column) {
				return errCompany
			}
		}

		return nil
	}

	return ownCompany(s)
}

// ownCompany makes sure that a struct of changes leaves the company alone.
func ownCompany(s *gorm.Statement) error {
	changes := reflect.Indirect(reflect.ValueOf(s.Dest))
	if changes.Kind() != reflect.Struct {
		return errNoModel
	}
	if slices.ContainsFunc(s.Selects, isCompany) {
		return errCompany
	}
	s.Omits = append(s.Omits, companyField)
	set := changes.FieldByName(companyField)
	if !set.IsValid() || set.IsZero() {
		return nil
	}
	id, across, err := companyScope(s.Context)
	if err != nil {
		return err
	}
	if given, ok := reflect.TypeAssert[uuid.UUID](set); !across && (!ok || given != id) {
		return errOther
	}

	return nil
}

// isCompany reports whether a name, of a column or of the field, is that of the company.
func isCompany(name string) bool {
	name = strings.Trim(name[strings.LastIndexByte(name, '.')+1:], "\"`[] ")

	return strings.EqualFold(name, companyColumn) || name == companyField
}
