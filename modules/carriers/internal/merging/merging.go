// Package merging merges carriers that are the same, and undoes that.
package merging

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/rulebook"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/merge"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errCycle     = errs.New(errs.Conflict, "carriers.merge_cycle", "A carrier cannot be merged into itself, or into one that was merged into it.")
	errExpired   = errs.New(errs.Conflict, "carriers.unmerge_expired", "The merge is too old to be undone. Change the carriers by hand.")
	errNotMerged = errs.New(errs.Conflict, "carriers.not_merged", "The carrier is not merged into another one.")
	errUndoFirst = errs.New(errs.Conflict, "carriers.unmerge_later_first", "The carrier that it was merged into was merged itself since. Unmerge that one first.")
)

// mergedFields are the fields that a merge combines. Identity confirmations are not among them: they belong to another record.
var mergedFields = []string{
	"legal_name", "dba", "usdot", "docket", "scac", "phone", "email", "people", "equipment", "contact_uuid", "lanes", "preferred", "rating", "insurance",
	"agreement_signed", "agreement_expires", "agreement_file_uuid", "agreement_envelope_uuid", "w9_file_uuid", "tin_last4", "w9_received", "payment_terms_days", "notes",
}

// papers are groups of fields that belong together: a carrier with one field of a group keeps the whole group.
var papers = [][]string{
	{"agreement_signed", "agreement_expires", "agreement_file_uuid", "agreement_envelope_uuid"},
	{"w9_received", "w9_file_uuid", "tin_last4"},
}

// Settings are how carriers are merged.
type Settings struct {
	// Within is how long a merge can be undone.
	Within time.Duration
}

// Merger merges carriers and undoes merges.
type Merger struct {
	carriers *resource.Resource[store.Carrier]
	merges   *merge.Merger[store.Carrier]
}

// NewMerger returns a Merger.
func NewMerger(carriers *resource.Resource[store.Carrier], merges *merge.Merger[store.Carrier]) *Merger {
	return &Merger{carriers, merges}
}

// Mover moves what no reference of a resource does when carriers are merged.
type Mover struct {
	payables *remit.Payables
	roster   *store.Roster
}

// NewMover returns a Mover.
func NewMover(p *remit.Payables, r *store.Roster) *Mover { return &Mover{p, r} }

// NewRules returns the rules by which carriers are merged.
func NewRules(s Settings, m *Mover) merge.Rules[store.Carrier] {
	return merge.Rules[store.Carrier]{
		Table: "carriers_merges", Keys: mergedFields, Within: s.Within, Skips: skipsPapers, Unite: uniteCarriers, Moving: m.moving,
		State: func(c *store.Carrier) merge.State { return merge.State{Into: &c.MergedInto, At: &c.MergedAt} },
		Merged: func(from, into uuid.UUID) events.Event {
			return carriersapi.Merged{Carrier: from.String(), Into: into.String()}
		},
		Unmerged: func(from, into uuid.UUID) events.Event {
			return carriersapi.Unmerged{Carrier: from.String(), From: into.String()}
		},
		Failures: merge.Failures{Cycle: errCycle, Merged: store.ErrMerged, Expired: errExpired, NotMerged: errNotMerged, LaterFirst: errUndoFirst},
	}
}

// Routes registers the operations that merge carriers.
func Routes(r *web.Router, m *Merger) {
	failures := slices.Concat([]*errs.Error{m.carriers.NotFound(), errCycle, store.ErrMerged}, resource.MoveErrors, m.carriers.WriteErrors())
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/merge", ID: "merge_carriers", Access: web.Scope("merge"), Summary: "Merge carriers into another one",
		Description: "Everything that names the merged carriers names the other one from then on, but for overrides and the history of verdicts. Lists are " +
			"united, fields without a value are filled, and `take` chooses the carrier whose value a field gets. If one of them is do_not_use, so is the " +
			"other one. The remit-to of a merged carrier ends if the other one has its own.",
		Errors: failures,
	}, m.merge)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/{uuid}/unmerge", ID: "unmerge_carrier", Access: web.Scope("merge"), Summary: "Undo the merge of a carrier",
		Description: "What was moved and still names the other carrier names this one again. Fields of the other carrier that have been changed since " +
			"stay unchanged; so does do_not_use, and a remit-to that ended.",
		Errors: append(failures, errExpired, errNotMerged, errUndoFirst),
	}, m.unmerge)
}

