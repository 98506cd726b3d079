package messages

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/delivery"
	"github.com/dispatchd/dispatchd/modules/sms/internal/numbers"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/web"
)

// MessageBody is a message as the API shows it.
type MessageBody struct {
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

	Number   *numbers.NumberBody `json:"number,omitempty" doc:"In lists, with expand=number."`
	Template *store.Template     `json:"template,omitempty" doc:"In lists, with expand=template."`
}

// SchemaName is the name of the body in the documented interface.
func (MessageBody) SchemaName() string { return "Message" }

// NewMessageBody returns a MessageBody.
func NewMessageBody(v *vendors.Service, row store.Message) MessageBody {
	b := MessageBody{
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

// Resource is the answer with a message.
func Resource(v *vendors.Service, row store.Message) *web.Resource[MessageBody] {
	return web.NewResource(NewMessageBody(v, row), row.Version, store.BasePath+"/messages/"+row.ID.String())
}
