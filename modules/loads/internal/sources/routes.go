package sources

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/intake"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Routes registers the operations on requests that people pass on.
func Routes(r *web.Router, s *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/from_source", ID: "create_loads_from_text", Access: web.Write, Summary: "Make loads of what a source has sent",
		Description: "Such as a mail, a table or a lead. What is understood is a lead; else a draft, which is to be reviewed (filter[state]=draft). What was sent before is its load.",
		Errors:      []*errs.Error{s.sources.NotFound(), errInactive, errRequest},
	}, s.fromText)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/intakes", ID: "list_load_intakes", Access: web.Read, Summary: "List the requests from outside that a load was made of",
		Description: "The latest 50, with what was understood of them.", Errors: []*errs.Error{loadsapi.ErrNotFound},
	}, s.list)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/intakes/learn", ID: "learn_load_intake", Access: web.Scope("settings"), Summary: "Have a source know the labels of a request next time",
		Description: "Once people have completed a draft: compares what the load says with the lines of its latest request whose labels were not known, and adds those that it recognizes to the labels of the source.",
		Errors:      []*errs.Error{loadsapi.ErrNotFound},
	}, s.learn)
}

type fromTextInput struct {
	Body struct {
		Source  uuid.UUID     `json:"source_uuid"`
		Format  intake.Format `json:"format" enum:"text,html,adf,json,csv,mail" doc:"mail: a message of RFC 5322, with its headers. csv: one request a row, at most 200."`
		Payload string        `json:"payload" minLength:"1" maxLength:"1000000"`
	}
}

type fromTextOutput struct {
	Body struct {
		Data []takenBody `json:"data" nullable:"false"`
	}
}

// takenBody is what became of a request.
type takenBody struct {
	UUID    uuid.UUID      `json:"uuid"`
	Number  string         `json:"number"`
	State   loadsapi.State `json:"state"`
	Repeat  bool           `json:"repeat" doc:"Whether it was sent before."`
	Problem string         `json:"problem,omitempty" doc:"What of it could not be read or stored, and is to be completed in the draft."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (takenBody) SchemaName() string { return "LoadIntake" }

func (s *Desk) fromText(ctx context.Context, in *fromTextInput) (*fromTextOutput, error) {
	all, err := s.take(ctx, in.Body.Source, in.Body.Format, in.Body.Payload)
	out := &fromTextOutput{}
	out.Body.Data = []takenBody{}
	for _, t := range all {
		out.Body.Data = append(out.Body.Data, takenBody{t.ID, t.Number, t.State, t.Repeat, t.Problem})
	}

	return out, err
}

// intakeBody is a request that came from outside.
type intakeBody struct {
	UUID     uuid.UUID      `json:"uuid"`
	Source   uuid.UUID      `json:"source_uuid"`
	Format   intake.Format  `json:"format"`
	At       time.Time      `json:"received_at"`
	Found    intake.Inquiry `json:"found" doc:"The fields with their values, and how sure they are from 0 to 1; the vehicles; and the lines whose labels are not known."`
	Letter   intake.Letter  `json:"letter" doc:"Of a mail."`
	Problem  string         `json:"problem" doc:"Why it could not be read, or what of it could not be stored; empty if it could."`
	Original string         `json:"original" doc:"Its first 16,384 characters."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (intakeBody) SchemaName() string { return "LoadIntakeRecord" }

type intakesOutput struct {
	Body struct {
		Data []intakeBody `json:"data" nullable:"false"`
	}
}

func (s *Desk) list(ctx context.Context, in *oneInput) (*intakesOutput, error) {
	if _, err := s.loads.Find(ctx, in.UUID); err != nil {
		return nil, err
	}
	rows, err := s.rows.receivedOf(ctx, in.UUID)
	out := &intakesOutput{}
	out.Body.Data = make([]intakeBody, len(rows))
	for i, r := range rows {
		out.Body.Data[i] = intakeBody{r.ID, r.SourceID, r.Format, r.At, r.Found.V, r.Letter.V, r.Problem, r.Original}
	}

	return out, err
}
