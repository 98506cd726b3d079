// Package making makes documents: it decides which paper is meant, freezes what it says, and prints it.
package making

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/documents/internal/kinds"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/modules/documents/internal/templates"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Order is what is to be made.
type Order struct {
	Kind string
	Item item.Ref
	// Template is a published one, uuid.Nil for the default of the kind in a language, "" for that of the company.
	Template uuid.UUID
	Locale   string
	// Visibility is internal if it is "".
	Visibility string
	// Again makes the next revision even if there is a document already.
	Again bool
}

// Maker makes documents.
type Maker struct {
	book     *Book
	subjects *Subjects
	chooser  *templates.Chooser
	printer  *document.Printer
}

// NewMaker returns a Maker.
func NewMaker(b *Book, s *Subjects, c *templates.Chooser, p *document.Printer) *Maker {
	return &Maker{b, s, c, p}
}

// Make returns the current document of a kind about an item, or has one made, which is queued until it is printed. Errors: document.ErrUnknownKind,
// store.ErrNotThere, those of templates.Chooser.Named, and those of the area whose paper it is.
func (m *Maker) Make(ctx context.Context, o Order) (store.Document, error) {
	subject, err := m.subjects.Find(ctx, o.Kind, o.Item)
	if err != nil {
		return store.Document{}, err
	}
	if err := m.subjects.mayBe(o.Kind, subject, o.Visibility); err != nil {
		return store.Document{}, err
	}
	model, err := m.printer.Model(ctx, o.Kind, subject.Of, document.Options{})
	if err != nil {
		return store.Document{}, notThere(err, o.Kind)
	}
	var t *store.Template
	if o.Template != uuid.Nil {
		t, err = m.chooser.Named(ctx, o.Template, o.Kind)
	} else {
		t, err = m.chooser.Default(ctx, o.Kind, o.Locale)
	}
	if err != nil {
		return store.Document{}, err
	}
	row := store.Document{
		Number: model.Number, Kind: o.Kind, Title: model.Title, Item: resource.Item{Type: o.Item.Type, UUID: o.Item.UUID}, AboutType: subject.Of.Type, About: subject.Of.UUID,
		Locale: o.Locale, Visibility: cmp.Or(o.Visibility, string(document.Internal)), Carrier: subject.carrier(),
	}
	if t != nil {
		row.Template, row.Edition, row.Locale = &t.ID, t.Edition, t.Locale
	}

	return m.book.Enter(ctx, row, func(last store.Document) bool {
		return !o.Again && (o.Template == uuid.Nil && o.Locale == "" || same(last.Template, row.Template))
	})
}

// notThere is the refusal of a paper of which its area says that it cannot be made yet, with what is missing.
func notThere(err error, kind string) error {
	refusal, is := errors.AsType[*errs.Error](err)
	if !is || !errors.Is(err, document.ErrNotThere) {
		return err
	}

	return store.ErrNotThere.WithDetail("kind", kind).WithDetail("why", refusal.Message).WithDetail("how", howOf(kind))
}

// Subjects knows what papers are about.
type Subjects struct {
	kinds    *kinds.Kinds
	registry *document.Registry
	items    *item.Registry
	rows     *resource.Resource[store.Document]
}

// NewSubjects returns Subjects.
func NewSubjects(k *kinds.Kinds, r *document.Registry, items *item.Registry, rows *resource.Resource[store.Document]) *Subjects {
	return &Subjects{k, r, items, rows}
}

// Hidden are the kinds whose papers the caller may not see.
func (s *Subjects) Hidden(ctx context.Context) ([]string, error) { return s.kinds.Hidden(ctx) }

// Exists refuses items that there are not. Errors: store.ErrNoItem, item.ErrUnknownType.
func (s *Subjects) Exists(ctx context.Context, of item.Ref) error {
	missing, err := s.items.Exists(ctx, of)
	if err == nil && len(missing) > 0 {
		err = store.ErrNoItem
	}

	return err
}

// Subject is what a paper is about.
type Subject struct {
	Of item.Ref
	// Paper is the one that the area lists, the zero value for none.
	Paper document.Paper
}

// mayBe refuses to show a paper to those for whom its kind never is, such as a rate confirmation to the customer, or to others than its area shows it to.
// Error: store.ErrInvalid.
func (s *Subjects) mayBe(kind string, of Subject, visibility string) error {
	if why := s.registry.Unmeant(kind, document.Visibility(cmp.Or(visibility, string(document.Internal)))); why != "" {
		return store.ErrInvalid.WithField("visibility", why)
	}
	is := of.Paper.Visibility
	if visibility == "" || visibility == string(document.Internal) || is == "" || is == document.Public || is == document.Internal || visibility == string(is) {
		return nil
	}

	return store.ErrInvalid.WithField("visibility", "This paper is `"+string(is)+"`, or `internal`.")
}

// unmeant says why a document that is packed cannot have a visibility: because of its kind, or of the documents in it; "" if it can.
func (s *Subjects) unmeant(ctx context.Context, d store.Document, v document.Visibility) (string, error) {
	if why := s.registry.Unmeant(d.Kind, v); why != "" {
		return why, nil
	}
	for _, part := range d.Parts.V {
		if why, err := s.unmeantPart(ctx, part, v); why != "" || err != nil {
			return why, err
		}
	}

	return "", nil
}

