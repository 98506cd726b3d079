package esign

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// envelopeHandlers answer the operations on envelopes.
type envelopeHandlers struct {
	store     *store.Repository
	drafts    *envelopes.Drafts
	envelopes *envelopes.Service
	details   *details
}

func newEnvelopeHandlers(r *store.Repository, d *envelopes.Drafts, e *envelopes.Service, de *details) *envelopeHandlers {
	return &envelopeHandlers{store: r, drafts: d, envelopes: e, details: de}
}

func envelopeRoutes(r *web.Router, s *envelopeHandlers) {
	send := web.Scope(store.SendScope)
	writes := append(item.Errors, store.ErrInvalid, store.ErrIncomplete, store.ErrTemplate, store.ErrMapping, store.ErrAccount, store.ErrNoAccount, store.ErrDisabled, principal.ErrScopeMissing, notify.ErrRefused)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/envelopes", ID: "list_envelopes", Access: web.Read, Summary: "List envelopes",
		Description: "filter[item_type] and filter[item_uuid] give the envelopes of an item. " + envelopeSchema().Describe(), Errors: list.Errors,
	}, list.Serve(envelopeSchema(), s.store.Envelopes, showEnvelope))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/envelopes", ID: "create_envelope", Access: send, MaxBody: config.MiB, Summary: "Make an envelope, and send it",
		Description: "From a mapping, a template or attachments. What is missing, or does not fit, refuses it; a draft may lack values until it is sent. With an Idempotency-Key a repeat sends nothing.",
		Errors:      writes,
	}, s.postEnvelope)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/envelopes/{uuid}", ID: "read_envelope", Access: web.Read, Summary: "Read an envelope with its recipients and documents",
		Errors: []*errs.Error{store.ErrEnvelope},
	}, s.getEnvelope)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/envelopes/{uuid}", ID: "update_envelope", Access: send, MaxBody: config.MiB,
		Summary:     "Change an envelope that was not sent",
		Description: "A draft, or one that has failed. Recipients and attachments are replaced as a whole.", Errors: append(writes, store.ErrEnvelope, store.ErrNotDraft),
	}, s.patchEnvelope)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/envelopes/{uuid}/history", ID: "list_envelope_history", Access: web.Read,
		Summary: "List what has happened to an envelope, the earliest first", Errors: []*errs.Error{store.ErrEnvelope},
	}, s.details.getHistory)
	state.Declare(r, store.Lifecycle, state.Handlers[store.Status, envelopeBody]{
		Path: "/envelopes/{uuid}", Current: s.envelopes.Current, Log: s.envelopes.Log(), Apply: s.moveEnvelope,
		Errors: append(item.Errors, store.ErrEnvelope, store.ErrIncomplete, store.ErrInvalid, store.ErrTemplate, store.ErrMapping, store.ErrDisabled, principal.ErrScopeMissing, notify.ErrRefused),
	})
}

