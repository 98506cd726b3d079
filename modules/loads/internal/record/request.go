package record

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Request is a row of loads_transparency_requests: a party to a transaction has asked for its record, as 49 CFR 371.3(c) lets it.
type Request struct {
	resource.Row

	Load       uuid.UUID   `json:"load_uuid" gorm:"column:load_id" field:"required,fixed,item=loads.load"`
	Party      string      `json:"party" field:"default=carrier,fixed,sort" enum:"carrier,customer,other" doc:"Who has asked."`
	Name       string      `json:"name" field:"required,max=200,search,title,personal" example:"Ann Lee, Haul Co"`
	Email      field.Email `json:"email" field:"personal"`
	At         *time.Time  `json:"requested_at" gorm:"column:requested_at" field:"fixed,sort" doc:"By default now."`
	Note       string      `json:"note" field:"max=2000,nofilter"`
	State      status      `json:"state" field:"sort"`
	AnsweredAt *time.Time  `json:"answered_at" field:"readonly,sort"`
}

// TableName implements GORM's naming.
func (Request) TableName() string { return "loads_transparency_requests" }

type status string

const (
	open     status = "open"
	answered status = "answered"
	closed   status = "closed"

	answer resource.Verb = "answer"
)

// Reading is what the links are for by which parties read the record of a transaction, ReadingLife how long they can.
const (
	Reading     link.Purpose = "loads.record"
	ReadingLife              = 30 * 24 * time.Hour
)

var (
	errRequest = errs.New(errs.Invalid, "loads.invalid_transparency_request", "The given data was invalid.")
	errOff     = errs.New(errs.Conflict, "loads.transparency_off", "The settings of loads do not let records be sent (share_transaction_records).")
	errGone    = errs.New(errs.NotFound, "loads.record_closed", "This link is no longer valid. Ask for a new one.")
)

// RequestRules are those of the resource.
func RequestRules() resource.Rules[Request] {
	return resource.Rules[Request]{
		Item: "loads.transparency_request", Sort: []string{"-requested_at"}, KeepDeleted: true, Failures: resource.Failures{Invalid: errRequest},
		About: "A party to a transaction that has asked for its record, as 49 CFR 371.3(c) lets it. Each request is kept, whatever becomes of it: one that is deleted can be restored at any time.",
		Own:   []resource.Verb{answer},
		Life: resource.LifeOf(state.Machine[status]{
			Item: "loads.transparency_request", Initial: open, Final: []status{answered, closed},
			Steps: []state.Step[status]{
				{From: []status{open}, Verb: string(answer), To: answered},
				{From: []status{open}, Verb: "close", To: closed, Reasoned: true},
			},
		}, func(r *Request) *status { return &r.State }),
		Events: resource.Events[Request]{
			resource.Create: func(r Request) events.Event {
				return loadsapi.RecordRequested{Load: r.Load.String(), Request: r.ID.String()}
			},
		},
	}
}

// Desk answers requests for records.
type Desk struct {
	loads    Loads
	requests *resource.Resource[Request]
	given    *share.Service
	terms    *terms.Reader
	db       *database.DB
}

// NewDesk returns a Desk.
func NewDesk(loads Loads, requests *resource.Resource[Request], given *share.Service, t *terms.Reader, db *database.DB) *Desk {
	return &Desk{loads, requests, given, t, db}
}

// Stamps notes when requests came, and were answered.
type Stamps struct{ clock clock.Clock }

// NewStamps returns Stamps.
func NewStamps(c clock.Clock) *Stamps { return &Stamps{c} }

// Decide has requests say when they came, and when they were answered.
func (s *Stamps) Decide(_ context.Context, all []*resource.Change[Request]) error {
	now := s.clock.Now()
	for _, c := range all {
		if c.Verb == answer {
			c.After.AnsweredAt = &now
		}
		if c.Verb != resource.Create {
			continue
		}
		if c.After.At == nil {
			c.After.At = &now
		}
		if c.After.At.After(now.Add(time.Minute)) {
			c.Refuse(errRequest.WithField("requested_at", "`requested_at` must not be in the future."))
		}
	}

	return nil
}

// Shared shows records by links.
type Shared struct {
	recorder *Recorder
	links    *link.Service
}

// NewShared returns what shows records by links.
func NewShared(r *Recorder, links *link.Service) *Shared { return &Shared{r, links} }

// RequestRoutes registers the operations on requests for records.
func RequestRoutes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/transparency_requests/{uuid}/answer", ID: "answer_transparency_request", Access: web.Write, Secret: true,
		Summary:     "Answer a request for the record of a transaction",
		Description: "Makes a link to the record as PDF, for 30 days, and sends it. Only this response has its text. The settings must allow it (`share_transaction_records`).",
		Errors:      []*errs.Error{d.requests.NotFound(), errOff, state.ErrNotAllowed, share.ErrRecipient, notify.ErrNoChannel},
	}, d.answer)
}

// SharedRoutes registers the operation that shows a record by a link.
func SharedRoutes(r *web.Router, d *Shared) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/records/{link}", ID: "read_shared_record", Access: web.Public, Summary: "Read the record of a transaction by a link",
		Errors: append([]*errs.Error{errGone}, link.Refusals...), Produces: []string{document.MediaPDF},
	}, d.read)
}

type answerInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body share.Create
}

type answerOutput struct {
	Body struct {
		Request Request     `json:"request"`
		Share   share.Share `json:"share"`
	}
}

func (d *Desk) answer(ctx context.Context, in *answerInput) (*answerOutput, error) {
	terms, err := d.terms.Now(ctx)
	if err != nil {
		return nil, err
	}
	out := &answerOutput{}
	err = d.db.InTx(ctx, func(ctx context.Context) (err error) {
		out.Body.Request, err = d.requests.Change(ctx, in.UUID, in.IfMatch, answer, func(ctx context.Context, r *Request) error {
			if !terms.ShareRecords {
				return errOff
			}

			return d.requests.Step(ctx, r, state.Move{Verb: string(answer)})
		})
		if err != nil {
			return err
		}
		load := out.Body.Request.Load
		l, err := d.loads.ToRecord(ctx, load)
		if err != nil {
			return err
		}
		out.Body.Share, err = d.given.Give(ctx, share.Given{
			Purpose: Reading, Subject: link.Subject{Type: loadsapi.Load, ID: load}, Page: "/" + loadsapi.Area + "/api/v1/records/",
			Title: "Record of the transaction " + l.Number, Text: "The record of the transaction " + l.Number + " that you have asked for:",
			About: item.Ref{Type: loadsapi.Load, UUID: load},
		}, in.Body)
		if err != nil {
			return err
		}

		return out.Body.Share.Reached()
	})

	return out, err
}

type readSharedInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
}

func (d *Shared) read(ctx context.Context, in *readSharedInput) (*stream.Stream, error) {
	ctx, found, err := d.links.Enter(ctx, Reading, in.Link)
	if err != nil {
		return nil, err
	}
	file, err := d.recorder.download(ctx, &readInput{found.Subject.ID})
	if errs.KindOf(err) == errs.NotFound {
		return nil, errGone
	}

	return file, err
}
