package esign

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/documents"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// envelopeDetails is an envelope with all that belongs to it.
type envelopeDetails struct {
	envelopeBody

	Message         string          `json:"message"`
	Attachments     []uuid.UUID     `json:"attachments" nullable:"false" doc:"What is to be signed, where there is no template."`
	ReminderDelay   int             `json:"reminder_delay"`
	ReminderEvery   int             `json:"reminder_every"`
	ExpireAfter     int             `json:"expire_after"`
	ExpireWarn      int             `json:"expire_warn"`
	Recipients      []recipientBody `json:"recipients" nullable:"false"`
	SignedDocuments []documentBody  `json:"signed_documents" nullable:"false" doc:"The signed documents and the certificate, once they are stored."`
	Allowed         []string        `json:"allowed" nullable:"false" doc:"What the caller may do now."`
	Actions         []actionBody    `json:"actions" nullable:"false" doc:"What was asked of the provider, the youngest first."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (envelopeDetails) SchemaName() string { return "EsignEnvelopeDetails" }

type recipientBody struct {
	UUID         uuid.UUID              `json:"uuid"`
	ExternalID   string                 `json:"external_id" doc:"The provider's id within the envelope."`
	Kind         provider.RecipientKind `json:"kind"`
	Role         *string                `json:"role"`
	Name         string                 `json:"name"`
	Email        string                 `json:"email"`
	RoutingOrder int64                  `json:"routing_order"`
	Embedded     bool                   `json:"embedded"`
	State        store.RecipientStatus  `json:"state" enum:"created,sent,autoresponded,faxpending,delivered,signed,completed,declined"`
	Reason       *string                `json:"reason" doc:"Why somebody declined."`
	Tabs         map[string]string      `json:"tabs" nullable:"false" doc:"The values that were said by hand before it was sent."`
	SignedTabs   []signedTabBody        `json:"signed_tabs" doc:"The values that were signed, beside those that it was sent with; null until they are known, soon after the envelope is completed."`
	SentAt       *time.Time             `json:"sent_at"`
	DeliveredAt  *time.Time             `json:"delivered_at"`
	SignedAt     *time.Time             `json:"signed_at"`
	DeclinedAt   *time.Time             `json:"declined_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (recipientBody) SchemaName() string { return "EsignRecipient" }

type documentBody struct {
	Kind           provider.Document `json:"kind" enum:"combined,certificate"`
	AttachmentUUID uuid.UUID         `json:"attachment_uuid"`
	SHA256         string            `json:"sha256"`
	Size           int64             `json:"size"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (documentBody) SchemaName() string { return "EsignDocument" }

type actionBody struct {
	UUID        uuid.UUID  `json:"uuid"`
	Verb        string     `json:"verb" enum:"void,resend,correct,refresh"`
	State       string     `json:"state" enum:"waiting,done,failed,unknown" doc:"Unknown: the provider did not answer, and may have done it."`
	Reason      *string    `json:"reason" doc:"Why it failed, or why it waits."`
	Code        *string    `json:"code" doc:"The provider's own code."`
	Explanation *string    `json:"explanation"`
	UserUUID    *uuid.UUID `json:"user_uuid"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (actionBody) SchemaName() string { return "EsignAction" }

func showAction(a store.Action) actionBody {
	b := actionBody{
		UUID: a.ID, Verb: a.Verb, State: a.State, Reason: web.Optional(a.Reason), Code: web.Optional(a.Code), UserUUID: a.CreatedBy,
		CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
	}
	if a.Reason == "" {
		return b
	}
	text := provider.Reason(a.Reason).Explain()
	if a.State == store.ActionUnknown {
		text = "The provider did not answer: it may have done it, or not. Look at the provider, and ask again if need be."
	}
	if a.Detail != "" {
		text += " " + a.Detail
	}
	b.Explanation = &text

	return b
}

// details show all of an envelope.
type details struct {
	store     *store.Repository
	envelopes *envelopes.Service
	states    *state.Log
}

func newDetails(r *store.Repository, e *envelopes.Service, states *state.Log) *details {
	return &details{store: r, envelopes: e, states: states}
}

// show shows an envelope with all that belongs to it: four statements, whatever there is.
func (s *details) show(ctx context.Context, row store.Envelope) (*web.Resource[envelopeDetails], error) {
	b := envelopeDetails{
		envelopeBody: showEnvelope(row), Message: row.Message, Attachments: row.Content.Attachments, ReminderDelay: row.Content.ReminderDelay,
		ReminderEvery: row.Content.ReminderEvery, ExpireAfter: row.Content.ExpireAfter, ExpireWarn: row.Content.ExpireWarn,
		Recipients: []recipientBody{}, SignedDocuments: []documentBody{}, Allowed: []string{}, Actions: []actionBody{},
	}
	if b.Attachments == nil {
		b.Attachments = []uuid.UUID{}
	}
	people, err := s.store.Recipients(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	sensitive := documents.SeesSensitive(ctx, row)
	for _, r := range people {
		shown := showRecipient(r, row.Content.Given[r.ExternalID])
		shown.SignedTabs = showSigned(r.SignedTabs, sensitive)
		b.Recipients = append(b.Recipients, shown)
	}
	stored, err := s.store.Documents(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	for _, d := range stored {
		b.SignedDocuments = append(b.SignedDocuments, documentBody{Kind: d.Kind, AttachmentUUID: d.AttachmentID, SHA256: d.SHA256, Size: d.Size})
	}
	wanted, err := s.store.Actions(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	for _, a := range wanted {
		b.Actions = append(b.Actions, showAction(a))
	}
	if b.Allowed, err = s.envelopes.AllowedVerbs(ctx, row); err != nil {
		return nil, err
	}

	return web.NewResource(b, row.Version, base+"/envelopes/"+row.ID.String()), nil
}

func showRecipient(r store.Recipient, given map[string]string) recipientBody {
	if given == nil {
		given = map[string]string{}
	}

	return recipientBody{
		UUID: r.ID, ExternalID: r.ExternalID, Kind: r.Kind, Role: web.Optional(r.Role), Name: r.Name, Email: r.Email, RoutingOrder: r.RoutingOrder,
		Embedded: r.Embedded, State: r.State, Reason: web.Optional(r.Reason), Tabs: given, SentAt: r.SentAt, DeliveredAt: r.DeliveredAt,
		SignedAt: r.SignedAt, DeclinedAt: r.DeclinedAt,
	}
}

type historyOutput struct{ Body historyBody }

type historyBody struct {
	Data []historyEntry `json:"data" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (historyBody) SchemaName() string { return "EsignEnvelopeHistory" }

type historyEntry struct {
	Kind          string     `json:"kind" enum:"transition,event,action" doc:"A move between states, what the provider told, or what was asked of it."`
	At            time.Time  `json:"at"`
	Event         *string    `json:"event" doc:"The provider's word, such as recipient-sent."`
	RecipientUUID *uuid.UUID `json:"recipient_uuid"`
	From          *string    `json:"from"`
	To            *string    `json:"to"`
	Verb          *string    `json:"verb"`
	ActorKind     *string    `json:"actor_kind"`
	UserUUID      *uuid.UUID `json:"user_uuid"`
	State         *string    `json:"state" doc:"Of an action: waiting, done, failed or unknown."`
	Detail        *string    `json:"detail"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (historyEntry) SchemaName() string { return "EsignHistoryEntry" }

func (s *details) getHistory(ctx context.Context, in *uuidInput) (*historyOutput, error) {
	if _, err := s.store.Envelope(ctx, in.UUID); err != nil {
		return nil, err
	}
	moves, err := s.states.History(ctx, store.EnvelopeItem, in.UUID)
	if err != nil {
		return nil, err
	}
	told, err := s.store.HistoryEvents(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	wanted, err := s.store.Actions(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	all := make([]historyEntry, 0, len(moves)+len(told)+len(wanted))
	for _, t := range moves {
		e := historyEntry{
			Kind: "transition", At: t.At, From: web.Optional(t.From), To: web.Optional(t.To), Verb: web.Optional(t.Verb), ActorKind: web.Optional(t.ActorKind), Detail: web.Optional(t.Reason),
		}
		if t.Actor != uuid.Nil {
			e.UserUUID = &t.Actor
		}
		all = append(all, e)
	}
	for _, h := range told {
		all = append(all, historyEntry{Kind: "event", At: h.HappenedAt, Event: web.Optional(h.Event), RecipientUUID: h.RecipientID, Detail: web.Optional(h.Detail)})
	}
	for _, a := range wanted {
		all = append(all, historyEntry{
			Kind: "action", At: a.CreatedAt, Verb: web.Optional(a.Verb), UserUUID: a.CreatedBy, State: web.Optional(a.State),
			Detail: web.Optional(a.Content.Reason),
		})
	}
	slices.SortStableFunc(all, func(a, b historyEntry) int { return a.At.Compare(b.At) })

	return &historyOutput{Body: historyBody{Data: all}}, nil
}

// signedTabBody is a signed value as the API shows it.
type signedTabBody struct {
	Label     string  `json:"label"`
	Value     *string `json:"value" doc:"As it was signed, as the provider writes it; DocuSign writes a checked box as X. Null where it is withheld."`
	Prefilled *string `json:"prefilled" doc:"What the tab was sent with. Null where it is withheld."`
	Withheld  bool    `json:"withheld" doc:"Whether it was filled in from a sensitive field whose values the caller may not see."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (signedTabBody) SchemaName() string { return "EsignSignedTab" }

// showSigned shows signed values; nil while they are not known.
func showSigned(tabs []store.SignedTab, sensitive bool) []signedTabBody {
	if tabs == nil {
		return nil
	}
	shown := make([]signedTabBody, 0, len(tabs))
	for _, tab := range tabs {
		b := signedTabBody{Label: tab.Label, Withheld: tab.Sensitive && !sensitive}
		if !b.Withheld {
			b.Value, b.Prefilled = &tab.Value, &tab.Prefilled
		}
		shown = append(shown, b)
	}

	return shown
}
