package sources

import (
	"context"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/intake"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

const sourceItem = "loads.source"

// Source is a row of loads_sources: where requests come from.
type Source struct {
	resource.Row

	Name      string                       `json:"name" field:"required,max=100,unique=folded,sort,search,title" example:"Lead vendor"`
	Kind      string                       `json:"kind" field:"default=api,sort" enum:"api,email,webform,lead_vendor,import"`
	Active    bool                         `json:"active" field:"default=true,sort" doc:"Requests of a source that is not active are refused."`
	Threshold int64                        `json:"threshold" field:"default=80,min=1,max=100" doc:"How sure, in percent, a request must be understood to be a lead. Others are drafts, which somebody reviews."`
	Labels    resource.JSON[[]sourceLabel] `json:"labels" gorm:"column:labels" field:"max=100" doc:"Further labels that this source uses."`
	Transport string                       `json:"transport_type" gorm:"column:transport_type" field:"default=open" enum:"open,enclosed,driveaway" doc:"Of requests that do not say it."`
	Reply     bool                         `json:"reply" gorm:"column:reply" doc:"Whether who asks is sent the link to the page of the load, by e-mail or else by text message. Drafts and what programs have sent are not answered."`
	Assigned  *uuid.UUID                   `json:"assigned_user_uuid" gorm:"column:assigned_id" field:"user" doc:"Who gets its loads; by default whom the assignment rules say."`
}

// TableName implements GORM's naming.
func (Source) TableName() string { return "loads_sources" }

// sourceLabel is a label that a source uses for a field.
type sourceLabel struct {
	Label string       `json:"label" minLength:"1" maxLength:"100" example:"Where from?"`
	Field intake.Field `json:"field" enum:"first_name,last_name,name,company,email,phone,available_from,transport_type,origin,origin_city,origin_state,origin_zip,destination,destination_city,destination_state,destination_zip,external_id,notes,vehicle,year,make,model,type,vin,operable"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (sourceLabel) SchemaName() string { return "LoadSourceLabel" }

func (s Source) own() intake.Labels {
	own := intake.Labels{}
	for _, l := range s.Labels.V {
		own[l.Label] = l.Field
	}

	return own
}

var errSource = errs.New(errs.Invalid, "loads.invalid_source", "The given data was invalid.")

// SourceRules are the rules of sources.
func SourceRules() resource.Rules[Source] {
	return resource.Rules[Source]{
		Item: sourceItem, Sort: []string{"name"}, WriteAccess: web.Scope("settings"), Failures: resource.Failures{Invalid: errSource}, KeepDeleted: true,
		About: "Where requests for transports come from: a form, a mailbox, a vendor of leads.",
		Check: func(_ context.Context, s *Source) error {
			seen, wrong := map[string]bool{}, errSource
			for i, l := range s.Labels.V {
				if seen[l.Label] {
					wrong = wrong.WithField("labels."+strconv.Itoa(i)+".label", "Another entry has this label.")
				}
				seen[l.Label] = true
			}
			if len(wrong.Fields) > 0 {
				return wrong
			}

			return nil
		},
	}
}