// unmeantPart is unmeant for a part of a packet: a document, or an attachment, which may be the file of one.
func (s *Subjects) unmeantPart(ctx context.Context, part store.Part, v document.Visibility) (string, error) {
	if v == document.Internal {
		return "", nil
	}
	found, err := s.rows.Where(ctx, "id = ? OR attachment_id = ? OR stamped_id = ?", part.Document, part.Attachment, part.Attachment)
	if err != nil || len(found) == 0 {
		return "", err
	}

	return s.unmeant(ctx, found[0], v)
}

// carrier is the carrier that the paper is of, nil for none.
func (s Subject) carrier() *uuid.UUID {
	id, err := uuid.Parse(s.Paper.Carrier)
	if err != nil {
		return nil
	}

	return &id
}

// Find returns what the paper of a kind for an item is about: the item itself, or what the area lists for it, such as the bill of lading of a load; the newest of
// several. Errors: document.ErrUnknownKind, store.ErrNoItem, store.ErrNotThere, and the refusals of the registry.
func (s *Subjects) Find(ctx context.Context, kind string, of item.Ref) (Subject, error) {
	k, err := s.kinds.Find(ctx, kind)
	if err != nil {
		return Subject{}, err
	}
	if err := s.Exists(ctx, of); err != nil {
		return Subject{}, err
	}
	papers, err := s.listed(ctx, of)
	if err != nil {
		return Subject{}, err
	}
	i := slices.IndexFunc(papers, func(p document.Paper) bool { return p.Kind == kind && slices.Contains(k.About, p.Of.Type) })
	switch {
	case i >= 0:
		return Subject{papers[i].Of, papers[i]}, nil
	case slices.Contains(k.About, of.Type):
		return Subject{Of: of}, nil
	}

	return Subject{}, store.ErrNotThere.WithDetail("kind", kind).WithDetail("why", "The item has no "+strings.ToLower(k.Title)+" yet.").
		WithDetail("how", howOf(kind))
}

// listed are the papers of an item that other areas list.
func (s *Subjects) listed(ctx context.Context, of item.Ref) ([]document.Paper, error) {
	papers, err := s.registry.Every(ctx, document.ForCompany(), of)
	if err != nil {
		return nil, err
	}
	ours, err := s.rows.Where(ctx, "item_id = ?", of.UUID)

	return slices.DeleteFunc(papers, func(p document.Paper) bool {
		return slices.ContainsFunc(ours, func(d store.Document) bool { return d.Attachment != nil && *d.Attachment == p.UUID })
	}), err
}

// Book has the rows of documents.
type Book struct {
	rows     *resource.Resource[store.Document]
	settings *settings.Settings[store.Preferences]
	users    *identity.Service
	queue    *jobs.Queue
	clock    clock.Clock
}

// NewBook returns a Book.
func NewBook(rows *resource.Resource[store.Document], s *settings.Settings[store.Preferences], u *identity.Service, q *jobs.Queue, c clock.Clock) *Book {
	return &Book{rows, s, u, q, c}
}

// Enter returns the current document of the same kind about the same if it will do; or it stores a row as the next revision, and has it printed.
func (b *Book) Enter(ctx context.Context, row store.Document, willDo func(last store.Document) bool) (store.Document, error) {
	if err := b.users.Hold(ctx, principal.CompanyOf(ctx)); err != nil { // one revision at a time
		return row, err
	}
	now, err := b.settings.Read(ctx)
	if err != nil {
		return row, err
	}
	all, err := b.rows.Where(ctx, "about_id = ? AND kind = ?", row.About, row.Kind)
	if err != nil {
		return row, err
	}
	slices.SortFunc(all, func(a, b store.Document) int { return cmp.Compare(b.Revision, a.Revision) })
	row.Revision = 1
	if len(all) > 0 {
		last := all[0]
		if (last.State == store.Ready || last.State == store.Queued) && willDo(last) {
			return last, nil
		}
		row.Revision, row.Replaces = last.Revision+1, &last.ID
	}
	row.Delivery = store.NotSent
	until := b.clock.Now().AddDate(0, 0, int(now.Now.RetainDays))
	row.RetainUntil = &until
	if row, err = b.rows.Create(ctx, row); err != nil {
		return row, err
	}

	return row, b.queue.Enqueue(ctx, Print{Document: row.ID}, jobs.Attempts(attempts))
}

// find returns a document. Error: documents.document_not_found.
func (b *Book) find(ctx context.Context, id uuid.UUID) (store.Document, error) {
	return b.rows.Find(ctx, id)
}

// about returns the document of a kind about something, the latest revision of several, and whether there is one.
func (b *Book) about(ctx context.Context, kind string, id uuid.UUID) (store.Document, bool, error) {
	all, err := b.rows.Where(ctx, "about_id = ? AND kind = ?", id, kind)
	latest := store.Latest(all)
	if err != nil || len(latest) == 0 {
		return store.Document{}, false, err
	}

	return latest[0], true, nil
}

// answer shows a document that was made, or says why it was not.
func (b *Book) answer(ctx context.Context, d store.Document, err error) (*web.Resource[store.Document], error) {
	return b.rows.Answer(ctx, d, err)
}

// same reports whether two ids are the same, or both none.
func same(a, b *uuid.UUID) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
