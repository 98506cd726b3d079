package sms

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

func messageRoutes(r *web.Router, s *messages) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/messages", ID: "list_messages", Access: web.Read, Summary: "List messages",
		Description: "Index of the documented interface. " + messageSchema().Describe(), Errors: list.Errors,
	}, s.listMessages)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/messages/{uuid}", ID: "read_message", Access: web.Read, Summary: "Read a message with its history",
		Description: "Get Message Details of the documented interface.", Errors: []*errs.Error{store.ErrNotFound},
	}, s.getOne)
}

// outgoingHandlers answer the operations that send messages.
type outgoingHandlers struct {
	store    *store.Repository
	vendors  *vendors.Service
	outgoing *outgoing
	renderer *renderer
	maxBulk  int
}

func newOutgoingHandlers(r *store.Repository, v *vendors.Service, out *outgoing, re *renderer, s *settings.Settings) *outgoingHandlers {
	return &outgoingHandlers{store: r, vendors: v, outgoing: out, renderer: re, maxBulk: s.MaxBulk}
}

func outgoingRoutes(r *web.Router, s *outgoingHandlers) {
	send := web.Scope(store.SendScope)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/messages", ID: "send_message", Access: send, Summary: "Send a message",
		Description: "Send Message of the documented interface. The message is queued, or scheduled for send_at. A retry with the same Idempotency-Key sends nothing.",
		Errors:      store.SendErrors(),
	}, s.postOne)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/messages/bulk", ID: "send_messages", Access: send, MaxBody: 8 * config.MiB, Timeout: 60 * time.Second,
		Summary:     "Send several messages",
		Description: "Each message has its own result. With atomic (the default) all are sent or none, and messages after the first refused one are not checked.",
		Errors:      store.SendErrors(),
	}, s.postBulk)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/messages/preview", ID: "preview_message", Access: web.Read, Summary: "Preview a message",
		Description: "Nothing is stored. A template can be sent instead of the id of one.", Errors: append(item.Errors, store.ErrInvalid, store.ErrVariables, store.ErrTemplate),
	}, s.postPreview)
}

func lifeRoutes(r *web.Router, s *messages) {
	state.Declare(r, store.Lifecycle, state.Handlers[store.Status, messageBody]{
		Path: "/messages/{uuid}", Current: s.current, Log: s.states, Apply: s.move, Errors: []*errs.Error{store.ErrNotFound},
	})
}

// messageBody is a message as the API shows it.
type messageBody struct {
	UUID           uuid.UUID    `json:"uuid"`
	ThreadUUID     uuid.UUID    `json:"thread_uuid"`
	AccountUUID    uuid.UUID    `json:"account_uuid"`
	NumberUUID     uuid.UUID    `json:"number_uuid" doc:"The company's number."`
	Direction      string       `json:"direction" enum:"outbound,inbound"`
	From           string       `json:"from"`
	To             string       `json:"to"`
	Body           string       `json:"body" doc:"Empty after it was purged."`
	Media          []string     `json:"media" nullable:"false"`
	Attachments    []uuid.UUID  `json:"attachments" nullable:"false" doc:"Ids of the attachments with the files of an inbound message, once fetched."`
	BodyPurgedAt   *time.Time   `json:"body_purged_at"`
	Encoding       string       `json:"encoding" enum:"GSM-7,UCS-2"`
	Segments       int64        `json:"segments"`
	State          store.Status `json:"state" enum:"scheduled,queued,sending,unknown,sent,delivered,undelivered,failed,canceled,received"`
	Reason         *string      `json:"reason" doc:"Why it failed, independent of the provider; null if it did not."`
	Code           *string      `json:"code" doc:"The provider's own error code."`
	Explanation    *string      `json:"explanation" doc:"What the reason means, and what to do."`
	ProviderID     *string      `json:"provider_id"`
	ProviderStatus *string      `json:"provider_status" doc:"The provider's own word for the state."`
	Cost           *string      `json:"cost" doc:"A decimal; null until the provider reports it."`
	Currency       *string      `json:"currency"`
	OwnerType      *string      `json:"owner_type" doc:"Type of the item that the message concerns; null for none."`
	OwnerUUID      *uuid.UUID   `json:"owner_uuid"`
	TemplateUUID   *uuid.UUID   `json:"template_uuid"`
	Keyword        *string      `json:"keyword" enum:"stop,start,help" doc:"The keyword that the message is or answers."`
	OptOutReview   *string      `json:"opt_out_review" enum:"pending,opted_out,dismissed" doc:"For an inbound message that may be an opt-out: pending until it is reviewed. Null for all others."`
	DueAt          time.Time    `json:"due_at" doc:"Earliest time to send it."`
	CreatedByUUID  *uuid.UUID   `json:"created_by_uuid"`
	SentAt         *time.Time   `json:"sent_at"`
	DeliveredAt    *time.Time   `json:"delivered_at"`
	Version        int64        `json:"version" doc:"Increases with every change; also the ETag."`
	CreatedAt      time.Time    `json:"created_at"`
	UpdatedAt      time.Time    `json:"updated_at"`

	Number   *numberBody     `json:"number,omitempty" doc:"In lists, with expand=number."`
	Template *store.Template `json:"template,omitempty" doc:"In lists, with expand=template."`
}

// SchemaName is the name of the body in the documented interface.
func (messageBody) SchemaName() string { return "Message" }

