package columns

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"gorm.io/gorm/schema"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// OwnKey is the key under which a row has the values of the fields that its company has added.
const OwnKey = "custom"

// OwnWrite is what becomes of the values of a row.
type OwnWrite struct {
	// Before is the document as it is, nil for none, and After what it is when it is stored.
	Before, After []byte
	// Changes are for the audit trail, by key; those of a new row are complete when it is stored.
	Changes map[string]audit.Change
	// Store stores it in the transaction in ctx. Errors are those of Write.
	Store func(ctx context.Context) error
}

// ValueOf is a row, by a pointer to it, for the fields of a plan.
func ValueOf(row any) reflect.Value { return reflect.ValueOf(row).Elem() }

// Row is embedded in the struct of a resource. Its columns are company_id, id, version, created_at, created_by,
// updated_at, updated_by and deleted_at.
type Row struct {
	database.Tenant `json:"-"`

	ID        uuid.UUID  `json:"uuid" field:"readonly"`
	Version   int64      `json:"version" field:"readonly,nofilter" doc:"Grows with every change; the ETag."`
	CreatedAt time.Time  `json:"created_at" field:"readonly,sort"`
	CreatedBy *uuid.UUID `json:"created_by" field:"readonly,user" doc:"The user who created it; null for a token of no user, and for the service."`
	UpdatedAt time.Time  `json:"updated_at" field:"readonly,sort"`
	UpdatedBy *uuid.UUID `json:"updated_by" field:"readonly,user" doc:"The user who changed it last; null as in created_by."`
	DeletedAt *time.Time `json:"deleted_at,omitempty" field:"readonly,nofilter" doc:"When it was deleted; absent unless it is."`
	// Custom has the values of the fields that the company has added, by their keys; while a row is written, the merge patch
	// of the body.
	Custom rawjson.Object `json:"custom,omitempty" field:"-" gorm:"-" doc:"The values of the fields that the company has added, by their keys; absent if it has none."`
	// Expanded is what expand= asks for, by the names of references and the keys of fields.
	Expanded map[string]Embedded `json:"expanded,omitempty" field:"-" gorm:"-" doc:"What expand= asks for, by name."`

	// write is what a write does to Custom; kept is what is kept of it, of an earlier version.
	write *OwnWrite
	kept  []byte
	// withheld are the keys of the fields that Mask took out of the row.
	withheld []string
	// step is the verb of the life whose step was taken since the row was read.
	step string
}

// StepOf returns the verb of the life whose step the row has taken in a write, "" for none.
func StepOf(r *Row) string { return r.step }

// SetStep is for who takes the step.
func SetStep(r *Row, verb string) { r.step = verb }

// WriteOf returns what a write of the row does to the fields that the company has added, nil for nothing.
func WriteOf(r *Row) *OwnWrite { return r.write }

// SetWrite is for who writes the row.
func SetWrite(r *Row, w *OwnWrite) { r.write = w }

// DocumentOf returns what an earlier version of the row had in the fields that the company has added; nil for a row that is
// none.
func DocumentOf(r *Row) []byte { return r.kept }

// Meta returns the row's own columns.
func (r *Row) Meta() *Row { return r }

// MetaOf is the Row in the struct of a resource, by a pointer to that.
func MetaOf(row any) *Row {
	return row.(interface{ Meta() *Row }).Meta() //nolint:forcetypeassert // PlanOf has seen to it
}

// columnOf is the column of a field of a struct, by GORM's rules.
func columnOf(f reflect.StructField) string {
	if named := schema.ParseTagSetting(f.Tag.Get("gorm"), ";")["COLUMN"]; named != "" {
		return named
	}

	return schema.NamingStrategy{}.ColumnName("", f.Name)
}

// columnsOfItem are the columns of a field that names an item of any type; prefix is what its tag says.
func columnsOfItem(gormTag string) ([]string, error) {
	settings := schema.ParseTagSetting(gormTag, ";")
	prefix := settings["EMBEDDEDPREFIX"]
	if _, embedded := settings["EMBEDDED"]; !embedded || prefix == "" {
		return nil, errors.New(`an Item has several columns: want gorm:"embedded;embeddedPrefix:item_", with a prefix of its own`)
	}

	return []string{prefix + "type", prefix + "id", prefix + "part"}, nil
}

// Embedded is what expand= embeds under one name: the item of a reference, or details of the value of a field.
type Embedded struct {
	Item    *Expanded
	Details map[string]json.RawMessage // by name
}

// EmbedItem embeds an item in a row.
func EmbedItem(row any, name string, shown Expanded) {
	embed(MetaOf(row), name, Embedded{Item: &shown})
}

func embed(in *Row, name string, e Embedded) {
	if in.Expanded == nil {
		in.Expanded = map[string]Embedded{}
	}
	in.Expanded[name] = e
}

// MarshalJSON implements json.Marshaler.
func (e Embedded) MarshalJSON() ([]byte, error) {
	if e.Item != nil {
		return json.Marshal(e.Item)
	}

	return json.Marshal(e.Details)
}

// Schema implements huma.SchemaProvider.
func (Embedded) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[Expanded](), true, "")
}

// Expanded is an item that a row refers to, as expand= embeds it.
type Expanded struct {
	Type string    `json:"type" doc:"Its item type." example:"yards.spot"`
	UUID uuid.UUID `json:"uuid"`
	// Exists is false for an item that is gone.
	Exists bool   `json:"exists" doc:"Whether there is such an item."`
	Title  string `json:"title" doc:"What people call it; empty for who may not read it."`
	// Values are there for who may read items of the type.
	Values map[string]json.RawMessage `json:"values,omitempty" doc:"Its values by key, for those who may read it."`
}

// SchemaName is its name in the OpenAPI document: one schema for all areas.
func (Expanded) SchemaName() string { return "Expanded" }

// TransformSchema implements huma.SchemaTransformer: one schema describes all that an Embedded may be, since generated clients cannot tell
// one object from the other.
func (Expanded) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Description = "What expand= embeds: the item that a reference names, or details of the value of a field, by name, such as decoded of a VIN."
	s.Required, s.AdditionalProperties = nil, true

	return s
}
