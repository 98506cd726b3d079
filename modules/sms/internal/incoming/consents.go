package incoming

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/company"
	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/messages"
	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Consents answers about who has opted out and in.
type Consents struct {
	store   *store.Repository
	company *company.Profile
	optOuts *delivery.OptOuts
	vendors *vendors.Service
}

// NewConsents returns Consents.
func NewConsents(r *store.Repository, v *vendors.Service, company *company.Profile, optOuts *delivery.OptOuts) *Consents {
	return &Consents{store: r, company: company, optOuts: optOuts, vendors: v}
}

// OptOutRoutes are the operations on opt-outs and consents.
func OptOutRoutes(r *web.Router, s *Consents) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/opt_outs", ID: "list_opt_outs", Access: web.Read, Summary: "List the numbers that have opted out",
		Description: optOutSchema().Describe(), Errors: list.Errors,
	}, list.Serve(optOutSchema(), s.store.OptOuts, newOptOutBody))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/opt_outs", ID: "create_opt_out", Access: web.Write, Summary: "Opt a number out",
		Description: "For an opt-out received elsewhere. Waiting messages to the number are not sent.",
		Errors:      []*errs.Error{phone.ErrNotANumber, phone.ErrShortCode},
	}, s.postOptOut)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/opt_outs/{uuid}/remove", ID: "remove_opt_out", Access: web.Write, Summary: "Remove a number from the opt-out list",
		Description: "For a consent given elsewhere; the reason documents it in the consent log.",
		Errors:      []*errs.Error{store.ErrOptOut},
	}, s.postRemove)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/messages/{uuid}/review_opt_out", ID: "review_opt_out", Access: web.Write,
		Summary:     "Decide whether a message is an opt-out",
		Description: "For messages whose opt_out_review is pending. With opt_out, the sender is opted out, and all of the sender's messages that wait for a review are settled.",
		Errors:      []*errs.Error{store.ErrNotFound, store.ErrNotSuspected},
	}, s.postReview)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/consents", ID: "list_consents", Access: web.Read, Summary: "List the opt-outs and opt-ins, with time and origin",
		Description: consentSchema().Describe(), Errors: list.Errors,
	}, list.Serve(consentSchema(), s.store.Consents, newConsentBody))
}

// optOutBody is an opt-out as the API shows it.
type optOutBody struct {
	UUID       uuid.UUID  `json:"uuid"`
	Number     string     `json:"number"`
	OptedOutAt *time.Time `json:"opted_out_at"`
	Source     string     `json:"source" enum:"keyword,provider,manual"`
	Keyword    *string    `json:"keyword"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (optOutBody) SchemaName() string { return "SmsOptOut" }

func newOptOutBody(row store.Contact) optOutBody {
	return optOutBody{UUID: row.ID, Number: row.Number, OptedOutAt: row.OptedOutAt, Source: row.Source, Keyword: web.Optional(row.Keyword)}
}

// consentBody is a line of the log of consents.
type consentBody struct {
	UUID        uuid.UUID  `json:"uuid"`
	Number      string     `json:"number"`
	Action      string     `json:"action" enum:"opt_out,opt_in"`
	Source      string     `json:"source" enum:"keyword,provider,manual"`
	Keyword     *string    `json:"keyword"`
	Reason      *string    `json:"reason"`
	MessageUUID *uuid.UUID `json:"message_uuid"`
	UserUUID    *uuid.UUID `json:"user_uuid"`
	CreatedAt   time.Time  `json:"created_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (consentBody) SchemaName() string { return "SmsConsent" }

func newConsentBody(row store.Consent) consentBody {
	return consentBody{
		UUID: row.ID, Number: row.Number, Action: row.Action, Source: row.Source, Keyword: web.Optional(row.Keyword), Reason: web.Optional(row.Reason),
		MessageUUID: row.MessageID, UserUUID: row.UserID, CreatedAt: row.CreatedAt,
	}
}

type optOutInput struct {
	Body struct {
		Number string `json:"number" maxLength:"100"`
		Reason string `json:"reason,omitempty" maxLength:"500" doc:"How the opt-out was requested."`
	}
}

type optOutOutput struct{ Body optOutBody }

func (s *Consents) postOptOut(ctx context.Context, in *optOutInput) (*optOutOutput, error) {
	number, err := s.company.ParseNumber(ctx, in.Body.Number, "number")
	if err != nil {
		return nil, err
	}
	row, err := s.optOuts.AddManually(ctx, number, in.Body.Reason)
	if err != nil {
		return nil, err
	}

	return &optOutOutput{Body: newOptOutBody(row)}, nil
}

type reviewInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		OptOut bool `json:"opt_out" doc:"Whether the sender wants no more messages."`
	}
}

func (s *Consents) postReview(ctx context.Context, in *reviewInput) (*web.Resource[messages.MessageBody], error) {
	row, err := s.optOuts.Review(ctx, in.UUID, in.Body.OptOut)
	if err != nil {
		return nil, err
	}

	return messages.Resource(s.vendors, row), nil
}

type removeInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" minLength:"3" maxLength:"500" doc:"How the owner of the number consented."`
	}
}

func (s *Consents) postRemove(ctx context.Context, in *removeInput) (*struct{}, error) {
	return nil, s.optOuts.RemoveManually(ctx, in.UUID, in.Body.Reason)
}

var optOutSchema = sync.OnceValue(func() list.Schema {
	return list.ShownAs[optOutBody](list.Schema{
		Fields: []list.Field{
			{Name: "number", Expr: "number", Kind: kind.Text, Filterable: true},
			{Name: "source", Expr: "source", Kind: kind.Text, Filterable: true},
			{Name: "opted_out_at", Expr: "opted_out_at", Kind: kind.Time, Nullable: true, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true}, DefaultSort: []string{"-opted_out_at"},
		Search: []string{"number"},
	})
})

var consentSchema = sync.OnceValue(func() list.Schema {
	return list.ShownAs[consentBody](list.Schema{
		Fields: []list.Field{
			{Name: "number", Expr: "number", Kind: kind.Text, Filterable: true},
			{Name: "action", Expr: "action", Kind: kind.Text, Filterable: true},
			{Name: "source", Expr: "source", Kind: kind.Text, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true}, DefaultSort: []string{"-created_at"},
	})
})
