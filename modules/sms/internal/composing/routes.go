package composing

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/messages"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Handlers answer the operations that send messages.
type Handlers struct {
	store    *store.Repository
	vendors  *vendors.Service
	outgoing *Outgoing
	renderer *Renderer
	maxBulk  int
}

// NewHandlers returns Handlers.
func NewHandlers(r *store.Repository, v *vendors.Service, out *Outgoing, re *Renderer, s *settings.Settings) *Handlers {
	return &Handlers{store: r, vendors: v, outgoing: out, renderer: re, maxBulk: s.MaxBulk}
}

// Routes are the operations that send messages.
func Routes(r *web.Router, s *Handlers) {
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

func (b draftBody) draft() Draft {
	return Draft{
		To: b.To, Body: b.Body, TemplateUUID: b.TemplateUUID, Variables: b.Variables, FromUUID: b.FromUUID, Media: b.Media,
		SendAt: b.SendAt, Owner: item.Ref{Type: b.OwnerType, UUID: b.OwnerUUID}, Urgent: b.IgnoreQuietHours, DespiteBad: b.IgnoreBadNumber,
	}
}

type postMessageInput struct{ Body draftBody }

func (s *Handlers) postOne(ctx context.Context, in *postMessageInput) (*web.Resource[messages.MessageBody], error) {
	row, err := s.outgoing.Send(ctx, in.Body.draft())
	if err != nil {
		return nil, err
	}

	return messages.Resource(s.vendors, row), nil
}
