package views

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// viewRow is a row of collection_views.
type viewRow struct {
	database.Tenant

	ID         uuid.UUID `gorm:"primaryKey"`
	Collection collection.Name
	// OwnerID is the user whose view it is, nil if it is everybody's.
	OwnerID *uuid.UUID
	Name    string
	// Content is a Content by the ids of fields.
	Content   rawjson.Object
	Version   int64
	CreatedAt time.Time
	CreatedBy *uuid.UUID
	UpdatedAt time.Time
	UpdatedBy *uuid.UUID
}

// TableName implements gorm's Tabler.
func (viewRow) TableName() string { return "collection_views" }
