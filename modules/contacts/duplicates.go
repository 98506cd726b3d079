package contacts

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostAsked bounds what one question for contacts may have.
const mostAsked = 20

var errNoKeys = errs.New(errs.Invalid, "contacts.invalid_question", "The given data was invalid.")

// duplicates finds contacts that may be the same.
type duplicates struct {
	tables *tables
	rows   *repository
}

func newDuplicates(t *tables, rows *repository) *duplicates {
	return &duplicates{tables: t, rows: rows}
}

func duplicateRoutes(r *web.Router, s *duplicates) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/exists", ID: "find_existing", Access: web.Read, Summary: "Check whether contacts exist",
		Description: "Finds contacts by phone numbers and e-mail addresses in any notation, by USDOT number, and by name and address; at most 20 in total. " +
			"For a merged contact it returns the remaining one.",
		Errors: []*errs.Error{errNoKeys},
	}, s.exists)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/duplicates", ID: "list_duplicates", Access: web.Read, Summary: "List contacts that may be the same",
		Description: "Pairs of contacts, those with the highest score first, without dismissed pairs. A person and the company that it belongs to are no pair.",
		Errors:      []*errs.Error{s.tables.Contacts.NotFound(), list.ErrCursorInvalid, list.ErrCursorMismatch},
	}, s.list)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/contacts/{uuid}/not_duplicates", ID: "dismiss_duplicates", Access: web.Write,
		Summary: "Dismiss duplicates", Description: "The pairs are not suggested again. The request can be repeated.",
		Errors: []*errs.Error{s.tables.Contacts.NotFound(), errInvalid},
	}, s.dismiss)
}

type existsInput struct{ Body question }

type question struct {
	Phones []string `json:"phones,omitempty" maxItems:"20" doc:"In any notation." example:"[\"(214) 555-0143\"]"`
	Emails []string `json:"emails,omitempty" maxItems:"20"`
	USDOT  []string `json:"usdot,omitempty" maxItems:"20"`
	Names  []whose  `json:"names,omitempty" maxItems:"20"`
}

type whose struct {
	Name       string `json:"name" maxLength:"200" doc:"Of a person or a company."`
	City       string `json:"city,omitempty" maxLength:"200" doc:"For a company."`
	PostalCode string `json:"postal_code,omitempty" maxLength:"20" doc:"For a person."`
}

type existsOutput struct{ Body existsBody }

type existsBody struct {
	Matches []match `json:"matches" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (existsBody) SchemaName() string { return "ContactMatches" }

type duplicatesInput struct {
	Contact  uuid.UUID `query:"contact_uuid" format:"uuid" doc:"Only pairs of this contact."`
	MinScore int64     `query:"min_score" default:"60" minimum:"0" maximum:"100"`
	PerPage  int       `query:"per_page" default:"50" minimum:"1" maximum:"200"`
	Cursor   string    `query:"cursor" maxLength:"2000" doc:"The next_cursor of the page before."`
}

type duplicatesOutput struct{ Body duplicatesBody }

type duplicatesBody struct {
	Data []suggestion `json:"data" nullable:"false"`
	Meta pairsMeta    `json:"meta"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (duplicatesBody) SchemaName() string { return "ContactDuplicates" }

type pairsMeta struct {
	PerPage    int     `json:"per_page"`
	NextCursor *string `json:"next_cursor" doc:"Null on the last page."`
}

type suggestion struct {
	Contacts []titled `json:"contacts" nullable:"false" doc:"Two."`
	Score    int64    `json:"score" doc:"90 and more: the same contact. Less: possibly the same."`
	By       string   `json:"by" enum:"email,phone,usdot,name_address" doc:"The strongest key that they have in common."`
}

type titled struct {
	UUID  uuid.UUID `json:"uuid"`
	Title string    `json:"title"`
}

type dismissInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Others []uuid.UUID `json:"others" minItems:"1" maxItems:"50" doc:"Contacts that are not this one."`
	}
}

func (s *duplicates) exists(ctx context.Context, in *existsInput) (*existsOutput, error) {
	q := in.Body
	switch n := len(q.Phones) + len(q.Emails) + len(q.USDOT) + len(q.Names); {
	case n == 0:
		return nil, errNoKeys.WithField("phones", "At least one of phones, emails, usdot and names is required.")
	case n > mostAsked:
		return nil, errNoKeys.WithField("phones", "Phones, emails, usdot and names must have at most 20 entries in total.")
	}
	var all keys
	wrong := errNoKeys
	read := func(name string, texts []string, add func(text string), rule string) {
		for i, text := range texts {
			known := len(all.found)
			if add(text); len(all.found) == known && !all.reads(name, text) {
				wrong = wrong.WithField(fmt.Sprintf("%s.%d", name, i), rule)
			}
		}
	}
	read("phones", q.Phones, all.phone, "The entry must be a phone number, such as (214) 555-0143.")
	read("emails", q.Emails, all.email, "The entry must be an e-mail address, such as ann@example.com.")
	read("usdot", q.USDOT, all.usdot, "The entry must be a USDOT number, such as 1234567.")
	if len(wrong.Fields) > 0 {
		return nil, wrong
	}
	for _, w := range q.Names {
		all.company(w.Name, w.City)
		all.person(lastOf(w.Name), w.PostalCode)
	}
	matches, err := s.rows.matching(ctx, all.found)

	return &existsOutput{existsBody{matches}}, err
}

func (s *duplicates) list(ctx context.Context, in *duplicatesInput) (*duplicatesOutput, error) {
	q := pairQuery{contact: web.Optional(in.Contact), least: in.MinScore}
	if q.contact != nil {
		if _, err := s.tables.Contacts.Find(ctx, in.Contact); err != nil {
			return nil, err
		}
	}
	if err := q.resume(in.Cursor); err != nil {
		return nil, err
	}
	rows, err := s.pairs(ctx, q, in.PerPage+1)
	if err != nil {
		return nil, err
	}
	out := &duplicatesOutput{duplicatesBody{Meta: pairsMeta{PerPage: in.PerPage}}}
	if len(rows) > in.PerPage {
		rows = rows[:in.PerPage]
		out.Body.Meta.NextCursor = new(q.cursor(rows[in.PerPage-1]))
	}
	out.Body.Data = make([]suggestion, len(rows))
	for i, p := range rows {
		out.Body.Data[i] = suggestion{Contacts: []titled{{p.FirstID, p.FirstName}, {p.SecondID, p.SecondName}}, Score: p.Weight, By: p.Kind.shownAs()}
	}

	return out, nil
}

func (s *duplicates) dismiss(ctx context.Context, in *dismissInput) (*struct{}, error) {
	return nil, s.tables.DB.InTx(ctx, func(ctx context.Context) error {
		if err := s.tables.Contacts.Hold(ctx, in.UUID); err != nil {
			return err
		}
		if err := s.tables.Contacts.Hold(ctx, in.Body.Others...); err != nil {
			return err
		}
		for i, other := range in.Body.Others {
			if other == in.UUID {
				return errInvalid.WithField(fmt.Sprintf("others.%d", i), "The contact cannot be listed among the others.")
			}
			if err := s.rows.keepApart(ctx, in.UUID, other, s.tables.Clock.Now()); err != nil {
				return err
			}
		}

		return nil
	})
}

// under narrows a list down to the contacts that belong to one.
func under(in *list.Input, parent uuid.UUID) *list.Input {
	return in.WithQuery(func(asked url.Values) url.Values {
		query := maps.Clone(asked)
		query.Set("filter[parent_uuid]", parent.String())

		return query
	})
}
