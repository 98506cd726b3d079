package sms

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/telnyx"
	"github.com/dispatchd/dispatchd/modules/sms/internal/twilio"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

func messageRoutes(r *web.Router, s *messages) {
	send := web.Scope(sendScope)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/messages", ID: "list_messages", Access: web.Read, Summary: "List messages",
		Description: "Index of the documented interface. " + messageSchema().Describe(), Errors: list.Errors(),
	}, s.listMessages)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/messages", ID: "send_message", Access: send, Summary: "Send a message",
		Description: "Send Message of the documented interface. The message is queued, or scheduled for send_at. With an Idempotency-Key a repeat sends nothing.",
		Errors:      sendErrors(),
	}, s.postOne)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/messages/bulk", ID: "send_messages", Access: send, MaxBody: 8 * config.MiB, Timeout: 60 * time.Second,
		Summary:     "Send several messages",
		Description: "Each is a message of its own, with a result of its own. With atomic, which is the default, all are sent or none: what stands after the first refusal is not looked at.",
		Errors:      sendErrors(),
	}, s.postBulk)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/messages/preview", ID: "preview_message", Access: web.Read, Summary: "Show what sending a message would send",
		Description: "Nothing is stored. A template can be given in place of the id of one.", Errors: append(item.Errors(), errInvalid, errVariables, errTemplate),
	}, s.postPreview)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/messages/{uuid}", ID: "read_message", Access: web.Read, Summary: "Read a message with its history",
		Description: "Get Message Details of the documented interface.", Errors: []*errs.Error{errNotFound},
	}, s.getOne)
}

func lifeRoutes(r *web.Router, s *messages) {
	state.Declare(r, lifecycle(), state.Handlers[status, messageBody]{
		Path: "/messages/{uuid}", Current: s.current, Apply: s.move, Errors: []*errs.Error{errNotFound},
	})
}

// messageBody is a message as the API shows it.
type messageBody struct {
	UUID           uuid.UUID   `json:"uuid"`
	ThreadUUID     uuid.UUID   `json:"thread_uuid"`
	AccountUUID    uuid.UUID   `json:"account_uuid"`
	NumberUUID     uuid.UUID   `json:"number_uuid" doc:"The number of ours."`
	Direction      string      `json:"direction" enum:"outbound,inbound"`
	From           string      `json:"from"`
	To             string      `json:"to"`
	Body           string      `json:"body" doc:"Empty once it was purged."`
	Media          []string    `json:"media" nullable:"false"`
	Attachments    []uuid.UUID `json:"attachments" nullable:"false" doc:"Ids of the attachments in which the files of a message from outside are kept, once they were fetched."`
	BodyPurgedAt   *time.Time  `json:"body_purged_at"`
	Encoding       string      `json:"encoding" enum:"GSM-7,UCS-2"`
	Segments       int64       `json:"segments"`
	State          status      `json:"state" enum:"scheduled,queued,sending,unknown,sent,delivered,undelivered,failed,canceled,received"`
	Reason         *string     `json:"reason" doc:"Why it failed, in no vendor's words; null if it did not."`
	Code           *string     `json:"code" doc:"The provider's own error code."`
	Explanation    *string     `json:"explanation" doc:"What the reason means, and what can be done."`
	ProviderID     *string     `json:"provider_id"`
	ProviderStatus *string     `json:"provider_status" doc:"The provider's own word for the state."`
	Cost           *string     `json:"cost" doc:"A decimal; null while the provider has not said."`
	Currency       *string     `json:"currency"`
	OwnerType      *string     `json:"owner_type" doc:"Type of the item that it is about; null for none."`
	OwnerUUID      *uuid.UUID  `json:"owner_uuid"`
	TemplateUUID   *uuid.UUID  `json:"template_uuid"`
	Keyword        *string     `json:"keyword" enum:"stop,start,help" doc:"What the message says, or answers, where it is a keyword."`
	OptOutReview   *string     `json:"opt_out_review" enum:"pending,opted_out,dismissed" doc:"Of a message from outside that may be an opt-out: pending until somebody has decided. Null for all others."`
	DueAt          time.Time   `json:"due_at" doc:"When it goes, at the earliest."`
	CreatedByUUID  *uuid.UUID  `json:"created_by_uuid"`
	SentAt         *time.Time  `json:"sent_at"`
	DeliveredAt    *time.Time  `json:"delivered_at"`
	Version        int64       `json:"version" doc:"Grows with every change; the ETag."`
	CreatedAt      time.Time   `json:"created_at"`
	UpdatedAt      time.Time   `json:"updated_at"`

	Number   *numberBody `json:"number,omitempty" doc:"In lists, with expand=number."`
	Template *template   `json:"template,omitempty" doc:"In lists, with expand=template."`
}

// SchemaName is the name of the body in the documented interface.
func (messageBody) SchemaName() string { return "Message" }

func showMessage(row message) messageBody {
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
	if text := explain(row); text != "" {
		b.Explanation = &text
	}

	return b
}

// explain says in words why a message is not where it should be.
func explain(row message) string {
	switch {
	case row.State == unknown:
		return "The connection to the provider ended before it answered: the message may have been sent. Look at the provider, then resend it or give it up."
	case row.Reason == reasonDisabled:
		return "The provider account was disabled when the message was to be sent."
	case row.Reason == reasonReleased:
		return "The number was not active any more when the message was to be sent."
	case twilio.Explain(row.Code) != "": // the sandbox has Twilio's codes
		return twilio.Explain(row.Code)
	case telnyx.Explain(row.Code) != "":
		return telnyx.Explain(row.Code)
	case row.Reason != "":
		return provider.Reason(row.Reason).Explain()
	default:
		return ""
	}
}

func messageResource(row message) *web.Resource[messageBody] {
	return web.NewResource(showMessage(row), row.Version, base+"/messages/"+row.ID.String())
}

// draftBody is a message to send.
type draftBody struct {
	To               string         `json:"to" maxLength:"100" doc:"A phone number, E.164 or as it is written in the company's region."`
	Body             string         `json:"body,omitempty" maxLength:"10000" doc:"The text. Left out with a template."`
	TemplateUUID     uuid.UUID      `json:"template_uuid,omitzero" doc:"A template to fill in, in place of a body."`
	Variables        map[string]any `json:"variables,omitempty" maxProperties:"100" doc:"What the template is filled with. The values of the owner come as item."`
	FromUUID         uuid.UUID      `json:"from_uuid,omitzero" doc:"Id of the number to send from. Left out: the caller's default, else the company's, else the number that was last used with the recipient."`
	Media            []string       `json:"media,omitempty" maxItems:"10" doc:"Links that begin with https://, which the provider fetches."`
	SendAt           time.Time      `json:"send_at,omitzero" doc:"When to send it; now, if it is left out. A time that is past by more than 5 minutes is refused."`
	OwnerType        string         `json:"owner_type,omitempty" maxLength:"100" doc:"Type of the item that it is about."`
	OwnerUUID        uuid.UUID      `json:"owner_uuid,omitzero" doc:"Which item."`
	IgnoreQuietHours bool           `json:"ignore_quiet_hours,omitempty" doc:"For what cannot wait."`
	IgnoreBadNumber  bool           `json:"ignore_bad_number,omitempty" doc:"Send also to a number of which a provider has said that it takes no text messages."`
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

func (s *messages) postOne(ctx context.Context, in *postMessageInput) (*web.Resource[messageBody], error) {
	row, err := s.send(ctx, in.Body.draft())
	if err != nil {
		return nil, err
	}

	return messageResource(row), nil
}
