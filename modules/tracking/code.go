package tracking

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// following is what the codes of customers are for: to follow a load.
const following link.Purpose = "tracking.code"

const (
	codeLife    = 90 * 24 * time.Hour
	maxCodeLife = 366 * 24 * time.Hour
	// afterDelivery is for how long a load can be followed that was delivered.
	afterDelivery = 30 * 24 * time.Hour
	perMinute     = 120
)

var errNoCode = errs.New(errs.NotFound, "tracking.code_unknown", "This code is not valid. Check it, or ask for a new one.")

// sight is what a code lets see: it is the payload of its link.
type sight struct {
	Delay     int64  `json:"delay_minutes"`
	Precision string `json:"precision"`
	Map       bool   `json:"map"`
}

// codes are the codes by which customers follow loads.
type codes struct {
	journeys *journeys
	settings *settings.Settings[preferences]
	brands   companiesapi.Brands
	links    *link.Service
	given    *share.Service
}

func newCodes(j *journeys, kept *settings.Settings[preferences], b companiesapi.Brands, links *link.Service, given *share.Service) *codes {
	return &codes{j, kept, b, links, given}
}

func codeRoutes(r *web.Router, c *codes) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/codes", ID: "create_code", Access: web.Write, Secret: true, Summary: "Make a code by which a customer follows a load",
		Description: "Only this response has it. It ends 30 days after the delivery.", Errors: []*errs.Error{loadsapi.ErrNotFound, link.ErrInvalid, link.ErrPortalOff, share.ErrRecipient},
	}, c.create)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/codes", ID: "list_codes", Access: web.Read, Summary: "List the codes by which customers follow a load", Description: "The newest 100.",
		Errors: []*errs.Error{loadsapi.ErrNotFound},
	}, func(ctx context.Context, in *loadInput) (*codesOutput, error) {
		if _, err := c.journeys.standing(ctx, in.UUID); err != nil {
			return nil, err
		}
		out := &codesOutput{}
		var err error
		out.Body.Data, err = c.given.List(ctx, following, subject(in.UUID))

		return out, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/loads/{uuid}/codes/{code}", ID: "revoke_code", Access: web.Write, Summary: "Revoke a code", Errors: []*errs.Error{link.ErrNotFound},
	}, func(ctx context.Context, in *revokeInput) (*struct{}, error) {
		return nil, c.links.RevokeOf(ctx, following, subject(in.UUID), in.Code)
	})
}

func subject(load uuid.UUID) link.Subject { return link.Subject{Type: loadsapi.Load, ID: load} }

type loadInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type revokeInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Code uuid.UUID `path:"code" format:"uuid" doc:"The uuid of the code."`
}

type codesOutput struct {
	Body struct {
		Data []share.Share `json:"data" nullable:"false"`
	}
}

type createInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Delay     *int64            `json:"delay_minutes,omitempty" minimum:"0" maximum:"1440" doc:"How old positions are that are shown; by default as the settings say."`
		Precision string            `json:"precision,omitempty" enum:"exact,city" doc:"By default as the settings say."`
		Map       *bool             `json:"map,omitempty" default:"true" doc:"Whether positions are shown at all."`
		ExpiresAt time.Time         `json:"expires_at,omitzero" doc:"By default in 90 days; at most in 366."`
		To        []share.Recipient `json:"to,omitempty" maxItems:"5" nullable:"false" doc:"To whom it is sent."`
	}
}

// codeMade is a new code.
type codeMade struct {
	Code  string      `json:"code" doc:"Only this response has it." example:"7H2KM-9TQXC"`
	Share share.Share `json:"share"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (codeMade) SchemaName() string { return "TrackingCode" }

type createOutput struct{ Body codeMade }

const path = "/tracking/api/v1/code/"

func (c *codes) create(ctx context.Context, in *createInput) (*createOutput, error) {
	of, err := c.journeys.standing(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	terms, err := c.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	brand, err := c.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	s := sight{Delay: terms.Now.Delay, Precision: cmp.Or(in.Body.Precision, terms.Now.Precision), Map: in.Body.Map == nil || *in.Body.Map}
	if in.Body.Delay != nil {
		s.Delay = *in.Body.Delay
	}
	made, err := c.given.Give(ctx, share.Given{
		Purpose: following, Subject: subject(in.UUID), Payload: s, Page: path, Title: brand.Name + ": " + of.Number, Text: brand.Name + ": follow your transport " + of.Number + " here.",
	}, share.Create{ExpiresAt: in.Body.ExpiresAt, To: in.Body.To})
	if err != nil {
		return nil, err
	}
	_, code, _ := strings.Cut(made.URL, path)

	return &createOutput{codeMade{code, made}}, nil
}
