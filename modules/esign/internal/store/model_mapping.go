package store

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Mapping is a row of esign_mappings.
type Mapping struct {
	resource.Row

	Name        string                         `json:"name" field:"required,min=1,max=100,unique,sort,search,title"`
	TemplateID  uuid.UUID                      `json:"template_uuid" field:"required"`
	ItemType    string                         `json:"item_type" field:"required,min=1,max=100" doc:"The type of the items that fill the template, such as custom_modules.record."`
	ItemPart    *string                        `json:"item_part" field:"max=100,part" doc:"Which items of the type, where they differ in their fields: the id of the module of a record. Null where they do not."`
	Rules       resource.JSON[[]fill.Rule]     `json:"rules" field:"required,max=500"`
	Roles       resource.JSON[[]provider.Role] `json:"-" field:"hidden"` // the template's when the mapping was made, or looked over
	Fingerprint string                         `json:"fingerprint" field:"readonly,nofilter" doc:"The template's when the mapping was made or changed: with another one, the template has changed since."`
}

// TableName implements GORM's naming.
func (Mapping) TableName() string { return "esign_mappings" }

// SchemaName is the name of the body in the OpenAPI document.
func (Mapping) SchemaName() string { return "EsignMapping" }

// Class is the class of the items that fill the template.
func (row Mapping) Class() item.Class {
	class := item.Class{Type: row.ItemType}
	if row.ItemPart != nil {
		class.Part = *row.ItemPart
	}

	return class
}
