package esign

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/documents"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostAsked is how many envelopes other areas are told of at a time.
const mostAsked = 200

// contract implements esignapi.
type contract struct {
	store  *store.Repository
	drafts *envelopes.Drafts
	orders *envelopes.Orders
}

func newContract(r *store.Repository, d *envelopes.Drafts, o *envelopes.Orders) esignapi.Envelopes {
	return contract{store: r, drafts: d, orders: o}
}

// Send implements esignapi.Envelopes.
func (c contract) Send(ctx context.Context, e esignapi.Envelope) (string, error) {
	d := envelopes.Draft{
		Subject: e.Subject, Message: e.Message, Days: envelopes.Days{ExpireAfter: e.ExpireAfter}, Item: item.Ref{Type: e.ItemType}, Source: e.Source,
	}
	for _, id := range []struct {
		field, text string
		into        *uuid.UUID
	}{{"mapping_uuid", e.Mapping, &d.Mapping}, {"account_uuid", e.Account, &d.Account}, {"item_uuid", e.ItemUUID, &d.Item.UUID}} {
		if err := parseID(id.field, id.text, id.into); err != nil {
			return "", err
		}
	}
	for _, text := range e.Attachments {
		var id uuid.UUID
		if err := parseID("attachments", text, &id); err != nil {
			return "", err
		}
		d.Attachments = append(d.Attachments, id)
	}
	for _, r := range e.Recipients {
		d.Recipients = append(d.Recipients, envelopes.RecipientDraft{
			Role: r.Role, Kind: r.Kind, Name: r.Name, Email: r.Email, RoutingOrder: r.RoutingOrder, Embedded: r.Embedded, Tabs: r.Tabs,
		})
	}
	row, err := c.drafts.Create(ctx, d, false)
	if err != nil {
		return "", err
	}

	return row.ID.String(), nil
}

// parseID reads an id of another area's; "" is none.
func parseID(field, text string, into *uuid.UUID) (err error) {
	if text == "" {
		return nil
	}
	if *into, err = uuid.Parse(text); err != nil {
		return store.ErrInvalid.WithField(field, "The "+field+" must be a UUID.")
	}

	return nil
}

// Status implements esignapi.Envelopes.
func (c contract) Status(ctx context.Context, uuids ...string) (map[string]esignapi.Status, error) {
	var ids []uuid.UUID
	for _, text := range uuids {
		if id, err := uuid.Parse(text); err == nil {
			ids = append(ids, id)
		}
	}
	if len(ids) > mostAsked {
		return nil, store.ErrInvalid.WithField("uuids", "The envelopes must be at most 200 at a time.")
	}
	rows, err := c.store.EnvelopesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	all, err := c.statuses(ctx, rows)
	found := make(map[string]esignapi.Status, len(all))
	for _, s := range all {
		found[s.UUID] = s
	}

	return found, err
}

// OfItem implements esignapi.Envelopes.
func (c contract) OfItem(ctx context.Context, itemType, itemUUID string) ([]esignapi.Status, error) {
	id, err := uuid.Parse(itemUUID)
	if err != nil {
		return nil, store.ErrInvalid.WithField("item_uuid", "`item_uuid` must be a UUID.")
	}
	rows, err := c.store.EnvelopesOf(ctx, itemType, id, mostAsked)
	if err != nil {
		return nil, err
	}

	return c.statuses(ctx, rows)
}

// statuses says how far envelopes are, with their documents by one statement.
func (c contract) statuses(ctx context.Context, rows []store.Envelope) ([]esignapi.Status, error) {
	ids := make([]uuid.UUID, 0, len(rows))
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	stored, err := c.store.Documents(ctx, ids...)
	if err != nil {
		return nil, err
	}
	of := map[uuid.UUID]map[string]string{}
	for _, d := range stored {
		if of[d.EnvelopeID] == nil {
			of[d.EnvelopeID] = map[string]string{}
		}
		of[d.EnvelopeID][string(d.Kind)] = d.AttachmentID.String()
	}
	people, err := c.store.SignedRecipients(ctx, ids...)
	if err != nil {
		return nil, err
	}
	signers := map[uuid.UUID][]store.Recipient{}
	for _, r := range people {
		signers[r.EnvelopeID] = append(signers[r.EnvelopeID], r)
	}
	all := make([]esignapi.Status, 0, len(rows))
	for _, row := range rows {
		s := esignapi.Status{UUID: row.ID.String(), State: string(row.State), Reason: row.Reason, Documents: of[row.ID]}
		s.Tabs = documents.VisibleTabs(signers[row.ID], documents.SeesSensitive(ctx, row))
		if row.SentAt != nil {
			s.SentAt = *row.SentAt
		}
		if row.EndedAt != nil {
			s.EndedAt = *row.EndedAt
		}
		all = append(all, s)
	}

	return all, nil
}

// Void implements esignapi.Envelopes.
func (c contract) Void(ctx context.Context, id, reason string) error {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return store.ErrEnvelope
	}
	_, err = c.orders.Void(ctx, parsed, web.IfMatch{}, reason)

	return err
}
