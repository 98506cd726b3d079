package esign

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

func envelopeRoutes(r *web.Router, s *envelopes) {
	send := web.Scope(sendScope)
	writes := append(item.Errors(), errInvalid, errIncomplete, errTemplate, errMapping, errAccount, errNoAccount, errDisabled, errFiles)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/envelopes", ID: "list_envelopes", Access: web.Read, Summary: "List envelopes",
		Description: "filter[item_type] and filter[item_uuid] give the envelopes of an item. " + envelopeSchema().Describe(), Errors: list.Errors(),
	}, list.Serve(envelopeSchema(), s.envelopes, showEnvelope))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/envelopes", ID: "create_envelope", Access: send, MaxBody: config.MiB, Summary: "Make an envelope, and send it",
		Description: "From a mapping, a template or attachments. What is missing, or does not fit, refuses it; a draft may lack values until it is sent. With an Idempotency-Key a repeat sends nothing.",
		Errors:      writes,
	}, s.postOne)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/envelopes/{uuid}", ID: "read_envelope", Access: web.Read, Summary: "Read an envelope with its recipients and documents",
		Errors: []*errs.Error{errEnvelope},
	}, s.getOne)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/envelopes/{uuid}", ID: "update_envelope", Access: send, MaxBody: config.MiB,
		Summary:     "Change an envelope that was not sent",
		Description: "A draft, or one that has failed. Recipients and attachments are replaced as a whole.", Errors: append(writes, errEnvelope, errNotDraft),
	}, s.patchOne)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/envelopes/{uuid}/history", ID: "list_envelope_history", Access: web.Read,
		Summary: "List what has happened to an envelope, the earliest first", Errors: []*errs.Error{errEnvelope},
	}, s.getHistory)
	state.Declare(r, lifecycle(), state.Handlers[status, envelopeBody]{
		Path: "/envelopes/{uuid}", Current: s.current, Apply: s.move,
		Errors: append(item.Errors(), errEnvelope, errIncomplete, errInvalid, errTemplate, errMapping, errDisabled, errFiles),
	})
}

