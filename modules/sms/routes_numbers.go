package sms

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// numberHandlers answer the operations on numbers.
type numberHandlers struct {
	store       *store.Repository
	numbers     *numbers
	vendors     *vendors.Service
	releases    *releases
	assignments *assignments
}

func newNumberHandlers(r *store.Repository, v *vendors.Service, n *numbers, re *releases, a *assignments) *numberHandlers {
	return &numberHandlers{store: r, vendors: v, numbers: n, releases: re, assignments: a}
}

func purchaseRoutes(r *web.Router, s *purchases) {
	manage := web.Scope(accountScope)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/numbers/available", ID: "numbers_available", Access: web.Read, Timeout: 60 * time.Second,
		Summary: "Search numbers that can be bought", Description: "Numbers Available of the documented interface. Queries the provider.",
		Errors: []*errs.Error{store.ErrAccount, store.ErrNoAccount, store.ErrDisabled, store.ErrInvalid, store.ErrProvider, store.ErrRefused},
	}, s.getAvailable)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/numbers", ID: "buy_number", Access: manage, Summary: "Buy a number",
		Description: "The number is pending until the provider has sold it; then it is active, or failed, with the problem.",
		Errors:      []*errs.Error{store.ErrAccount, store.ErrNoAccount, store.ErrDisabled, store.ErrNumberTaken, phone.ErrNotANumber, phone.ErrShortCode},
	}, s.postOne)
}

func numberRoutes(r *web.Router, s *numberHandlers) {
	manage := web.Scope(accountScope)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/numbers", ID: "list_numbers", Access: web.Read, Summary: "List the company's numbers",
		Description: numberSchema().Describe(), Errors: list.Errors,
	}, s.listNumbers)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/numbers/{uuid}", ID: "read_number", Access: web.Read, Summary: "Read a number",
		Errors: []*errs.Error{store.ErrNumber},
	}, s.getOne)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/numbers/{uuid}", ID: "update_number", Access: web.Write, Summary: "Change a number's label, user and rate",
		Description: "A number that is assigned to a user is no longer the default of other users or the company.",
		Errors:      []*errs.Error{store.ErrNumber, store.ErrInvalid},
	}, s.patchOne)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/numbers/{uuid}/release", ID: "release_number", Access: manage, Summary: "Release a number to the provider",
		Description: "The number stops sending at once and is removed as a default.", Errors: []*errs.Error{store.ErrNumber, store.ErrNotSending},
	}, func(ctx context.Context, in *writeInput) (*web.Resource[numberBody], error) {
		return numberResource(s.releases.release(ctx, in.UUID, in.IfMatch))
	})
}

func importRoutes(r *web.Router, s *importer) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/numbers/import", ID: "import_numbers", Access: web.Scope(accountScope),
		Summary:     "Import the numbers of a provider account",
		Description: "A job adds new numbers, and updates the capabilities and registration of the others.",
		Errors:      []*errs.Error{store.ErrAccount, store.ErrNoAccount, store.ErrDisabled, store.ErrNoAddress},
	}, s.postImport)
}

// numberBody is a number as the API shows it.
type numberBody struct {
	UUID         uuid.UUID             `json:"uuid"`
	AccountUUID  uuid.UUID             `json:"account_uuid"`
	Number       string                `json:"number" doc:"E.164."`
	Kind         provider.Kind         `json:"kind" enum:"local,toll_free,mobile"`
	Label        string                `json:"label"`
	Capabilities capabilities          `json:"capabilities"`
	Registration provider.Registration `json:"registration" enum:"unknown,not_required,unregistered,pending,registered,rejected" doc:"Whether the carriers of the United States let it send (10DLC, verification of toll-free numbers)."`
	UserUUID     *uuid.UUID            `json:"user_uuid" doc:"The user it is assigned to; null for everyone."`
	PerMinute    int64                 `json:"per_minute" doc:"How many messages it may send in a minute; 0 is no limit."`
	State        string                `json:"state" enum:"pending,active,releasing,released,failed"`
	Problem      *string               `json:"problem" doc:"Why it could not be bought or released."`
	ReleasedAt   *time.Time            `json:"released_at"`
	Version      int64                 `json:"version" doc:"Increases with every change; also the ETag."`
	CreatedAt    time.Time             `json:"created_at"`
	UpdatedAt    time.Time             `json:"updated_at"`

	Account *accountBody `json:"account,omitempty" doc:"In lists, with expand=account."`
}

type capabilities struct {
	SMS   bool `json:"sms"`
	MMS   bool `json:"mms"`
	Voice bool `json:"voice"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (capabilities) SchemaName() string { return "SmsCapabilities" }

// SchemaName is the name of the body in the OpenAPI document.
func (numberBody) SchemaName() string { return "SmsNumber" }

func newNumberBody(row store.Number) numberBody {
	return numberBody{
		UUID: row.ID, AccountUUID: row.AccountID, Number: row.Number, Kind: row.Kind, Label: row.Label,
		Capabilities: capabilities{SMS: row.SMS, MMS: row.MMS, Voice: row.Voice}, Registration: row.Registration, UserUUID: row.UserID,
		PerMinute: row.PerMinute, State: row.State, Problem: web.Optional(row.Problem), ReleasedAt: row.ReleasedAt,
		Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}

func numberResource(row store.Number, err error) (*web.Resource[numberBody], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(newNumberBody(row), row.Version, base+"/numbers/"+row.ID.String()), nil
}

type availableInput struct {
	AccountUUID uuid.UUID `query:"account_uuid" format:"uuid" doc:"The provider account to search; by default the default one."`
	Country     string    `query:"country" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters, such as US" doc:"ISO 3166-1 alpha-2; by default the company's region."`
	AreaCode    string    `query:"area_code" pattern:"^[2-9][0-9]{2}$" patternDescription:"three digits, the first of which is 2 to 9"`
	Contains    string    `query:"contains" pattern:"^[0-9]{1,10}$" patternDescription:"1 to 10 digits" doc:"Consecutive digits that the number contains."`
	Kind        string    `query:"kind" enum:"local,toll_free,mobile"`
	SMS         bool      `query:"sms" doc:"Only numbers that can send text messages."`
	MMS         bool      `query:"mms" doc:"Only numbers that can send media."`
	Limit       int       `query:"limit" minimum:"1" maximum:"100" default:"20"`
}

