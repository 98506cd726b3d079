package contacts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/merge"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// tables is the shelf of the area (ADR 0106).
type tables struct {
	DB       *database.DB
	Contacts *resource.Resource[contact]
	Clock    clock.Clock
}

func newTables(db *database.DB, contacts *resource.Resource[contact], c clock.Clock) *tables {
	return &tables{DB: db, Contacts: contacts, Clock: c}
}

// book decides on changes of contacts.
type book struct {
	tables *tables
	rows   *repository
}

func newBook(t *tables, rows *repository) *book { return &book{tables: t, rows: rows} }

// decide refuses changes of merged and erased contacts, stores the keys of the others, and finds the duplicates of a new one.
func (s *book) decide(ctx context.Context, all []*resource.Change[contact]) error {
	var changed, deleted, restored []uuid.UUID
	var made []key
	for _, c := range all {
		if why := refusal(c); why != nil {
			c.Refuse(why)
		}
		switch c.Verb {
		case resource.Delete:
			deleted = append(deleted, c.After.ID)
		case resource.Restore:
			restored = append(restored, c.After.ID)
		default:
		}
		var before, after []key
		if c.Before != nil && c.Before.DeletedAt == nil {
			before = keysOf(*c.Before)
		}
		if c.Verb != resource.Delete {
			after = keysOf(*c.After)
		}
		if slices.Equal(before, after) {
			continue
		}
		if made = append(made, after...); c.Before != nil {
			changed = append(changed, c.After.ID)
		}
	}
	if err := s.refuseCircles(ctx, all); err != nil {
		return err
	}
	if len(all) == 1 && all[0].Verb == resource.Create {
		same, err := s.rows.matching(ctx, made)
		if err != nil {
			return err
		}
		all[0].After.Duplicates = same
	}
	if err := s.followDeletion(ctx, deleted, restored); err != nil {
		return err
	}
	if len(changed) > 0 {
		return s.rows.replaceKeys(ctx, changed, made)
	}

	return s.rows.addKeys(ctx, made)
}

// mostParents is how many contacts are above a contact at most.
const mostParents = 20

// refuseCircles refuses parents that belong to the contact itself, over however many others. It reads those of all contacts at once, level by level.
func (s *book) refuseCircles(ctx context.Context, all []*resource.Change[contact]) error {
	parents := map[uuid.UUID]*uuid.UUID{}
	at := make([]*uuid.UUID, len(all))
	for i, c := range all {
		parents[c.After.ID] = c.After.Parent
		if c.Before != nil && c.After.Parent != nil && (c.Before.Parent == nil || *c.Before.Parent != *c.After.Parent) {
			at[i] = c.After.Parent
		}
	}
	for n := 0; slices.ContainsFunc(at, func(id *uuid.UUID) bool { return id != nil }); n++ {
		var unread []uuid.UUID
		for i, id := range at {
			if id == nil {
				continue
			}
			if *id == all[i].After.ID || n == mostParents {
				all[i].Refuse(errInvalid.WithField("parent_uuid", "The parent belongs to the contact itself, or has too many others above it."))
				at[i] = nil
			} else if _, read := parents[*id]; !read {
				unread, parents[*id] = append(unread, *id), nil
			}
		}
		if len(unread) > 0 {
			rows, err := s.tables.Contacts.FindSome(ctx, unread)
			if err != nil {
				return err
			}
			for _, row := range rows {
				parents[row.ID] = row.Parent
			}
		}
		for i, id := range at {
			if id != nil {
				at[i] = parents[*id]
			}
		}
	}

	return nil
}

// followDeletion has contacts that were merged into others be deleted and restored with them.
func (s *book) followDeletion(ctx context.Context, deleted, restored []uuid.UUID) error {
	if len(deleted) > 0 {
		if err := s.rows.deleteMerged(ctx, deleted, s.tables.Clock.Now()); err != nil {
			return err
		}
	}
	if len(restored) > 0 {
		return s.rows.restoreMerged(ctx, restored)
	}

	return nil
}

// refusal is the reason why a contact cannot be changed, nil for none.
func refusal(c *resource.Change[contact]) error {
	switch {
	case c.Before == nil || c.Verb == erase || c.Verb == merge.Unmerge || c.Verb == resource.Move:
		return nil
	case c.Verb == resource.Update && releases(c):
		return nil
	case c.Before.MergedInto != nil:
		return errMerged.WithDetail("merged_into_uuid", c.Before.MergedInto)
	case c.Before.ErasedAt != nil && c.Verb != resource.Delete && c.Verb != resource.Restore:
		return errErased
	default:
		return nil
	}
}

// releases reports whether a change does nothing but clear references, as the deletion of what they name does.
func releases(c *resource.Change[contact]) bool {
	is := *c.After
	if is.Parent == nil {
		is.Parent = c.Before.Parent
	}
	if is.Proof == nil {
		is.Proof = c.Before.Proof
	}
	before, err := merge.ValuesOf(*c.Before, merged)
	after, failed := merge.ValuesOf(is, merged)

	return err == nil && failed == nil && len(c.After.Custom) == 0 && maps.EqualFunc(before, after, func(a, b json.RawMessage) bool { return rawjson.Equal(a, b) })
}

// match is a contact that may be another one.
type match struct {
	UUID       uuid.UUID  `json:"uuid"`
	Title      string     `json:"title" doc:"Display name."`
	By         string     `json:"by" enum:"email,phone,usdot,name_address"`
	Score      int64      `json:"score" doc:"90 and more: the same contact. Less: possibly the same."`
	MergedFrom *uuid.UUID `json:"merged_from,omitempty" doc:"The contact that matched, if it was merged into this one."`
}

