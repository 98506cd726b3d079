// Package series shows companies how their things are numbered, and lets them change it.
package series

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errNotFound = errs.New(errs.NotFound, "companies.series_not_found", "There is no such number series. List them with GET /companies/api/v1/number_series.")
	errInvalid  = errs.New(errs.Invalid, "companies.invalid_series", "The given data was invalid.")
)

// Desk shows and changes the number series of companies.
type Desk struct {
	db      *database.DB
	numbers *numbering.Numbers
	items   *item.Registry
}

// NewDesk returns a Desk.
func NewDesk(db *database.DB, numbers *numbering.Numbers, items *item.Registry) *Desk {
	return &Desk{db, numbers, items}
}

// Routes are the operations on number series.
func Routes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/number_series", ID: "list_number_series", Access: web.Read,
		Summary:     "List the company's number series",
		Description: "How loads, invoices and other things get their numbers. Fields of custom modules that number records are not among them.",
		Errors:      []*errs.Error{database.ErrUnavailable},
	}, d.list)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/number_series/{series}", ID: "update_number_series", Access: web.Write,
		Summary: "Change the template of a number series, or its next number",
		Description: "Applies to numbers that are given from then on. A template is refused if it could make a number again that was given before, and " +
			"the next number can only be moved forward: it is about numbers that begin and end as those of today, so with a template that has the " +
			"year, next year starts over. With both, the template is changed first.",
		Errors: append([]*errs.Error{errNotFound, errInvalid}, numbering.Errors...),
	}, d.update)
}

// body is a series as answers show it.
type body struct {
	Series   string `json:"series" example:"loads.load"`
	Kind     string `json:"kind" doc:"What is numbered." example:"Load"`
	Template string `json:"template" example:"L-{yyyy}-{seq:5}"`
	Next     int64  `json:"next_number" doc:"Count of the next number; 0 if there are none left." example:"42"`
	Sample   string `json:"sample" doc:"The next number as it would be given now; empty if there is none." example:"L-2026-00042"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (body) SchemaName() string { return "NumberSeries" }

// all returns the series of the caller's company, by name.
func (d *Desk) all(ctx context.Context) ([]body, error) {
	states, err := d.numbers.List(ctx)
	if err != nil {
		return nil, err
	}
	titles := map[string]string{}
	for _, t := range d.items.Types() {
		titles[t.Type] = t.Title
	}
	shown := make([]body, len(states))
	for i, s := range states {
		_, thing, _ := strings.Cut(s.Series, ".")
		shown[i] = body{s.Series, cmp.Or(titles[s.Series], naming.Label(thing)), s.Template, s.Count, s.Next}
	}

	return shown, nil
}

type seriesListOutput struct {
	Body struct {
		Data []body `json:"data" nullable:"false"`
	}
}

func (d *Desk) list(ctx context.Context, _ *struct{}) (*seriesListOutput, error) {
	all, err := d.all(ctx)
	out := &seriesListOutput{}
	out.Body.Data = all

	return out, err
}

type updateSeriesInput struct {
	Series string `path:"series" maxLength:"100" doc:"Name of the series." example:"loads.load"`
	Body   struct {
		Template string `json:"template,omitempty" maxLength:"160" doc:"With {seq:N} for the count of at least N digits, {yyyy}, {yy}, {mm} and {dd} for the date, letters, digits, and - . _ / #." example:"L-{yyyy}-{seq:5}"`
		Next     int64  `json:"next_number,omitempty" minimum:"1" maximum:"999999999999" doc:"Count of the next number." example:"5000"`
	}
}

type seriesOutput struct{ Body body }

func (d *Desk) update(ctx context.Context, in *updateSeriesInput) (*seriesOutput, error) {
	out := &seriesOutput{}
	err := d.db.InTx(ctx, func(ctx context.Context) (err error) {
		if out.Body, err = d.find(ctx, in.Series); err != nil {
			return err
		}
		if in.Body.Template == "" && in.Body.Next == 0 {
			return errInvalid.WithField("template", "Set `template`, `next_number` or both.")
		}
		if in.Body.Template != "" {
			if err := d.numbers.SetTemplate(ctx, in.Series, in.Body.Template); err != nil {
				return err
			}
		}
		if in.Body.Next > 0 {
			if err := d.numbers.SetNext(ctx, in.Series, in.Body.Next); err != nil {
				return err
			}
		}
		out.Body, err = d.find(ctx, in.Series)

		return err
	})
	if err != nil {
		return nil, err
	}

	return out, nil
}

func (d *Desk) find(ctx context.Context, name string) (body, error) {
	all, err := d.all(ctx)
	if err != nil {
		return body{}, err
	}
	i := slices.IndexFunc(all, func(b body) bool { return b.Series == name })
	if i < 0 {
		names := make([]string, len(all))
		for i, b := range all {
			names[i] = b.Series
		}

		return body{}, errNotFound.WithMessage("There is no number series %s%s", strconv.Quote(name), naming.DidYouMean(name, names))
	}

	return all[i], nil
}