type availableOutput struct {
	Body struct {
		Data []availableBody `json:"data" nullable:"false"`
	}
}

type availableBody struct {
	Number       string        `json:"number"`
	Kind         provider.Kind `json:"kind"`
	Locality     string        `json:"locality"`
	Region       string        `json:"region"`
	Capabilities capabilities  `json:"capabilities"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (availableBody) SchemaName() string { return "SmsAvailableNumber" }

func (s *purchases) getAvailable(ctx context.Context, in *availableInput) (*availableOutput, error) {
	if in.Country != "" && !phone.IsRegion(in.Country) {
		return nil, store.ErrInvalid.WithField("country", "There is no such country.")
	}
	found, err := s.search(ctx, in.AccountUUID, provider.NumberQuery{
		Country: in.Country, AreaCode: in.AreaCode, Contains: in.Contains, Kind: provider.Kind(in.Kind), SMS: in.SMS, MMS: in.MMS, Limit: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	out := &availableOutput{}
	out.Body.Data = make([]availableBody, 0, len(found))
	for _, a := range found {
		out.Body.Data = append(out.Body.Data, availableBody{
			Number: a.Number, Kind: a.Kind, Locality: a.Locality, Region: a.Region,
			Capabilities: capabilities{SMS: a.Features.SMS, MMS: a.Features.MMS, Voice: a.Features.Voice},
		})
	}

	return out, nil
}

type postNumberInput struct {
	Body struct {
		Number      string    `json:"number" maxLength:"40" doc:"The number, as returned by Numbers Available."`
		AccountUUID uuid.UUID `json:"account_uuid,omitzero" doc:"The provider account; by default the default one."`
		Label       string    `json:"label,omitempty" maxLength:"100"`
	}
}

func (s *purchases) postOne(ctx context.Context, in *postNumberInput) (*web.Resource[numberBody], error) {
	return numberResource(s.buy(ctx, in.Body.AccountUUID, in.Body.Number, in.Body.Label))
}

type importInput struct {
	Body struct {
		AccountUUID  uuid.UUID `json:"account_uuid,omitzero" doc:"The provider account; by default the default one."`
		SetCallbacks bool      `json:"set_callbacks,omitempty" doc:"Whether to redirect the inbound messages of these numbers to this service, replacing their current destination."`
	}
}

func (s *importer) postImport(ctx context.Context, in *importInput) (*web.Resource[accountBody], error) {
	row, err := s.startImport(ctx, in.Body.AccountUUID, in.Body.SetCallbacks)

	return accountResource(s.vendors, row, err)
}

func (s *numberHandlers) getOne(ctx context.Context, in *readInput) (*web.Resource[numberBody], error) {
	return numberResource(s.store.Number(ctx, in.UUID))
}

type patchNumberInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Label     *string             `json:"label,omitempty" maxLength:"100"`
		UserUUID  web.Sent[uuid.UUID] `json:"user_uuid,omitzero" doc:"The user it is assigned to; null for everyone."`
		PerMinute *int64              `json:"per_minute,omitempty" minimum:"0" maximum:"60000"`
	}
}

func (s *numberHandlers) patchOne(ctx context.Context, in *patchNumberInput) (*web.Resource[numberBody], error) {
	return numberResource(s.numbers.change(ctx, in.UUID, in.IfMatch, func(ctx context.Context, row *store.Number) error {
		if in.Body.Label != nil {
			row.Label = *in.Body.Label
		}
		if in.Body.PerMinute != nil {
			row.PerMinute = *in.Body.PerMinute
		}
		switch user := in.Body.UserUUID; {
		case !user.IsSet():
			return nil
		case user.Null():
			return s.assignments.assign(ctx, row, nil)
		default:
			id := user.ValueOr(uuid.Nil)

			return s.assignments.assign(ctx, row, &id)
		}
	}))
}

var numberSchema = sync.OnceValue(func() list.Schema {
	return list.ShownAs[numberBody](list.Schema{
		Fields: []list.Field{
			{Name: "number", Expr: "number", Kind: kind.Text, Sortable: true, Filterable: true},
			{Name: "label", Expr: "label", Kind: kind.Text, Sortable: true, Filterable: true},
			{Name: "state", Expr: "state", Kind: kind.Text, Filterable: true},
			{Name: "kind", Expr: "kind", Kind: kind.Text, Filterable: true},
			{Name: "registration", Expr: "registration", Kind: kind.Text, Filterable: true},
			{Name: "account_uuid", Expr: "account_id", Kind: kind.UUID, Filterable: true},
			{Name: "user_uuid", Expr: "user_id", Kind: kind.UUID, Nullable: true, Filterable: true, NamesUser: true},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true}, DefaultSort: []string{"-created_at"},
		Search: []string{"number", "label"}, Expand: []string{expandAccount},
	})
})