type mergeInput struct {
	Body struct {
		Into uuid.UUID            `json:"into" doc:"The carrier that stays."`
		From []uuid.UUID          `json:"from" minItems:"1" maxItems:"10" doc:"The carriers that are merged into it."`
		Take map[string]uuid.UUID `json:"take,omitempty" doc:"By field, the carrier whose value is kept."`
	}
}

type unmergeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (m *Merger) merge(ctx context.Context, in *mergeInput) (*web.Resource[store.Carrier], error) {
	row, err := m.merges.Merge(ctx, merge.Request(in.Body))

	return m.carriers.Answer(ctx, row, err)
}

func (m *Merger) unmerge(ctx context.Context, in *unmergeInput) (*web.Resource[store.Carrier], error) {
	row, err := m.merges.Unmerge(ctx, in.UUID, in.IfMatch)

	return m.carriers.Answer(ctx, row, err)
}

// moving ends the remit-to of a merged carrier if the other one has its own, and carries over a ban.
func (m *Mover) moving(ctx context.Context, move merge.Move) error {
	if move.Undo {
		return nil
	}
	both, err := m.payables.Of(ctx, move.Into, move.From)
	if err != nil {
		return err
	}
	for _, change := range superseded(both[move.Into], both[move.From]) {
		if err := m.payables.End(ctx, change); err != nil {
			return err
		}
	}
	merged, err := m.roster.Find(ctx, move.From)
	if err != nil || merged.Status != store.DoNotUse {
		return err
	}

	return m.roster.Ban(ctx, move.Into, "A carrier that was merged into it is not used: "+merged.LegalName)
}

// superseded returns the changes of a merged carrier's remit-to of which the other carrier has its own.
func superseded(into, from remit.Standing) (ids []uuid.UUID) {
	if into.Effective != nil && from.Effective != nil {
		ids = append(ids, from.Effective.ID)
	}
	if into.Pending != nil && from.Pending != nil {
		ids = append(ids, from.Pending.ID)
	}

	return ids
}

// Refuse refuses changes of carriers that were merged into others.
func (*Merger) Refuse(_ context.Context, all []*resource.Change[store.Carrier]) error {
	for _, c := range all {
		if c.Before != nil && c.Before.MergedInto != nil && c.Verb != merge.Unmerge {
			c.Refuse(store.ErrMerged.WithDetail("merged_into_uuid", c.Before.MergedInto))
		}
	}

	return nil
}

// KeepOverrides leaves overrides with the merged carrier, which they allowed.
func (*Merger) KeepOverrides(_ context.Context, all []*resource.Change[rulebook.Override]) error {
	for _, c := range all {
		if c.Verb == resource.Move {
			c.After.Carrier = c.Before.Carrier
		}
	}

	return nil
}

// skipsPapers keeps papers of two carriers apart.
func skipsPapers(key string, into, _ store.Carrier) bool {
	has := [][]bool{
		{into.Signed != "", into.Agreement != "", into.AgreementDoc != nil, into.Envelope != nil}, {into.W9 != "", into.W9Doc != nil, into.TIN != ""},
	}
	for i, group := range papers {
		if slices.Contains(group, key) {
			return slices.Contains(has[i], true)
		}
	}

	return false
}

// uniteCarriers adds the lists of both carriers.
func uniteCarriers(into, from store.Carrier, asked func(string) bool, values merge.Values) error {
	if err := merge.Join(values, asked, "people", into.People.V, from.People.V, func(p *store.Person) string {
		return p.Name + "\x00" + string(p.Email) + "\x00" + string(p.Phone)
	}); err != nil {
		return err
	}
	if err := merge.Join(values, asked, "equipment", into.Equipment.V, from.Equipment.V, store.EntryKey[store.Equipment]); err != nil {
		return err
	}
	if err := merge.Join(values, asked, "lanes", into.Lanes.V, from.Lanes.V, store.EntryKey[store.Lane]); err != nil {
		return err
	}

	return merge.Join(values, asked, "insurance", into.Insurance.V, from.Insurance.V, store.EntryKey[store.Policy])
}
