package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/number"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// SavedCarrier is a row of carriers_saved: a bookmarked carrier, which the company may or may not have.
type SavedCarrier struct {
	resource.Row

	Carrier *uuid.UUID `json:"carrier_uuid" gorm:"column:carrier_id" field:"fixed,item=carriers.carrier,on_delete=remove" doc:"A carrier of the company; it or the usdot is required."`
	USDOT   *string    `json:"usdot" gorm:"column:usdot" field:"max=64,fixed,unique,search" doc:"USDOT number, in any form; stored as digits." example:"9900001"`
	Name    string     `json:"name" field:"readonly,sort,search,title" doc:"The carrier's name when it was saved."`
	Note    string     `json:"note" field:"max=1000,search,nofilter"`
}

// TableName implements GORM's naming.
func (SavedCarrier) TableName() string { return "carriers_saved" }

// SchemaName implements web.SchemaNamer.
func (SavedCarrier) SchemaName() string { return "SavedCarrier" }

// SavedRules are the rules of saved carriers.
func SavedRules() resource.Rules[SavedCarrier] {
	return resource.Rules[SavedCarrier]{
		Item: "carriers.saved", Plural: "saved", Title: "Saved carrier", Sort: []string{"name"}, Put: true, Check: checkSaved,
		About: "A carrier that users of the company want at hand.", Own: []resource.Verb{resource.Read, resource.Restore},
		Errors: []*errs.Error{regulatorapi.ErrInvalidNumber, ErrMerged},
	}
}

// checkSaved normalizes the number.
func checkSaved(_ context.Context, s *SavedCarrier) error {
	if s.USDOT == nil {
		return nil
	}
	usdot, err := number.USDOT("usdot", *s.USDOT)
	s.USDOT = new(usdot.String())

	return err
}
