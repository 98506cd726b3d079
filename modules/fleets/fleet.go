package fleets

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/resource"
)

// fleet is a row of fleets_fleets.
type fleet struct {
	resource.Row

	Name       string     `json:"name" field:"required,max=100,unique,sort,search,title" doc:"Name of the fleet." example:"Texas"`
	Dispatcher *uuid.UUID `json:"dispatcher_uuid" gorm:"column:dispatcher_id" field:"user" doc:"The user who dispatches it."`
	Notes      string     `json:"notes" field:"max=2000,search,nofilter"`
}

// TableName implements GORM's naming.
func (fleet) TableName() string { return "fleets_fleets" }
