package resource

import (
	"errors"
	"reflect"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/schema"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

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
	// Expanded is what expand= asks for, by the names of the references.
	Expanded map[string]Expanded `json:"expanded,omitempty" field:"-" gorm:"-" doc:"What expand= asks for, by name."`

	// written is what a write does to Custom; document is what is kept of it, of an earlier version.
	written  *OwnWrite
	document []byte
}

// Meta returns the row's own columns.
func (r *Row) Meta() *Row { return r }

// metaOf is the Row in the struct of a resource.
func metaOf[R any](row *R) *Row {
	return any(row).(interface{ Meta() *Row }).Meta() //nolint:forcetypeassert // compile has seen to it
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
