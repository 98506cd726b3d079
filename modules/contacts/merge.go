package contacts

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errCycle     = errs.New(errs.Conflict, "contacts.merge_cycle", "A contact cannot be merged into itself, or into one that was merged into it.")
	errExpired   = errs.New(errs.Conflict, "contacts.unmerge_expired", "The merge can no longer be undone.")
	errNotMerged = errs.New(errs.Conflict, "contacts.not_merged", "The contact is not merged into another one.")
	errUndoFirst = errs.New(errs.Conflict, "contacts.unmerge_later_first", "The contact that it was merged into was merged itself. Unmerge that one first.")
)

// merger merges contacts and takes merges back.
type merger struct {
	settings settings
	contacts *resource.Resource[contact]
	rows     *repository
	db       *database.DB
	engine   *resource.Engine
	hooks    *hook.Bus
	bus      *events.Bus
	clock    clock.Clock
}

func newMerger(
	s settings, contacts *resource.Resource[contact], rows *repository, db *database.DB, e *resource.Engine, hooks *hook.Bus, bus *events.Bus, c clock.Clock,
) *merger {
	return &merger{s, contacts, rows, db, e, hooks, bus, c}
}

func mergeRoutes(r *web.Router, m *merger) {
	failures := append([]*errs.Error{m.contacts.NotFound(), errCycle, errMerged, errErased}, append(resource.MoveErrors, m.contacts.WriteErrors()...)...)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/contacts/merge", ID: "merge_contacts", Access: web.Scope("merge"), Summary: "Merge contacts into another one",
		Description: "Changes all references to the merged contacts to the remaining one. Lists are combined, empty fields are filled, " +
			"and `take` selects the contact whose value a field gets. Merged contacts can still be read.",
		Errors: failures,
	}, m.merge)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/contacts/{uuid}/unmerge", ID: "unmerge_contact", Access: web.Scope("merge"), Summary: "Undo the merge of a contact",
		Description: "Changes moved references that still name the remaining contact back. Fields of the remaining contact that have " +
			"changed since keep their values.",
		Errors: append(failures, errExpired, errNotMerged, errUndoFirst),
	}, m.unmerge)
}

type mergeInput struct{ Body mergeBody }

type mergeBody struct {
	Into uuid.UUID            `json:"into" doc:"The remaining contact."`
	From []uuid.UUID          `json:"from" minItems:"1" maxItems:"10" doc:"The contacts to merge into it."`
	Take map[string]uuid.UUID `json:"take,omitempty" doc:"Contacts whose values to use, by field."`
}

// merged are the fields whose values a merge decides about, by their keys.
var merged = []string{
	"kind", "name", "first_name", "middle_name", "last_name", "suffix", "legal_name", "dba", "title", "parent_uuid", "receives",
	"customer", "shipper", "consignee", "bill_to", "vendor", "carrier", "emails", "phones", "addresses", "usdot", "source", "owner_user_uuid", "status",
	"language", "time_zone", "tax_id_last4", "tax_exempt", "exempt_until", "tax_certificate_uuid",
	"net_days", "credit_limit", "credit_currency", "credit_hold", "consents",
}

// parts are those of them that only contacts of one kind fill in for each other.
var parts = []string{"kind", "name", "first_name", "middle_name", "last_name", "suffix", "legal_name", "dba", "status"}

func (m *merger) merge(ctx context.Context, in *mergeInput) (answer *web.Resource[contact], err error) {
	b := in.Body
	if err := b.check(); err != nil {
		return nil, err
	}
	err = m.db.InTx(ctx, func(ctx context.Context) error {
		if err := m.contacts.Hold(ctx, append(slices.Clone(b.From), b.Into)...); err != nil {
			return err
		}
		into, err := m.standing(ctx, b.Into, b.From)
		if err != nil {
			return err
		}
		for _, id := range b.From {
			from, err := m.standing(ctx, id, nil)
			if err != nil {
				return err
			}
			if into, err = m.mergeOne(ctx, into, from, b.Take); err != nil {
				return err
			}
		}
		answer, err = m.contacts.Answer(ctx, into, nil)

		return err
	})

	return answer, err
}