// envelopeBody is an envelope as lists show it.
type envelopeBody struct {
	UUID             uuid.UUID    `json:"uuid"`
	AccountUUID      uuid.UUID    `json:"account_uuid"`
	ExternalID       *string      `json:"external_id" doc:"The envelope's id at the provider; null until it is known."`
	Origin           string       `json:"origin" enum:"here,provider" doc:"Where it was made."`
	CopyOfUUID       *uuid.UUID   `json:"copy_of_uuid" doc:"The envelope that it carries the id of, though it is another one at the provider: made by a call whose answer was lost, or copied there. Null for an original."`
	TemplateUUID     *uuid.UUID   `json:"template_uuid"`
	MappingUUID      *uuid.UUID   `json:"mapping_uuid"`
	Subject          string       `json:"subject"`
	ItemType         *string      `json:"item_type" doc:"Type of the item that it is about; null for none."`
	ItemUUID         *uuid.UUID   `json:"item_uuid"`
	Source           *string      `json:"source" doc:"The screen, or the rule, that it comes from."`
	State            store.Status `json:"state" enum:"draft,queued,sending,unknown,failed,created,processing,sent,delivered,correct,signed,completed,declined,voided,expired,deleted,authoritativecopy,transfercompleted"`
	Reason           *string      `json:"reason" doc:"Why it was declined, voided or failed, or why it waits; null if there is nothing to say."`
	Code             *string      `json:"code" doc:"The provider's own code."`
	Explanation      *string      `json:"explanation" doc:"What the reason means, and what can be done."`
	Documents        *string      `json:"documents" enum:"wanted,stored,failed" doc:"Where the signed documents are; null before it is completed."`
	DocumentsProblem *string      `json:"documents_problem" doc:"Why they could not be stored, or the signed values not be read."`
	ExpiresAt        *time.Time   `json:"expires_at"`
	SentAt           *time.Time   `json:"sent_at"`
	DeliveredAt      *time.Time   `json:"delivered_at" doc:"When all recipients had looked at it."`
	CompletedAt      *time.Time   `json:"completed_at"`
	EndedAt          *time.Time   `json:"ended_at"`
	CreatedByUUID    *uuid.UUID   `json:"created_by_uuid"`
	Version          int64        `json:"version" doc:"Grows with every change; the ETag."`
	CreatedAt        time.Time    `json:"created_at"`
	UpdatedAt        time.Time    `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (envelopeBody) SchemaName() string { return "EsignEnvelope" }

func showEnvelope(row store.Envelope) envelopeBody {
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
func explain(row store.Envelope) string {
	text := ""
	switch {
	case row.State == store.Unknown:
		text = "The connection to the provider ended before it answered: the envelope may have been sent. Look at the provider, and refresh; then send it again or give it up."
	case row.State != store.Failed && row.State != store.Queued && row.State != store.Sending || row.Reason == "":
		return ""
	case row.Reason == store.ReasonDisabled:
		text = "The account was disabled when the envelope was to be sent."
	case row.Reason == store.ReasonTemplateGone:
		text = "The provider no longer has the template."
	case row.Reason == store.ReasonTemplateChanged:
		text = "The template was changed at the provider after the envelope was filled in. Look at the mapping, and send again."
	case row.Reason == store.ReasonAttachmentChanged:
		text = "An attachment was changed after the envelope was made. Send again to sign it as it is."
	case row.Reason == store.ReasonGivenUp:
		text = "Somebody gave it up."
	default:
		text = provider.Reason(row.Reason).Explain()
	}
	if row.Detail != "" {
		text += " " + row.Detail
	}

	return text
}

func envelopeResource(row store.Envelope) *web.Resource[envelopeBody] {
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

func recipientDrafts(all []recipientWish) []envelopes.RecipientDraft {
	rows := make([]envelopes.RecipientDraft, 0, len(all))
	for _, w := range all {
		rows = append(rows, envelopes.RecipientDraft(w))
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

func (s *envelopeHandlers) postEnvelope(ctx context.Context, in *postEnvelopeInput) (*web.Resource[envelopeDetails], error) {
	b := in.Body
	row, err := s.drafts.Create(ctx, envelopes.Draft{
		Account: b.AccountUUID, Mapping: b.MappingUUID, Template: b.TemplateUUID, Attachments: b.Attachments, Subject: b.Subject,
		Message: b.Message, Recipients: recipientDrafts(b.Recipients), Days: envelopes.Days{
			ReminderDelay: b.ReminderDelay, ReminderEvery: b.ReminderEvery, ExpireAfter: b.ExpireAfter, ExpireWarn: b.ExpireWarn,
		},
		Item: item.Ref{Type: b.ItemType, UUID: b.ItemUUID}, Source: b.Source,
	}, b.Draft)
	if err != nil {
		return nil, err
	}

	return s.details.show(ctx, row)
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

func (s *envelopeHandlers) patchEnvelope(ctx context.Context, in *patchEnvelopeInput) (*web.Resource[envelopeDetails], error) {
	row, err := s.drafts.Update(ctx, in.UUID, in.IfMatch, func(d *envelopes.Draft) {
		setIfGiven(&d.Subject, in.Body.Subject)
		setIfGiven(&d.Message, in.Body.Message)
		setIfGiven(&d.Attachments, in.Body.Attachments)
		setIfGiven(&d.Days.ReminderDelay, in.Body.ReminderDelay)
		setIfGiven(&d.Days.ReminderEvery, in.Body.ReminderEvery)
		setIfGiven(&d.Days.ExpireAfter, in.Body.ExpireAfter)
		setIfGiven(&d.Days.ExpireWarn, in.Body.ExpireWarn)
		if in.Body.Recipients != nil {
			d.Recipients = recipientDrafts(*in.Body.Recipients)
		}
	})
	if err != nil {
		return nil, err
	}

	return s.details.show(ctx, row)
}

func (s *envelopeHandlers) getEnvelope(ctx context.Context, in *uuidInput) (*web.Resource[envelopeDetails], error) {
	row, err := s.store.Envelope(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return s.details.show(ctx, row)
}

// moveEnvelope implements state.Handlers.
func (s *envelopeHandlers) moveEnvelope(ctx context.Context, move state.Move, match web.IfMatch) (*web.Resource[envelopeBody], error) {
	row, err := s.envelopes.Move(ctx, move, match)
	if err != nil {
		return nil, err
	}

	return envelopeResource(row), nil
}

// setIfGiven sets what was said.
func setIfGiven[T any](field, said *T) {
	if said != nil {
		*field = *said
	}
}

var envelopeSchema = sync.OnceValue(func() list.Schema {
	text := func(name string) list.Field {
		return list.Field{Name: name, Expr: name, Kind: kind.Text, Filterable: true}
	}

	return list.ShownAs[envelopeBody](list.Schema{
		Fields: []list.Field{
			text("state"), text("reason"), text("item_type"), text("source"), text("origin"), text("documents"),
			{Name: "item_uuid", Expr: "item_id", Kind: kind.UUID, Nullable: true, Filterable: true},
			{Name: "account_uuid", Expr: "account_id", Kind: kind.UUID, Filterable: true},
			{Name: "template_uuid", Expr: "template_id", Kind: kind.UUID, Nullable: true, Filterable: true},
			{Name: "mapping_uuid", Expr: "mapping_id", Kind: kind.UUID, Nullable: true, Filterable: true},
			{Name: "copy_of_uuid", Expr: "copy_of", Kind: kind.UUID, Nullable: true, Filterable: true},
			{Name: "external_id", Expr: "external_id", Kind: kind.Text, Nullable: true, Filterable: true},
			{Name: "created_by_uuid", Expr: "created_by", Kind: kind.UUID, Nullable: true, Filterable: true, NamesUser: true},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
			{Name: "updated_at", Expr: "updated_at", Kind: kind.Time, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true}, DefaultSort: []string{"-created_at"},
		Search: []string{"subject"},
	})
})
