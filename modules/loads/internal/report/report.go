// Package report answers the questions that a company asks of its loads again and again: who sells, what lanes bring, what is late.
//
//	questions.go    the reports, each a row of a table
//	repository.go   how they are asked, in one statement
package report

import (
	"context"
	"encoding/csv"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/record"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/collection/exchange"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Reporter answers reports.
type Reporter struct {
	rows  repository
	users *identity.Service
	items *item.Registry
	clock clock.Clock
}

// New returns a Reporter.
func New(db *database.DB, users *identity.Service, items *item.Registry, c clock.Clock) *Reporter {
	return &Reporter{repository{db}, users, items, c}
}

var (
	errUnknown = errs.New(errs.NotFound, "loads.report_not_found", "There is no such report. GET /loads/api/v1/reports lists them.")
	errPeriod  = errs.New(errs.Invalid, "loads.invalid_period", "The given data was invalid.")
)

const (
	mediaCSV   = "text/csv"
	usualDays  = 30
	mostDays   = 366
	mostGroups = 1000
)

// Routes registers the operations.
func Routes(r *web.Router, s *Reporter) {
	failures := []*errs.Error{errUnknown, errPeriod}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/reports", ID: "list_reports", Access: web.Read, Summary: "List the reports on loads", Errors: failures[:1],
	}, func(ctx context.Context, _ *struct{}) (*reportsOutput, error) {
		out := &reportsOutput{}
		out.Body.Data = questionsFor(ctx)
		for i := range out.Body.Data {
			out.Body.Data[i].Columns = out.Body.Data[i].columns()
		}

		return out, nil
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/reports/{name}", ID: "read_report", Access: web.Read, Summary: "Read a report on loads",
		Description: "At most 1,000 rows, those with the most first. Amounts of different currencies are in rows of their own. Names are empty if the caller may not read what they are of. Without the scope loads:margins there are no columns of amounts.",
		Errors:      failures,
	}, s.read)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/reports/{name}/csv", ID: "download_report", Access: web.Read, Summary: "Download a report on loads as CSV",
		Errors: failures, Produces: []string{mediaCSV},
	}, s.download)
}

type reportsOutput struct {
	Body struct {
		Data []question `json:"data" nullable:"false"`
	}
}

type readInput struct {
	Name string     `path:"name" maxLength:"40" example:"sales_by_user"`
	From field.Date `query:"from" doc:"The first day of the period in the company's time zone; without it, 29 days before the last one."`
	To   field.Date `query:"to" doc:"The last day of the period; without it, today. A period has at most 366 days."`
}