func (b mergeBody) check() error {
	if slices.Contains(b.From, b.Into) {
		return errCycle
	}
	wrong := errInvalid
	for i, id := range b.From {
		if slices.Contains(b.From[:i], id) {
			wrong = wrong.WithField(fmt.Sprintf("from.%d", i), "The contact is listed twice.")
		}
	}
	for key, id := range b.Take {
		switch {
		case !slices.Contains(merged, key):
			wrong = wrong.WithField("take."+key, "Merges do not support the field.")
		case id != b.Into && !slices.Contains(b.From, id):
			wrong = wrong.WithField("take."+key, "The contact must be in into or from.")
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

// standing returns a contact that can be merged. One that was merged into some of others would be a cycle.
func (m *merger) standing(ctx context.Context, id uuid.UUID, others []uuid.UUID) (contact, error) {
	row, err := m.contacts.Find(ctx, id)
	switch {
	case err != nil:
		return row, err
	case row.MergedInto != nil && slices.Contains(others, *row.MergedInto):
		return row, errCycle
	case row.MergedInto != nil:
		return row, errMerged.WithDetail("merged_into_uuid", row.MergedInto)
	case row.ErasedAt != nil:
		return row, errErased
	default:
		return row, nil
	}
}

// mergeOne makes one contact a part of another one.
func (m *merger) mergeOne(ctx context.Context, into, from contact, take map[string]uuid.UUID) (contact, error) {
	if err := hook.Run(ctx, m.hooks, &contactsapi.Merging{Into: into.ID.String(), From: from.ID.String()}); err != nil {
		return into, err
	}
	if _, err := m.contacts.Change(ctx, from.ID, web.IfMatch{}, merge, func(_ context.Context, c *contact) error {
		c.MergedInto, c.MergedAt = &into.ID, new(m.clock.Now())

		return nil
	}); err != nil {
		return into, err
	}
	before, after, err := united(into, from, take)
	if err != nil {
		return into, err
	}
	stays, err := m.set(ctx, into.ID, merge, func(map[string]json.RawMessage) map[string]json.RawMessage { return after })
	if err != nil {
		return stays, err
	}
	row := mergeRow{ID: database.NewID(), IntoID: into.ID, FromID: from.ID, CreatedAt: m.clock.Now(), CreatedBy: principal.UserOf(ctx)}
	if row.Moved.V, err = m.engine.Move(ctx, resource.Moving{Type: contactsapi.Item, From: from.ID, To: into.ID}); err != nil {
		return stays, err
	}
	followed, err := m.rows.followMerges(ctx, from.ID, into.ID, nil)
	if err != nil {
		return stays, err
	}
	if len(followed) > 0 {
		row.Moved.V = append(row.Moved.V, resource.Moved{Of: contactsapi.Item, By: mergedInto, Rows: followed})
	}
	if row.Before, row.After, err = differing(before, stays, after); err != nil {
		return stays, err
	}
	if err := m.rows.addMerge(ctx, &row); err != nil {
		return stays, err
	}
	if err := m.bus.Publish(ctx, contactsapi.Merged{Contact: from.ID.String(), Into: into.ID.String()}); err != nil {
		return stays, err
	}

	return m.contacts.Find(ctx, into.ID) // it may have belonged to the other one
}

const mergedInto = "merged_into_uuid"

// set changes the values of a contact that a merge decides about.
func (m *merger) set(
	ctx context.Context, id uuid.UUID, verb resource.Verb, values func(now map[string]json.RawMessage) map[string]json.RawMessage,
) (contact, error) {
	return m.contacts.Change(ctx, id, web.IfMatch{}, verb, func(_ context.Context, c *contact) error {
		now, err := valuesOf(*c)
		if err != nil {
			return err
		}
		text, err := json.Marshal(values(now))
		if err != nil {
			return err
		}
		c.Emails.V, c.Phones.V, c.Addresses.V, c.Consents.V, c.Receives.V = slices.Clone(c.Emails.V), slices.Clone(c.Phones.V),
			slices.Clone(c.Addresses.V), slices.Clone(c.Consents.V), slices.Clone(c.Receives.V)

		return json.Unmarshal(text, c)
	})
}

// differing are the values before and after a change of a contact that differ.
func differing(before map[string]json.RawMessage, row contact, decided map[string]json.RawMessage) (was, is []byte, err error) {
	now, err := valuesOf(row)
	if err != nil {
		return nil, nil, err
	}
	maps.DeleteFunc(now, func(key string, value json.RawMessage) bool {
		_, mine := decided[key]

		return !mine || rawjson.Equal(value, before[key])
	})
	maps.DeleteFunc(before, func(key string, _ json.RawMessage) bool { _, changed := now[key]; return !changed })
	if was, err = json.Marshal(before); err != nil {
		return nil, nil, err
	}
	is, err = json.Marshal(now)

	return was, is, err
}

// valuesOf are the values of a contact that a merge decides about, by the keys of fields.
func valuesOf(c contact) (map[string]json.RawMessage, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	all := map[string]json.RawMessage{}
	err = json.Unmarshal(text, &all)
	maps.DeleteFunc(all, func(key string, _ json.RawMessage) bool { return !slices.Contains(merged, key) })

	return all, err
}

// united are the values of a contact, and those of them that it is to have when another one becomes a part of it.
func united(into, from contact, take map[string]uuid.UUID) (before, after map[string]json.RawMessage, err error) {
	if before, err = valuesOf(into); err != nil {
		return nil, nil, err
	}
	theirs, err := valuesOf(from)
	if err != nil {
		return nil, nil, err
	}
	after = map[string]json.RawMessage{}
	for _, key := range merged {
		chosen, asked := take[key]
		switch {
		case asked && chosen == from.ID:
			after[key] = theirs[key]
		case asked && chosen != into.ID, asked, slices.Contains(parts, key) && into.Kind != from.Kind:
		case empty(before[key]) && !empty(theirs[key]) && string(theirs[key]) != quoted(into.ID):
			after[key] = theirs[key]
		}
	}
	if string(before["parent_uuid"]) == quoted(from.ID) { // the company of the other one is that of both
		if after["parent_uuid"] = theirs["parent_uuid"]; string(theirs["parent_uuid"]) == quoted(into.ID) {
			after["parent_uuid"] = json.RawMessage("null")
		}
	}
	for key, list := range map[string]any{
		"emails":    append(slices.Clone(into.Emails.V), others(into.Emails.V, from.Emails.V, func(e *email) string { e.Primary = false; return e.Address })...),
		"phones":    append(slices.Clone(into.Phones.V), others(into.Phones.V, from.Phones.V, func(p *phone) string { p.Primary = false; return string(p.E164) })...),
		"addresses": append(slices.Clone(into.Addresses.V), others(into.Addresses.V, from.Addresses.V, func(a *address) string { return fmt.Sprint(a.Address) })...),
		"receives":  append(slices.Clone(into.Receives.V), others(into.Receives.V, from.Receives.V, func(t *topic) string { return string(*t) })...),
		"consents":  agreed(into.Consents.V, from.Consents.V),
	} {
		if _, asked := take[key]; !asked && !empty(theirs[key]) {
			if after[key], err = json.Marshal(list); err != nil {
				return nil, nil, err
			}
		}
	}

	return before, after, nil
}

func quoted(id uuid.UUID) string { return `"` + id.String() + `"` }

// empty reports whether a value is none.
func empty(value json.RawMessage) bool {
	return slices.Contains([]string{"", "null", `""`, "false", "[]"}, string(value))
}

// others are the entries of a list that another one does not have.
func others[E any](have, more []E, same func(*E) string) (all []E) {
	seen := map[string]bool{}
	for _, one := range have {
		seen[same(&one)] = true
	}
	for _, one := range more {
		if id := same(&one); !seen[id] {
			seen[id] = true
			all = append(all, one)
		}
	}

	return all
}

// agreed is what two contacts that are one have agreed to: what one of them has refused is refused, else the later statement
// counts.
func agreed(mine, theirs []consent) []consent {
	c := contact{Consents: resource.JSON[[]consent]{V: mine}}
	for _, said := range theirs {
		was := slices.IndexFunc(c.Consents.V, func(w consent) bool { return w.Channel == said.Channel && w.Purpose == said.Purpose })
		if was < 0 || (c.Consents.V[was].State != "refused" && (said.State == "refused" || said.At.After(c.Consents.V[was].At))) {
			c.agree(said)
		}
	}

	return c.Consents.V
}

func (m *merger) unmerge(ctx context.Context, in *oneInput) (answer *web.Resource[contact], err error) {
	err = m.db.InTx(ctx, func(ctx context.Context) error {
		row, err := m.undone(ctx, in)
		if err != nil {
			return err
		}
		moving := resource.Moving{Type: contactsapi.Item, From: row.IntoID, To: row.FromID, Only: append([]resource.Moved{}, row.Moved.V...)}
		if err := hook.Run(ctx, m.hooks, &contactsapi.Merging{Into: row.IntoID.String(), From: row.FromID.String(), Undo: true}); err != nil {
			return err
		}
		if _, err := m.contacts.Change(ctx, row.FromID, in.IfMatch, unmerge, func(_ context.Context, c *contact) error {
			c.MergedInto, c.MergedAt = nil, nil

			return nil
		}); err != nil {
			return err
		}
		if err := m.giveBack(ctx, row); err != nil {
			return err
		}
		if _, err := m.engine.Move(ctx, moving); err != nil {
			return err
		}
		for _, moved := range row.Moved.V {
			if moved.By == mergedInto {
				if _, err := m.rows.followMerges(ctx, row.IntoID, row.FromID, moved.Rows); err != nil {
					return err
				}
			}
		}
		if err := m.rows.endMerge(ctx, row.ID, m.clock.Now()); err != nil {
			return err
		}
		if err := m.bus.Publish(ctx, contactsapi.Unmerged{Contact: row.FromID.String(), From: row.IntoID.String()}); err != nil {
			return err
		}
		found, err := m.contacts.Find(ctx, row.FromID)
		answer, err = m.contacts.Answer(ctx, found, err)

		return err
	})

	return answer, err
}

// undone returns the merge that is to be taken back.
func (m *merger) undone(ctx context.Context, in *oneInput) (*mergeRow, error) {
	from, err := m.contacts.Find(ctx, in.UUID)
	switch {
	case err != nil:
		return nil, err
	case from.ErasedAt != nil:
		return nil, errErased
	case from.MergedInto == nil:
		return nil, errNotMerged
	}
	row, err := m.rows.lastMerge(ctx, in.UUID)
	switch {
	case err != nil:
		return nil, err
	case row == nil || m.clock.Now().Sub(row.CreatedAt) > m.settings.UnmergeWithin:
		return nil, errExpired
	case row.IntoID != *from.MergedInto:
		return nil, errUndoFirst.WithDetail("uuid", row.IntoID)
	}

	return row, m.contacts.Hold(ctx, row.IntoID, row.FromID)
}

// giveBack has the contact that stayed have the values again that it had before a merge, but for those that were changed since.
func (m *merger) giveBack(ctx context.Context, row *mergeRow) error {
	var before, after map[string]json.RawMessage
	if err := json.Unmarshal(row.Before, &before); err != nil {
		return err
	}
	if err := json.Unmarshal(row.After, &after); err != nil {
		return err
	}
	_, err := m.set(ctx, row.IntoID, unmerge, func(now map[string]json.RawMessage) map[string]json.RawMessage {
		maps.DeleteFunc(before, func(key string, _ json.RawMessage) bool { return !rawjson.Equal(now[key], after[key]) })

		return before
	})

	return err
}
