package shippers

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// shipper is a row of shippers_shippers.
type shipper struct {
	resource.Row

	Contact      uuid.UUID                  `json:"contact_uuid" gorm:"column:contact_id" field:"required,unique,item=contacts.contact" doc:"The contact that ships."`
	Code         string                     `json:"code" field:"max=30,sort,search,title" doc:"Short name that the company uses." example:"LEE-DAL"`
	Limit        money.Amount               `json:"credit_limit" gorm:"column:credit_limit" field:"sort"`
	Currency     money.Currency             `json:"credit_currency" gorm:"column:credit_currency" doc:"Null is the company's."`
	Hold         bool                       `json:"credit_hold" gorm:"column:credit_hold" doc:"Whether it gets no further credit for now."`
	HoldReason   string                     `json:"hold_reason" field:"max=500,nofilter"`
	NetDays      *int64                     `json:"net_days" field:"min=0,max=365,sort" doc:"Days within which it pays."`
	Terms        string                     `json:"default_terms" gorm:"column:default_terms" field:"default=invoice" enum:"invoice,cod,cop,prepaid" doc:"How its loads are paid: by invoice, on delivery, on pickup, or before."`
	Allowed      resource.JSON[[]uuid.UUID] `json:"allowed_carriers" gorm:"column:allowed_carriers" field:"max=500" doc:"UUIDs of the only carriers that may haul for it; an empty list allows all."`
	Denied       resource.JSON[[]uuid.UUID] `json:"denied_carriers" gorm:"column:denied_carriers" field:"max=500" doc:"UUIDs of carriers that may not haul for it."`
	NeedsRelease bool                       `json:"release_required" gorm:"column:release_required" doc:"Whether vehicles leave only with a release."`
	Release      string                     `json:"release_rule" gorm:"column:release_rule" field:"default=none" enum:"none,code,form,id,code_and_id" doc:"What a driver shows to get a vehicle, unless the location has a rule of its own."`
	ReleaseNotes string                     `json:"release_notes" field:"max=2000,nofilter"`
	Instructions string                     `json:"instructions" field:"max=5000,search,nofilter" doc:"For dispatchers of its loads."`
}

// TableName implements GORM's naming.
func (shipper) TableName() string { return "shippers_shippers" }

var errShipper = errs.New(errs.Invalid, "shippers.invalid_shipper", "The given data was invalid.")

// checkShipper sorts the lists of carriers, and refuses carriers in both and a negative limit.
func checkShipper(_ context.Context, s *shipper) error {
	wrong := errShipper
	for _, list := range []*resource.JSON[[]uuid.UUID]{&s.Allowed, &s.Denied} {
		list.V = slices.Clone(list.V)
		slices.SortFunc(list.V, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
		list.V = slices.Compact(list.V)
	}
	for i, id := range s.Denied.V {
		if slices.Contains(s.Allowed.V, id) {
			wrong = wrong.WithField(fmt.Sprintf("denied_carriers.%d", i), "A carrier cannot be both allowed and denied.")
		}
	}
	if s.Limit.Negative() {
		wrong = wrong.WithField("credit_limit", "`credit_limit` must not be negative.")
	}
	if s.Release != "none" {
		s.NeedsRelease = true
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}