// envelopeBody is an envelope as lists show it.
type envelopeBody struct {
	UUID             uuid.UUID  `json:"uuid"`
	AccountUUID      uuid.UUID  `json:"account_uuid"`
	ExternalID       *string    `json:"external_id" doc:"The envelope's id at the provider; null until it is known."`
	Origin           string     `json:"origin" enum:"here,provider" doc:"Where it was made."`
	CopyOfUUID       *uuid.UUID `json:"copy_of_uuid" doc:"The envelope that it carries the id of, though it is another one at the provider: made by a call whose answer was lost, or copied there. Null for an original."`
	TemplateUUID     *uuid.UUID `json:"template_uuid"`
	MappingUUID      *uuid.UUID `json:"mapping_uuid"`
	Subject          string     `json:"subject"`
	ItemType         *string    `json:"item_type" doc:"Type of the item that it is about; null for none."`
	ItemUUID         *uuid.UUID `json:"item_uuid"`
	Source           *string    `json:"source" doc:"The screen, or the rule, that it comes from."`
	State            status     `json:"state" enum:"draft,queued,sending,unknown,failed,created,processing,sent,delivered,correct,signed,completed,declined,voided,expired,deleted,authoritativecopy,transfercompleted"`
	Reason           *string    `json:"reason" doc:"Why it was declined, voided or failed, or why it waits; null if there is nothing to say."`
	Code             *string    `json:"code" doc:"The provider's own code."`
	Explanation      *string    `json:"explanation" doc:"What the reason means, and what can be done."`
	Documents        *string    `json:"documents" enum:"wanted,stored,failed" doc:"Where the signed documents are; null before it is completed."`
	DocumentsProblem *string    `json:"documents_problem" doc:"Why they could not be stored, or the signed values not be read."`
	ExpiresAt        *time.Time `json:"expires_at"`
	SentAt           *time.Time `json:"sent_at"`
	DeliveredAt      *time.Time `json:"delivered_at" doc:"When all recipients had looked at it."`
	CompletedAt      *time.Time `json:"completed_at"`
	EndedAt          *time.Time `json:"ended_at"`
	CreatedByUUID    *uuid.UUID `json:"created_by_uuid"`
	Version          int64      `json:"version" doc:"Grows with every change; the ETag."`
	CreatedAt        time.Time  `json:"created_at"`
	UpdatedAt        time.Time  `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (envelopeBody) SchemaName() string { return "EsignEnvelope" }

func showEnvelope(row envelope) envelopeBody {
	return envelopeBody{
		UUID: row.ID, AccountUUID: row.AccountID, ExternalID: row.ExternalID, Origin: row.Origin, CopyOfUUID: row.CopyOf, TemplateUUID: row.TemplateID,
		MappingUUID: row.MappingID, Subject: row.Subject, ItemType: web.Optional(row.ItemType), ItemUUID: row.ItemID, Source: web.Optional(row.Source),
		State: row.State, Reason: web.Optional(row.Reason), Code: web.Optional(row.Code), Explanation: web.Optional(explain(row)),
		Documents: web.Optional(row.Documents), DocumentsProblem: web.Optional(row.DocumentsProblem), ExpiresAt: row.ExpiresAt, SentAt: row.SentAt,
		DeliveredAt: row.DeliveredAt, CompletedAt: row.CompletedAt, EndedAt: row.EndedAt, CreatedByUUID: row.CreatedBy,
		Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}

// explain says in words why an envelope is not where it should be.
func explain(row envelope) string {
	text := ""
	switch {
	case row.State == unknown:
		text = "The connection to the provider ended before it answered: the envelope may have been sent. Look at the provider, and refresh; then send it again or give it up."
	case row.State != failed && row.State != queued && row.State != sending || row.Reason == "":
		return ""
	case row.Reason == reasonDisabled:
		text = "The account was disabled when the envelope was to be sent."
	case row.Reason == reasonTemplateGone:
		text = "The provider does not have the template any more."
	case row.Reason == reasonTemplateChanged:
		text = "The template was changed at the provider after the envelope was filled in. Look at the mapping, and send again."
	case row.Reason == reasonAttachmentChanged:
		text = "An attachment was changed after the envelope was made. Send again to sign it as it is."
	case row.Reason == reasonGivenUp:
		text = "Somebody gave it up."
	default:
		text = provider.Reason(row.Reason).Explain()
	}
	if row.Detail != "" {
		text += " " + row.Detail
	}

	return text
}

func envelopeResource(row envelope) *web.Resource[envelopeBody] {
	return web.NewResource(showEnvelope(row), row.Version, base+"/envelopes/"+row.ID.String())
}

// recipientWish is a recipient to be.
type recipientWish struct {
	Role         string            `json:"role,omitempty" maxLength:"100" doc:"The role in the template; only with a template."`
	Kind         string            `json:"kind,omitempty" enum:"signer,carbon_copy,certified_delivery" doc:"Left out: the role's, or signer."`
	Name         string            `json:"name" maxLength:"100"`
	Email        string            `json:"email" maxLength:"100"`
	RoutingOrder int               `json:"routing_order,omitempty" minimum:"0" maximum:"1000" doc:"Who has the same number gets it at the same time. Left out: the role's, or 1."`
	Embedded     bool              `json:"embedded,omitempty" doc:"Signs at an address that we hand out, instead of by the provider's e-mail."`
	Tabs         map[string]string `json:"tabs,omitempty" maxProperties:"200" doc:"Values of tabs by label, instead of the mapping's. Of a checkbox: true or false."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (recipientWish) SchemaName() string { return "EsignNewRecipient" }

func wishes(all []recipientWish) []wanted {
	rows := make([]wanted, 0, len(all))
	for _, w := range all {
		rows = append(rows, wanted(w))
	}

	return rows
}

// newEnvelope is an envelope to make.
type newEnvelope struct {
	MappingUUID   uuid.UUID       `json:"mapping_uuid,omitzero" doc:"A mapping, which names the template and fills it from the item."`
	TemplateUUID  uuid.UUID       `json:"template_uuid,omitzero" doc:"A template, without a mapping."`
	Attachments   []uuid.UUID     `json:"attachments,omitempty" maxItems:"50" doc:"Attachments to sign, without a template."`
	AccountUUID   uuid.UUID       `json:"account_uuid,omitzero" doc:"Left out: the template's, or the default."`
	Subject       string          `json:"subject,omitempty" maxLength:"100" doc:"Left out: the template's."`
	Message       string          `json:"message,omitempty" maxLength:"10000" doc:"Left out: the template's."`
	Recipients    []recipientWish `json:"recipients" minItems:"1" maxItems:"100" nullable:"false"`
	ReminderDelay int             `json:"reminder_delay,omitempty" minimum:"0" maximum:"999" doc:"Days until recipients are reminded; 0 is the provider's default."`
	ReminderEvery int             `json:"reminder_every,omitempty" minimum:"0" maximum:"999" doc:"Days between further reminders."`
	ExpireAfter   int             `json:"expire_after,omitempty" minimum:"0" maximum:"999" doc:"Days until it expires; 0 is the provider's default."`
	ExpireWarn    int             `json:"expire_warn,omitempty" minimum:"0" maximum:"999" doc:"Days before that on which recipients are warned."`
	ItemType      string          `json:"item_type,omitempty" maxLength:"100" doc:"Type of the item that it is about."`
	ItemUUID      uuid.UUID       `json:"item_uuid,omitzero" doc:"Which item."`
	Source        string          `json:"source,omitempty" maxLength:"100" doc:"The screen, or the rule, that it comes from."`
	Draft         bool            `json:"draft,omitempty" doc:"Store it without sending it."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (newEnvelope) SchemaName() string { return "EsignNewEnvelope" }

type postEnvelopeInput struct{ Body newEnvelope }

func (s *envelopes) postOne(ctx context.Context, in *postEnvelopeInput) (*web.Resource[envelopeDetails], error) {
	b := in.Body
	row, err := s.create(ctx, draftOf{
		Account: b.AccountUUID, Mapping: b.MappingUUID, Template: b.TemplateUUID, Attachments: b.Attachments, Subject: b.Subject,
		Message: b.Message, Recipients: wishes(b.Recipients), Days: days{b.ReminderDelay, b.ReminderEvery, b.ExpireAfter, b.ExpireWarn},
		Item: item.Ref{Type: b.ItemType, UUID: b.ItemUUID}, Source: b.Source,
	}, b.Draft)
	if err != nil {
		return nil, err
	}

	return s.details(ctx, row)
}

type patchEnvelopeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body envelopePatch
}

type envelopePatch struct {
	Subject       *string          `json:"subject,omitempty" maxLength:"100"`
	Message       *string          `json:"message,omitempty" maxLength:"10000"`
	Attachments   *[]uuid.UUID     `json:"attachments,omitempty" maxItems:"50"`
	Recipients    *[]recipientWish `json:"recipients,omitempty" minItems:"1" maxItems:"100"`
	ReminderDelay *int             `json:"reminder_delay,omitempty" minimum:"0" maximum:"999"`
	ReminderEvery *int             `json:"reminder_every,omitempty" minimum:"0" maximum:"999"`
	ExpireAfter   *int             `json:"expire_after,omitempty" minimum:"0" maximum:"999"`
	ExpireWarn    *int             `json:"expire_warn,omitempty" minimum:"0" maximum:"999"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (envelopePatch) SchemaName() string { return "EsignEnvelopePatch" }

func (s *envelopes) patchOne(ctx context.Context, in *patchEnvelopeInput) (*web.Resource[envelopeDetails], error) {
	row, err := s.update(ctx, in.UUID, in.IfMatch, func(d *draftOf) {
		put(&d.Subject, in.Body.Subject)
		put(&d.Message, in.Body.Message)
		put(&d.Attachments, in.Body.Attachments)
		put(&d.Days.ReminderDelay, in.Body.ReminderDelay)
		put(&d.Days.ReminderEvery, in.Body.ReminderEvery)
		put(&d.Days.ExpireAfter, in.Body.ExpireAfter)
		put(&d.Days.ExpireWarn, in.Body.ExpireWarn)
		if in.Body.Recipients != nil {
			d.Recipients = wishes(*in.Body.Recipients)
		}
	})
	if err != nil {
		return nil, err
	}

	return s.details(ctx, row)
}

func (s *envelopes) getOne(ctx context.Context, in *uuidInput) (*web.Resource[envelopeDetails], error) {
	row, err := s.envelope(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return s.details(ctx, row)
}

// put sets what was said.
func put[T any](field, said *T) {
	if said != nil {
		*field = *said
	}
}
