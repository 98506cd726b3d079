package notes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// settings are the keys under modules.notes.
type settings struct {
	MaxPinned int `config:"max_pinned" doc:"How many notes of an item can be pinned."`
}

func defaults() settings { return settings{MaxPinned: 5} }

// Validate reports every setting that cannot work.
func (s settings) Validate() error {
	if s.MaxPinned < 1 {
		return errors.New("max_pinned: want 1 or more")
	}

	return nil
}

// note is a row of notes_notes.
type note struct {
	resource.Row

	Item       resource.Item              `json:"item" gorm:"embedded;embeddedPrefix:item_" nullable:"false" field:"required,fixed" doc:"The item concerned."`
	Body       string                     `json:"body" field:"required,max=10000,search" example:"The gate code is 1942."`
	Visibility string                     `json:"visibility" field:"default=internal" enum:"internal,customer,carrier,driver,accounting" doc:"Intended readers. Everyone who may read notes can see it here. Customers, carriers and drivers see theirs of a load on the pages of their links."`
	Pinned     bool                       `json:"pinned" field:"sort" doc:"Pinned notes come first."`
	Mentions   resource.JSON[[]uuid.UUID] `json:"mentions" field:"max=20" doc:"Users who are mentioned in it."`
}

// TableName implements GORM's naming.
func (note) TableName() string { return "notes_notes" }

func rules() resource.Rules[note] {
	return resource.Rules[note]{
		Item: "notes.note", Sort: []string{"-pinned", "-created_at"}, Errors: []*errs.Error{errNotYours},
		About: "A note on an item of any area: list those of an item with `filter[item_uuid]`. Its author may change " +
			"and delete it; others need the scope `notes:manage`.",
		Check: func(_ context.Context, n *note) error {
			slices.SortFunc(n.Mentions.V, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
			n.Mentions.V = slices.Compact(n.Mentions.V)

			return nil
		},
		Events: resource.Events[note]{
			resource.Create: func(n note) events.Event { return noteCreated{n.ID, n.Item.Ref(), n.Visibility} },
			resource.Update: func(n note) events.Event { return noteUpdated{n.ID, n.Item.Ref()} },
			resource.Delete: func(n note) events.Event { return noteDeleted{n.ID, n.Item.Ref()} },
		},
	}
}

type noteCreated struct {
	Note       uuid.UUID `json:"note_uuid"`
	Item       item.Ref  `json:"item"`
	Visibility string    `json:"visibility"`
}

func (noteCreated) EventName() string { return "notes.note.created" }

type noteUpdated struct {
	Note uuid.UUID `json:"note_uuid"`
	Item item.Ref  `json:"item"`
}

func (noteUpdated) EventName() string { return "notes.note.updated" }

type noteDeleted struct {
	Note uuid.UUID `json:"note_uuid"`
	Item item.Ref  `json:"item"`
}

func (noteDeleted) EventName() string { return "notes.note.deleted" }

// noteMentioned is published once for each user whom a note comes to mention.
type noteMentioned struct {
	Note uuid.UUID `json:"note_uuid"`
	User uuid.UUID `json:"user_uuid"`
	Item item.Ref  `json:"item"`
}

func (noteMentioned) EventName() string { return "notes.note.mentioned" }

var errNotYours = errs.New(errs.Forbidden, "notes.not_yours", "Only the author may change this note, unless you have the scope notes:manage.")

// service decides on changes of notes.
type service struct {
	settings settings
	notes    *resource.Resource[note]
	users    *identity.Service
	bus      *events.Bus
}

func newService(s settings, notes *resource.Resource[note], users *identity.Service, bus *events.Bus) *service {
	return &service{s, notes, users, bus}
}

func (s *service) decide(ctx context.Context, all []*resource.Change[note]) error {
	for _, c := range all {
		if c.Before != nil && c.Verb != resource.Move && !mayChange(ctx, *c.Before) {
			c.Refuse(errNotYours)
		}
	}
	if err := s.checkPins(ctx, all); err != nil {
		return err
	}

	return s.publishMentions(ctx, all)
}

// mayChange reports whether the caller wrote a note, or may change those of others.
func mayChange(ctx context.Context, n note) bool {
	who, _ := principal.From(ctx)

	return who.Allows("notes:manage") || (n.CreatedBy != nil && *n.CreatedBy == who.User)
}

// checkPins refuses notes that would be too many of those that are pinned.
func (s *service) checkPins(ctx context.Context, all []*resource.Change[note]) error {
	pins := func(c *resource.Change[note]) bool {
		return c.After.Pinned && c.Verb != resource.Delete && !wasPinned(c)
	}
	var items []uuid.UUID
	for _, c := range all {
		if pins(c) {
			items = append(items, c.After.Item.UUID)
		}
	}
	if len(items) == 0 {
		return nil
	}
	who, _ := principal.From(ctx)
	if err := s.users.Hold(ctx, who.Company); err != nil { // one at a time
		return err
	}
	pinned, err := s.notes.CountBy(ctx, "item_id", "pinned AND item_id IN ?", items)
	if err != nil {
		return err
	}
	for _, c := range all {
		of := c.After.Item.UUID.String()
		switch {
		case pins(c) && pinned[of] >= int64(s.settings.MaxPinned):
			c.Refuse(s.notes.Invalid().WithField("pinned", fmt.Sprintf("An item has at most %d pinned notes. Please unpin one first.", s.settings.MaxPinned)))
		case pins(c):
			pinned[of]++
		case wasPinned(c) && (c.Verb == resource.Delete || !c.After.Pinned):
			pinned[of]--
		}
	}

	return nil
}

// wasPinned reports whether a note was among those that are pinned.
func wasPinned(c *resource.Change[note]) bool {
	return c.Before != nil && c.Before.DeletedAt == nil && c.Before.Pinned
}

// publishMentions publishes who comes to be mentioned, or refuses those whom there are not.
func (s *service) publishMentions(ctx context.Context, all []*resource.Change[note]) error {
	come := func(c *resource.Change[note], user uuid.UUID) bool {
		return c.Verb != resource.Delete && (c.Before == nil || !slices.Contains(c.Before.Mentions.V, user))
	}
	var users []uuid.UUID
	for _, c := range all {
		for _, user := range c.After.Mentions.V {
			if come(c, user) {
				users = append(users, user)
			}
		}
	}
	known, err := s.users.UserNames(ctx, users)
	if err != nil {
		return err
	}
	var told []events.Event
	for _, c := range all {
		refusal := s.notes.Invalid()
		for i, user := range c.After.Mentions.V {
			if _, there := known[user]; come(c, user) && !there {
				refusal = refusal.WithField(fmt.Sprintf("mentions.%d", i), "The mention must be the UUID of a user of the company.")
			} else if come(c, user) {
				told = append(told, noteMentioned{Note: c.After.ID, User: user, Item: c.After.Item.Ref()})
			}
		}
		if len(refusal.Fields) > 0 {
			c.Refuse(refusal)
		}
	}

	return s.bus.Publish(ctx, told...)
}
