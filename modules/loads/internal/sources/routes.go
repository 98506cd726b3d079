package sources

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/intake"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errSourceKey = errs.New(errs.Unauthenticated, "loads.source_key_unknown", "`api_key` is not valid.")
	errRequest   = errs.New(errs.Invalid, "loads.invalid_request", "The given data was invalid.")
)

// Routes registers the operations by which requests come in.
func Routes(r *web.Router, s *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/from-source", ID: "create_load_from_source", Access: web.Public, Summary: "Send a request for a transport",
		Description: "For sources outside, with their key in the body. Numbers may be texts, and further keys are kept with the load. The same body within ten minutes is the same load.",
		Errors:      []*errs.Error{errSourceKey, errRequest, errInactive, link.ErrTooOften},
	}, s.fromSource)
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

// sourceRequest is what a source sends. It may have further keys.
type sourceRequest map[string]any

// Schema implements huma.SchemaProvider.
func (sourceRequest) Schema(huma.Registry) *huma.Schema {
	text := func(doc string) *huma.Schema { return &huma.Schema{Description: doc} }

	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true,
		Properties: map[string]*huma.Schema{
			"api_key": text("A key of the source."), "trailer_type": text("OPEN, ENCLOSED or DRIVEAWAY."), "load_type": text("auto_transport by default; else commodities are required."),
			"first_avail": text("The first day for the pickup."), "origin_city": text(""), "origin_state": text(""), "origin_zip": text(""),
			"destination_city": text(""), "destination_state": text(""), "destination_zip": text(""), "customer_first_name": text(""), "customer_last_name": text(""),
			"customer_phone_1": text(""), "customer_email": text(""),
			"vehicles": text("Objects with vehicle_year, vehicle_make, vehicle_model, vehicle_type and is_operational."), "commodities": text("Goods, for another load_type."),
		},
	}
}

type fromSourceInput struct{ Body sourceRequest }

type fromSourceOutput struct {
	Body struct {
		UUID   uuid.UUID      `json:"uuid"`
		Number string         `json:"number"`
		State  loadsapi.State `json:"state"`
	}
}

func (s *Desk) fromSource(ctx context.Context, in *fromSourceInput) (*fromSourceOutput, error) {
	key, _ := in.Body["api_key"].(string)
	ctx, found, err := s.links.Enter(ctx, Key, key)
	if errors.Is(err, link.ErrTooOften) {
		return nil, err
	}
	if err != nil {
		if errs.IsRefusal(err) {
			err = errSourceKey
		}

		return nil, err
	}
	if err := missingOf(in.Body); err != nil {
		return nil, err
	}
	text, err := scrubbed(in.Body)
	if err != nil {
		return nil, err
	}
	var all []taken
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.loads.Allow(ctx, found.Subject.ID); err != nil {
			return err
		}
		all, err = s.take(ctx, found.Subject.ID, intake.JSON, text)

		return err
	})
	if errors.Is(err, s.sources.NotFound()) {
		err = errSourceKey
	}
	if err != nil {
		return nil, err
	}
	out := &fromSourceOutput{}
	out.Body.UUID, out.Body.Number, out.Body.State = all[0].ID, all[0].Number, all[0].State

	return out, nil
}

// missingOf names what a request lacks.
func missingOf(body sourceRequest) error {
	wrong := errRequest
	absent := func(of map[string]any, name string) bool { v, there := of[name]; return !there || v == nil || v == "" }
	for _, name := range []string{"trailer_type", "customer_first_name", "customer_last_name", "customer_phone_1", "customer_email"} {
		if absent(body, name) {
			wrong = wrong.WithField(name, "The "+name+" is required.")
		}
	}
	kind, _ := body["load_type"].(string)
	if kind != "" && kind != "auto_transport" {
		if goods, _ := body["commodities"].([]any); len(goods) == 0 {
			wrong = wrong.WithField("commodities", "The commodities are required for this load_type.")
		}
	} else {
		vehicles, _ := body["vehicles"].([]any)
		if len(vehicles) == 0 {
			wrong = wrong.WithField("vehicles", "At least one vehicle is required.")
		}
		for i, v := range vehicles {
			of, _ := v.(map[string]any)
			for _, name := range []string{"vehicle_year", "vehicle_make", "vehicle_model", "vehicle_type"} {
				if absent(of, name) {
					wrong = wrong.WithField("vehicles."+strconv.Itoa(i)+"."+name, "The "+name+" is required.")
				}
			}
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
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