func newMessageBody(v *vendors.Service, row store.Message) messageBody {
	b := messageBody{
		UUID: row.ID, ThreadUUID: row.ThreadID, AccountUUID: row.AccountID, NumberUUID: row.NumberID, Direction: row.Direction,
		From: row.Sender, To: row.Recipient, Body: row.Body, Media: row.Media, BodyPurgedAt: row.BodyPurgedAt, Encoding: row.Encoding,
		Segments: row.Segments, State: row.State, Reason: web.Optional(row.Reason), Code: web.Optional(row.Code), ProviderID: row.ProviderID,
		ProviderStatus: web.Optional(row.ProviderStatus), Cost: web.Optional(row.Cost), Currency: web.Optional(row.Currency),
		OwnerType: web.Optional(row.OwnerType), OwnerUUID: row.OwnerID, TemplateUUID: row.TemplateID, Keyword: web.Optional(row.Keyword),
		OptOutReview: row.OptOutReview,
		DueAt:        row.DueAt, CreatedByUUID: row.CreatedBy, SentAt: row.SentAt, DeliveredAt: row.DeliveredAt,
		Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	if row.Media == nil {
		b.Media = []string{}
	}
	if b.Attachments = row.AttachmentIDs; b.Attachments == nil {
		b.Attachments = []uuid.UUID{}
	}
	if text := explain(v, row); text != "" {
		b.Explanation = &text
	}

	return b
}

// explain says in words why a message is not where it should be.
func explain(v *vendors.Service, row store.Message) string {
	switch {
	case row.State == store.Unknown:
		return "The connection to the provider ended before it answered: the message may have been sent. Check at the provider, then resend it or give it up."
	case row.Reason == delivery.ReasonDisabled:
		return "The provider account was disabled when the message was to be sent."
	case row.Reason == delivery.ReasonReleased:
		return "The number was no longer active when the message was to be sent."
	case v.Explain(row.Code) != "":
		return v.Explain(row.Code)
	case row.Reason != "":
		return provider.Reason(row.Reason).Explain()
	default:
		return ""
	}
}

func messageResource(v *vendors.Service, row store.Message) *web.Resource[messageBody] {
	return web.NewResource(newMessageBody(v, row), row.Version, base+"/messages/"+row.ID.String())
}

// draftBody is a message to send.
type draftBody struct {
	To               string         `json:"to" maxLength:"100" doc:"A phone number in E.164 or in the national format of the company's region."`
	Body             string         `json:"body,omitempty" maxLength:"10000" doc:"The text. Omit it with a template."`
	TemplateUUID     uuid.UUID      `json:"template_uuid,omitzero" doc:"A template to use instead of a body."`
	Variables        map[string]any `json:"variables,omitempty" maxProperties:"100" doc:"Variables of the template. The owner's values are available as item."`
	FromUUID         uuid.UUID      `json:"from_uuid,omitzero" doc:"Id of the number to send from. By default the caller's default number, else the company's, else the number last used with the recipient."`
	Media            []string       `json:"media,omitempty" maxItems:"10" doc:"Links that start with https:// and that the provider fetches."`
	SendAt           time.Time      `json:"send_at,omitzero" doc:"When to send it; by default now. A time more than 5 minutes in the past is refused."`
	OwnerType        string         `json:"owner_type,omitempty" maxLength:"100" doc:"Type of the item that the message concerns."`
	OwnerUUID        uuid.UUID      `json:"owner_uuid,omitzero" doc:"Id of the item."`
	IgnoreQuietHours bool           `json:"ignore_quiet_hours,omitempty" doc:"For what cannot wait."`
	IgnoreBadNumber  bool           `json:"ignore_bad_number,omitempty" doc:"Send even if a provider reported that the number cannot receive text messages."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (draftBody) SchemaName() string { return "SmsNewMessage" }

func (b draftBody) draft() draft {
	return draft{
		To: b.To, Body: b.Body, TemplateUUID: b.TemplateUUID, Variables: b.Variables, FromUUID: b.FromUUID, Media: b.Media,
		SendAt: b.SendAt, Owner: item.Ref{Type: b.OwnerType, UUID: b.OwnerUUID}, Urgent: b.IgnoreQuietHours, DespiteBad: b.IgnoreBadNumber,
	}
}

type postMessageInput struct{ Body draftBody }

func (s *outgoingHandlers) postOne(ctx context.Context, in *postMessageInput) (*web.Resource[messageBody], error) {
	row, err := s.outgoing.send(ctx, in.Body.draft())
	if err != nil {
		return nil, err
	}

	return messageResource(s.vendors, row), nil
}

var messageSchema = sync.OnceValue(func() list.Schema {
	text := func(name string) list.Field {
		return list.Field{Name: name, Expr: name, Kind: kind.Text, Filterable: true}
	}

	return list.ShownAs[messageBody](list.Schema{
		Fields: []list.Field{
			{Name: "thread_uuid", Expr: "thread_id", Kind: kind.UUID, Filterable: true},
			{Name: "account_uuid", Expr: "account_id", Kind: kind.UUID, Filterable: true},
			{Name: "number_uuid", Expr: "number_id", Kind: kind.UUID, Filterable: true},
			{Name: "template_uuid", Expr: "template_id", Kind: kind.UUID, Nullable: true, Filterable: true},
			{Name: "owner_uuid", Expr: "owner_id", Kind: kind.UUID, Nullable: true, Filterable: true},
			{Name: "created_by_uuid", Expr: "created_by", Kind: kind.UUID, Nullable: true, Filterable: true, NamesUser: true},
			{Name: "from", Expr: "sender", Kind: kind.Text, Filterable: true},
			{Name: "to", Expr: "recipient", Kind: kind.Text, Filterable: true},
			text("direction"), text("state"), text("reason"), text("code"), text("owner_type"),
			{Name: "opt_out_review", Expr: "opt_out_review", Kind: kind.Text, Nullable: true, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
			{Name: "due_at", Expr: "due_at", Kind: kind.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true}, DefaultSort: []string{"-created_at"},
		Search: []string{"body"}, Expand: []string{expandNumber, expandTemplate},
	})
})
