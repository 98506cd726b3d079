package contacts

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/merge"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errCycle     = errs.New(errs.Conflict, "contacts.merge_cycle", "A contact cannot be merged into itself, or into one that was merged into it.")
	errExpired   = errs.New(errs.Conflict, "contacts.unmerge_expired", "The merge is too old to be undone. Change the contacts by hand.")
	errNotMerged = errs.New(errs.Conflict, "contacts.not_merged", "The contact is not merged into another one.")
	errUndoFirst = errs.New(errs.Conflict, "contacts.unmerge_later_first", "The contact that it was merged into was merged itself since. Unmerge that one first.")
)

// merger merges contacts and takes merges back.
type merger struct {
	tables *tables
	merges *merge.Merger[contact]
	hooks  *hook.Bus
}

func newMerger(s settings, t *tables, hooks *hook.Bus, bus *events.Bus) *merger {
	m := &merger{tables: t, hooks: hooks}
	m.merges = merge.New(merge.Rules[contact]{
		Table: mergeRow{}.TableName(), Keys: merged, Within: s.UnmergeWithin,
		State: func(c *contact) merge.State { return merge.State{Into: &c.MergedInto, At: &c.MergedAt} },
		Skips: func(key string, into, from contact) bool {
			return slices.Contains(parts, key) && into.Kind != from.Kind
		},
		Unite: unite,
		Refuse: func(c contact) error {
			if c.ErasedAt != nil {
				return errErased
			}

			return nil
		},
		Moving: m.moving,
		Merged: func(from, into uuid.UUID) events.Event {
			return contactsapi.Merged{Contact: from.String(), Into: into.String()}
		},
		Unmerged: func(from, into uuid.UUID) events.Event {
			return contactsapi.Unmerged{Contact: from.String(), From: into.String()}
		},
		Failures: merge.Failures{Cycle: errCycle, Merged: errMerged, Expired: errExpired, NotMerged: errNotMerged, LaterFirst: errUndoFirst},
	}, t.Contacts, t.DB, bus, t.Clock)

	return m
}

func mergeRoutes(r *web.Router, m *merger) {
	failures := append([]*errs.Error{m.tables.Contacts.NotFound(), errCycle, errMerged, errErased}, append(resource.MoveErrors, m.tables.Contacts.WriteErrors()...)...)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/contacts/merge", ID: "merge_contacts", Access: web.Scope("merge"), Summary: "Merge contacts into another one",
		Description: "Everything that names the merged contacts names the other one from then on. Lists are united, fields without a value are filled, " +
			"and `take` chooses the contact whose value a field gets. The merged contacts can still be read, and say which one they are now.",
		Errors: failures,
	}, m.merge)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/contacts/{uuid}/unmerge", ID: "unmerge_contact", Access: web.Scope("merge"), Summary: "Take back the merge of a contact",
		Description: "What was moved and still names the other contact names this one again. Fields of the other contact that have been " +
			"changed since stay unchanged.",
		Errors: append(failures, errExpired, errNotMerged, errUndoFirst),
	}, m.unmerge)
}

type mergeInput struct{ Body mergeBody }

type mergeBody struct {
	Into uuid.UUID            `json:"into" doc:"The contact that stays."`
	From []uuid.UUID          `json:"from" minItems:"1" maxItems:"10" doc:"The contacts that become it."`
	Take map[string]uuid.UUID `json:"take,omitempty" doc:"By fields, whose value is to be kept: one of these contacts."`
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
	row, err := m.merges.Merge(ctx, merge.Request(in.Body))

	return m.tables.Contacts.Answer(ctx, row, err)
}

func (m *merger) unmerge(ctx context.Context, in *oneInput) (*web.Resource[contact], error) {
	row, err := m.merges.Unmerge(ctx, in.UUID, in.IfMatch)

	return m.tables.Contacts.Answer(ctx, row, err)
}

// moving has areas take part that name contacts by what is no reference of a resource.
func (m *merger) moving(ctx context.Context, move merge.Move) error {
	return hook.Run(ctx, m.hooks, &contactsapi.Merging{Into: move.Into.String(), From: move.From.String(), Undo: move.Undo})
}

// unite adds the lists of both contacts, and has the company of the other one be that of both.
func unite(into, from contact, asked func(string) bool, values merge.Values) (err error) {
	if into.Parent != nil && *into.Parent == from.ID {
		parent := from.Parent
		if parent != nil && *parent == into.ID {
			parent = nil
		}
		if values["parent_uuid"], err = json.Marshal(parent); err != nil {
			return err
		}
	}
	if len(from.Consents.V) > 0 && !asked("consents") {
		if values["consents"], err = json.Marshal(agreed(into.Consents.V, from.Consents.V)); err != nil {
			return err
		}
	}
	if err := merge.Join(values, asked, "emails", into.Emails.V, from.Emails.V, func(e *email) string { e.Primary = false; return e.Address }); err != nil {
		return err
	}
	if err := merge.Join(values, asked, "phones", into.Phones.V, from.Phones.V, func(p *phone) string { p.Primary = false; return string(p.E164) }); err != nil {
		return err
	}
	if err := merge.Join(values, asked, "addresses", into.Addresses.V, from.Addresses.V, func(a *address) string { return fmt.Sprint(a.Address) }); err != nil {
		return err
	}

	return merge.Join(values, asked, "receives", into.Receives.V, from.Receives.V, func(t *topic) string { return string(*t) })
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