// agree replaces the consent with the same channel and purpose.
func (c *contact) agree(to consent) {
	c.Consents.V = append(slices.DeleteFunc(slices.Clone(c.Consents.V), func(was consent) bool {
		return was.Channel == to.Channel && was.Purpose == to.Purpose
	}), to)
}

// setOwn sets own fields of a contact to the given values, and clears the others.
func setOwn(c *contact, fields []collection.Field, values map[string]json.RawMessage) error {
	patch := maps.Clone(values)
	if patch == nil {
		patch = map[string]json.RawMessage{}
	}
	for _, f := range fields {
		if _, given := patch[f.Key]; f.Settable && !given {
			patch[f.Key] = json.RawMessage("null")
		}
	}
	if len(patch) == 0 {
		return nil
	}
	given, err := json.Marshal(patch)
	c.Custom = given

	return err
}

// consenting keeps what contacts agree to.
type consenting struct{ tables *tables }

func newConsenting(t *tables) *consenting { return &consenting{tables: t} }

func (s *consenting) block(ctx context.Context, in *blockInput) (*web.Resource[contact], error) {
	row, err := s.tables.Contacts.Change(ctx, in.UUID, in.IfMatch, block, func(_ context.Context, c *contact) error {
		now := s.tables.Clock.Now()
		c.BlockedAt, c.Reason = &now, in.Body.Reason
		for _, channel := range []string{"sms", "email", "call"} {
			c.agree(consent{Channel: channel, Purpose: string(contactsapi.Marketing), State: "refused", At: now, Source: "block"})
		}

		return nil
	})

	return s.tables.Contacts.Answer(ctx, row, err)
}

func (s *consenting) unblock(ctx context.Context, in *oneInput) (*web.Resource[contact], error) {
	row, err := s.tables.Contacts.Change(ctx, in.UUID, in.IfMatch, unblock, func(_ context.Context, c *contact) error {
		c.BlockedAt, c.Reason = nil, ""

		return nil
	})

	return s.tables.Contacts.Answer(ctx, row, err)
}

func (s *consenting) consents(ctx context.Context, in *consentsInput) (*web.Resource[contact], error) {
	row, err := s.tables.Contacts.Change(ctx, in.UUID, in.IfMatch, agree, func(_ context.Context, c *contact) error {
		for _, said := range in.Body.Consents {
			to := consent{Channel: said.Channel, Purpose: said.Purpose, State: said.State, At: s.tables.Clock.Now(), Source: said.Source}
			if said.Text != "" {
				hash := sha256.Sum256([]byte(said.Text))
				to.TextHash = hex.EncodeToString(hash[:])
			}
			c.agree(to)
		}

		return nil
	})

	return s.tables.Contacts.Answer(ctx, row, err)
}

// eraser removes the personal data of contacts for good.
type eraser struct {
	tables *tables
	rows   *repository
	engine *resource.Engine
	hooks  *hook.Bus
	links  *link.Service
}

func newEraser(t *tables, rows *repository, e *resource.Engine, hooks *hook.Bus, links *link.Service) *eraser {
	return &eraser{tables: t, rows: rows, engine: e, hooks: hooks, links: links}
}

// erase permanently removes the personal data of a contact and of those that were merged into it.
func (s *eraser) erase(ctx context.Context, in *oneInput) (answer *web.Resource[contact], err error) {
	err = s.tables.DB.InTx(ctx, func(ctx context.Context) error {
		if err := hook.Run(ctx, s.hooks, &contactsapi.Erasing{Contact: in.UUID.String()}); err != nil {
			return err
		}
		merged, err := s.rows.mergedInto(ctx, in.UUID)
		if err != nil {
			return err
		}
		for _, id := range merged {
			if _, err := s.eraseOne(ctx, id, web.IfMatch{}); err != nil {
				return err
			}
		}
		row, err := s.eraseOne(ctx, in.UUID, in.IfMatch)
		answer, err = s.tables.Contacts.Answer(ctx, row, err)

		return err
	})

	return answer, err
}

func (s *eraser) eraseOne(ctx context.Context, id uuid.UUID, match web.IfMatch) (contact, error) {
	fields, err := s.engine.AddedFields(ctx, contactsapi.Item)
	if err != nil {
		return contact{}, err
	}
	row, err := s.tables.Contacts.Change(ctx, id, match, erase, func(_ context.Context, c *contact) error {
		now := s.tables.Clock.Now()
		kept := contact{
			Row: c.Row, Kind: c.Kind, Name: "Erased contact", Parent: c.Parent, Owner: c.Owner, Status: "inactive", BlockedAt: c.BlockedAt,
			Customer: c.Customer, Shipper: c.Shipper, Consignee: c.Consignee, BillTo: c.BillTo, Vendor: c.Vendor, Carrier: c.Carrier,
			TaxExempt: c.TaxExempt, ExemptTo: c.ExemptTo, Proof: c.Proof,
			NetDays: c.NetDays, Limit: c.Limit, Currency: c.Currency, CreditHold: c.CreditHold,
			MergedInto: c.MergedInto, MergedAt: c.MergedAt, ErasedAt: &now,
		}
		*c = kept

		return setOwn(c, fields, nil)
	})
	if err != nil {
		return row, err
	}
	if err := s.engine.Forget(ctx, item.Ref{Type: contactsapi.Item, UUID: id}); err != nil {
		return row, err
	}
	if _, err := s.links.RevokeAll(ctx, portalAccess, link.Subject{Type: contactsapi.Item, ID: id}); err != nil {
		return row, err
	}

	return row, s.rows.forgetMerges(ctx, id)
}