// answer is a report with its rows.
type answer struct {
	Name    string           `json:"name"`
	From    *field.Date      `json:"from" doc:"Null for a report on what is now."`
	To      *field.Date      `json:"to"`
	Columns []column         `json:"columns" nullable:"false"`
	Data    []map[string]any `json:"data" nullable:"false" doc:"Rows, by the keys of the columns."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (answer) SchemaName() string { return "LoadReport" }

type reportOutput struct{ Body answer }

func (s *Reporter) read(ctx context.Context, in *readInput) (*reportOutput, error) {
	made, err := s.answer(ctx, in)

	return &reportOutput{made}, err
}

func (s *Reporter) download(ctx context.Context, in *readInput) (*stream.Stream, error) {
	made, err := s.answer(ctx, in)
	if err != nil {
		return nil, err
	}

	return stream.New(mediaCSV, func(_ context.Context, w io.Writer) error {
		to := csv.NewWriter(w)
		line := make([]string, len(made.Columns))
		for i, c := range made.Columns {
			line[i] = c.Key
		}
		if err := to.Write(line); err != nil {
			return err
		}
		for _, row := range made.Data {
			for i, c := range made.Columns {
				line[i] = cell(row[c.Key])
			}
			if err := to.Write(line); err != nil {
				return err
			}
		}
		to.Flush()

		return to.Error()
	}).Attachment(made.Name + ".csv"), nil
}

// cell is a value in CSV. An empty one is no value.
func cell(value any) string {
	switch of := value.(type) {
	case string:
		if of != "" {
			return exchange.Shield(of)
		}
	case int64:
		return strconv.FormatInt(of, 10)
	}

	return ""
}

func (s *Reporter) answer(ctx context.Context, in *readInput) (answer, error) {
	all := questionsFor(ctx)
	at := slices.IndexFunc(all, func(q question) bool { return q.Name == in.Name })
	if at < 0 {
		return answer{}, errUnknown
	}
	q := all[at]
	made, of := answer{Name: q.Name, Columns: q.columns()}, period{now: s.clock.Now()}
	if q.period != "" {
		who, _ := principal.From(ctx)
		company, err := s.users.Company(ctx, who.Company)
		if err != nil {
			return answer{}, err
		}
		if of, err = in.period(of.now, company.Zone()); err != nil {
			return answer{}, err
		}
		made.From, made.To = dayOf(of.from), dayOf(of.until.AddDate(0, 0, -1))
	}
	rows, err := s.rows.ask(ctx, q, of)
	if err != nil {
		return answer{}, err
	}
	made.Data = rows

	return made, s.name(ctx, q, rows)
}

func dayOf(at time.Time) *field.Date {
	day := field.Date(at.Format(time.DateOnly))

	return &day
}

// period is from when until before when loads count.
type period struct{ from, until, now time.Time }

func (in *readInput) period(now time.Time, zone *time.Location) (period, error) {
	wrong := errPeriod
	day := func(key string, of field.Date, otherwise time.Time) time.Time {
		if of == "" {
			return otherwise
		}
		at, err := time.ParseInLocation(time.DateOnly, string(of), zone)
		if err != nil {
			wrong = wrong.WithField(key, "The value must be a day, such as 2026-11-30.")
		}

		return at
	}
	year, month, date := now.In(zone).Date()
	last := day("to", in.To, time.Date(year, month, date, 0, 0, 0, 0, zone))
	first := day("from", in.From, last.AddDate(0, 0, 1-usualDays))
	switch {
	case len(wrong.Fields) > 0:
	case first.After(last):
		wrong = wrong.WithField("from", "The first day must not be after the last one.")
	case first.AddDate(0, 0, mostDays).Before(last.AddDate(0, 0, 1)):
		wrong = wrong.WithField("from", "A period has at most 366 days.")
	}
	if len(wrong.Fields) > 0 {
		return period{}, wrong
	}

	return period{from: first, until: last.AddDate(0, 0, 1), now: now}, nil
}

// name puts the names of users and items into rows, beside their ids.
func (s *Reporter) name(ctx context.Context, q question, rows []map[string]any) error {
	for _, c := range q.By {
		if c.names == "" {
			continue
		}
		ids := make([]uuid.UUID, len(rows))
		for i, row := range rows {
			row[c.named()] = ""
			if text, is := row[c.Key].(string); is {
				ids[i] = uuid.MustParse(text) // as the database wrote it
			}
		}
		names, err := s.namesOf(ctx, c.names, ids)
		if err != nil {
			return err
		}
		for i, row := range rows {
			row[c.named()] = names[ids[i]]
		}
	}

	return nil
}

const ofUsers = "user"

func (s *Reporter) namesOf(ctx context.Context, of string, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	names := make(map[uuid.UUID]string, len(ids))
	if of == ofUsers {
		users, err := s.users.UserNames(ctx, ids)
		for id, user := range users {
			names[id] = user.Name
		}

		return names, err
	}
	refs := make([]item.Ref, len(ids))
	for i, id := range ids {
		refs[i] = item.Ref{Type: of, UUID: id}
	}
	titles, err := s.items.Titles(ctx, refs)
	for _, t := range titles {
		names[t.UUID] = t.Title
	}

	return names, err
}

const (
	contacts = "contacts.contact"
	sources  = "loads.source"
	carriers = record.CarrierItem
)
