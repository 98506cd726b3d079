package resource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/search"
	"github.com/dispatchd/dispatchd/platform/web"
)

// ownPrefix is what stands before the key of such a field in queries, files and trails.
const ownPrefix = columns.OwnKey + "."

// OwnFields keeps the fields that companies add to the rows of resources, and the values of these. There is one at most,
// and without one there are no such fields.
type OwnFields interface {
	// Of returns what the caller's company has added to the items of a type, nil for nothing.
	Of(ctx context.Context, itemType string) (Own, error)
	// Hold is Of, and keeps the fields as they are until the transaction in ctx ends.
	Hold(ctx context.Context, itemType string) (Own, error)
	// Purge removes the values of rows of a type, of any company, that are gone for good, in the transaction in ctx.
	Purge(ctx context.Context, itemType string, rows []database.Place) error
}

// Own are the fields that a company has added to the rows of a resource, at one revision. A document is what is kept of a
// row's values: whoever keeps the fields knows how to read it. Keys are without ownPrefix.
type Own interface {
	// Fields are those that the caller may see, and the ids of the others.
	Fields(ctx context.Context) (fields []collection.Field, hidden []string)
	// Items are all of them as other areas see them.
	Items() []item.Field
	// Listed are those that lists can be filtered and sorted by, for a table whose rows have their ids in the column id.
	Listed(ctx context.Context, table string) []list.Field
	// Documents returns the documents of those of some rows that have any, deleted or not.
	Documents(ctx context.Context, rows []uuid.UUID) (map[uuid.UUID][]byte, error)
	// Shown is a document as a JSON object by the keys of fields, sensitive ones for those who see them; nil is no document.
	Shown(document []byte, sensitive bool) []byte
	// SeesSensitive reports whether the caller sees sensitive fields.
	SeesSensitive(ctx context.Context) bool
	// Sorted is the value of a document that lists are sorted by, nil for none.
	Sorted(document []byte, key string) any
	// Changes are what differs between two documents for the caller.
	Changes(ctx context.Context, before, after []byte) []OwnChange
	// Searched reports whether q= looks into any of them.
	Searched() bool
	// Lines are the texts of a document by which q= finds a row, nil for none. Each field has a line of its own, which it
	// keeps: it is empty where there is nothing of the field.
	Lines(document []byte) []search.Line
	// LineKey is the key of the field that has a line, "" for one that is gone.
	LineKey(line int) string
	// Prefetch returns the fields for the transaction in ctx, with what is kept of some rows read and held by one statement.
	Prefetch(ctx context.Context, rows []uuid.UUID) (Own, error)
	// Write makes ready what a write of a row does to its values, nil for nothing; given is the merge patch of a body,
	// nil for none. Errors are of kind errs.Invalid, by the keys of fields.
	Write(ctx context.Context, verb Verb, row OwnRow, given []byte) (*columns.OwnWrite, error)
}

// OwnRow is a row for the fields that its company has added, whose values may be made of those in the struct.
type OwnRow struct {
	ID uuid.UUID
	// Value is the value of a field of the struct as JSON, nil for none. A row that is being written has those that it is
	// about to have; the number of a new one it has when it is stored.
	Value   func(key string) ([]byte, error)
	Deleted bool
}

// OwnChange is a field whose value differs: nil is none.
type OwnChange struct {
	Key           string
	Before, After json.RawMessage
	// Settable says that callers may write it.
	Settable bool
}

// OwnFieldsKind is the kind of the manifest line that KeepOwnFields makes.
const OwnFieldsKind = "resource.OwnFields"

// KeepOwnFields is the manifest line of the area that keeps the fields that companies add. T is a type of the area.
func KeepOwnFields[T any](of func(T) OwnFields) fx.Option {
	return module.Contribute(OwnFieldsKind, module.FuncName(of), nil, func(at module.At) fx.Option {
		return module.Register(at, func(e *Engine, t T) error {
			if e.own != nil {
				return errors.New("two areas store the fields that companies add")
			}
			e.own = of(t)

			return nil
		})
	})
}

// Extends reports whether companies can add fields to the rows: not where the area writes or shows them by itself.
func (c rows) Extends() bool {
	return !slices.ContainsFunc([]Verb{List, Read, Create, Update}, c.of.owns) && followed(c.of.Own)
}

// Extended is a Collection to whose rows companies can add fields.
type Extended interface{ Extends() bool }

// AddedFields are the fields that the company has added to the rows of a type, as far as the caller may see them. Their keys
// are those that they have in a row's custom.
func (e *Engine) AddedFields(ctx context.Context, item string) ([]collection.Field, error) {
	if e.own == nil {
		return nil, nil
	}
	own, err := e.own.Of(ctx, item)
	if own == nil || err != nil {
		return nil, err
	}
	fields, _ := own.Fields(ctx)

	return fields, nil
}

type ownContext struct{ item string }

// withOwn returns a context with the fields that the company has added, held until the transaction in ctx ends.
func (r *table) withOwn(ctx context.Context) (context.Context, error) {
	if r.engine.own == nil || ctx.Value(ownContext{r.Item}) != nil {
		return ctx, nil
	}
	own, err := r.engine.own.Hold(ctx, r.Item)
	if err != nil || own == nil {
		return ctx, err
	}

	return context.WithValue(ctx, ownContext{r.Item}, own), nil
}

// ownIn are the fields of withOwn, nil for none.
func (r *table) ownIn(ctx context.Context) Own {
	own, _ := ctx.Value(ownContext{r.Item}).(Own)

	return own
}

// ownFields are the fields that the company has added, nil for none.
func (r *table) ownFields(ctx context.Context) (Own, error) {
	if own := r.ownIn(ctx); own != nil || r.engine.own == nil {
		return own, nil
	}

	return r.engine.own.Of(ctx, r.Item)
}

// prepareOwn makes ready what a write does to the values of the fields that the company has added.
func (r *table) prepareOwn(ctx context.Context, verb Verb, row any) error {
	m, own := columns.MetaOf(row), r.ownIn(ctx)
	given := rawjson.OrNothing(m.Custom)
	m.Custom = nil
	columns.SetWrite(m, nil)
	if own == nil {
		if len(given) > 0 && !rawjson.Equal(given, []byte("{}")) {
			return r.invalid.WithField(columns.OwnKey, "The company has not added any fields to "+columns.Spaced(r.Plural)+
				". POST /collections/api/v1/collections/"+r.Item+"/fields adds one.")
		}

		return nil
	}
	written, err := own.Write(ctx, verb, r.ownRow(row), given)
	columns.SetWrite(m, written)

	return r.ownRefusal(err)
}

// ownRow is a row for the fields that the company has added.
func (r *table) ownRow(row any) OwnRow {
	return OwnRow{ID: columns.MetaOf(row).ID, Deleted: columns.MetaOf(row).DeletedAt != nil, Value: func(key string) ([]byte, error) {
		if f := r.plan.ByKey[key]; f != nil {
			return f.JSON(columns.ValueOf(row))
		}

		return nil, nil
	}}
}

// ownRefusal is a refusal of values with the keys that they have in a row.
func (r *table) ownRefusal(err error) error {
	refusal, ok := errors.AsType[*errs.Error](err)
	if !ok || refusal.Kind != errs.Invalid {
		return err
	}
	made := r.invalid
	for key, messages := range refusal.Fields {
		for _, message := range messages {
			made = made.WithField(ownPrefix+key, message)
		}
	}

	return made.WithCause(err)
}

// storeOwn stores what prepareOwn has made ready.
func (r *table) storeOwn(ctx context.Context, row any) error {
	written := columns.WriteOf(columns.MetaOf(row))
	if written == nil {
		return nil
	}

	return r.ownRefusal(written.Store(ctx))
}

// addOwnChanges adds what changes of the values of the fields that the company has added to what changes of a row. Where fields
// of the row are personal, these may be too.
func addOwnChanges(to map[string]audit.Change, m *columns.Row, personal bool) {
	if columns.WriteOf(m) == nil {
		return
	}
	for key, change := range columns.WriteOf(m).Changes {
		if personal {
			change = audit.Change{}
		}
		to[ownPrefix+key] = change
	}
}

// showOwn fills in the values of the fields that the company has added.
func (r *table) showOwn(ctx context.Context, rows []any) error {
	own, err := r.ownFields(ctx)
	if own == nil || err != nil {
		return err
	}
	documents, err := r.documents(ctx, own, rows)
	if err != nil {
		return err
	}
	sees := own.SeesSensitive(ctx)
	for i, row := range rows {
		columns.MetaOf(row).Custom = own.Shown(documents[i], sees)
	}

	return nil
}

// documents returns the documents of rows: of those that are earlier versions, what these were.
func (r *table) documents(ctx context.Context, own Own, rows []any) ([][]byte, error) {
	var ids []uuid.UUID
	for _, row := range rows {
		if m := columns.MetaOf(row); columns.DocumentOf(m) == nil && m.ID != uuid.Nil {
			ids = append(ids, m.ID)
		}
	}
	now, err := map[uuid.UUID][]byte(nil), error(nil)
	if len(ids) > 0 {
		now, err = own.Documents(ctx, ids)
	}
	all := make([][]byte, len(rows))
	for i, row := range rows {
		if all[i] = columns.DocumentOf(columns.MetaOf(row)); all[i] == nil {
			all[i] = now[columns.MetaOf(row).ID]
		}
	}

	return all, err
}

// ownVersion adds to a version what it changed of the fields that the company has added.
func (r *table) ownVersion(ctx context.Context, v *history.Version, before, after any) error {
	changes, err := r.ownBetween(ctx, before, after)
	for _, c := range changes {
		v.Add(ownPrefix+c.Key, c.Before, c.After)
	}

	return err
}

// ownBetween are the differences between two versions of a row in the fields that the company has added. A row without an
// id has none.
func (r *table) ownBetween(ctx context.Context, before, after any) ([]OwnChange, error) {
	own, err := r.ownFields(ctx)
	if own == nil || err != nil {
		return nil, err
	}
	documents, err := r.documents(ctx, own, []any{before, after})
	if err != nil {
		return nil, err
	}

	return own.Changes(ctx, documents[0], documents[1]), nil
}

// ownPatch is the merge patch that gives a row the values that an earlier version had, of some fields by their keys in a
// row, or of all; nil for none.
func (r *table) ownPatch(ctx context.Context, now, was any, keys []string) (json.RawMessage, error) {
	changes, err := r.ownBetween(ctx, now, was)
	patch := map[string]json.RawMessage{}
	for _, c := range changes {
		if c.Settable && (len(keys) == 0 || slices.Contains(keys, ownPrefix+c.Key)) {
			patch[c.Key] = c.After // nil is null
		}
	}
	if err != nil || len(patch) == 0 {
		return nil, err
	}

	return json.Marshal(patch)
}

// collectOwn adds the fields that the company has added to those of the collection.
func (r *table) collectOwn(ctx context.Context, c collected) (collected, error) {
	own, err := r.ownFields(ctx)
	if own == nil || err != nil {
		return c, err
	}
	added, hidden := own.Fields(ctx)
	c.fields, c.hidden = slices.Clone(c.fields), append(slices.Clone(c.hidden), hidden...)
	for _, f := range added {
		f.Key, f.Title = ownPrefix+f.Key, false
		c.fields = append(c.fields, f)
	}
	c.own = own

	return c, nil
}

// ownValues are the values of a document in the order of the fields that collectOwn has added.
func (c collected) ownValues(document []byte, sensitive bool) [][]byte {
	values := make([][]byte, 0, len(c.fields)-len(c.of))
	shown := c.own.Shown(document, sensitive)
	for _, f := range c.fields[len(c.of):] {
		values = append(values, rawjson.OrNothing(rawjson.Member(shown, strings.TrimPrefix(f.Key, ownPrefix))))
	}

	return values
}

// listedOwn is the schema of lists with the fields that the company has added.
func (r *table) listedOwn(ctx context.Context, s list.Schema, own Own) list.Schema {
	keys := []string{columns.OwnKey}
	fields, _ := own.Fields(ctx)
	for _, f := range fields {
		keys = append(keys, ownPrefix+f.Key)
	}
	listed := own.Listed(ctx, r.plan.Table)
	for i := range listed {
		listed[i].Name = ownPrefix + listed[i].Name
	}

	s.Searchable = s.Searchable || own.Searched()

	return s.Extended(listed, keys)
}

// nestOwn puts the values of fields that a company has added, which files have by their keys in a row, where bodies have
// them.
func nestOwn(values []byte) ([]byte, error) {
	if !strings.Contains(string(values), `"`+ownPrefix) {
		return values, nil
	}
	all, own := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for name, raw := range rawjson.Members(values) {
		if key, is := strings.CutPrefix(rawjson.Name(name), ownPrefix); is {
			own[key] = raw
		} else {
			all[rawjson.Name(name)] = raw
		}
	}
	nested, err := json.Marshal(own)
	if err != nil {
		return nil, fmt.Errorf("values of own fields: %w", err)
	}
	all[columns.OwnKey] = nested

	return json.Marshal(all)
}

// lookUpOwn returns a context with the fields that the company has added, for several uses in a request.
func (r *table) lookUpOwn(ctx context.Context) (context.Context, error) {
	own, err := r.ownFields(ctx)
	if own == nil || err != nil {
		return ctx, err
	}

	return context.WithValue(ctx, ownContext{r.Item}, own), nil
}

// documentsOf are the documents of the rows of a page, if the collection has fields that the company has added, and whether
// the caller sees sensitive ones.
func (r *table) documentsOf(ctx context.Context, c collected, rows []any) ([][]byte, bool, error) {
	if c.own == nil {
		return nil, false, nil
	}
	documents, err := r.documents(ctx, c.own, rows)

	return documents, c.own.SeesSensitive(ctx), err
}

// ownSort finds the values by which a list is sorted that are of fields which the company has added.
type ownSort struct {
	of        *table
	ctx       context.Context //nolint:containedctx // a list asks for keys without one
	own       Own
	documents map[uuid.UUID][]byte
	err       error
}

// sortedByOwn returns it for a query, nil where none is sorted by.
func (r *table) sortedByOwn(ctx context.Context, q list.Query) (*ownSort, error) {
	if !slices.ContainsFunc(q.Sort(), func(k list.SortKey) bool { return strings.HasPrefix(k.Field, ownPrefix) }) {
		return nil, nil //nolint:nilnil // there is none
	}
	own, err := r.ownFields(ctx)

	return &ownSort{of: r, ctx: ctx, own: own, documents: map[uuid.UUID][]byte{}}, err
}

// readDocuments reads the documents of rows.
func (s *ownSort) readDocuments(rows []any) (int, error) {
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		ids[i] = columns.MetaOf(rows[i]).ID
	}
	found, err := s.own.Documents(s.ctx, ids)
	for _, id := range ids {
		s.documents[id] = found[id]
	}

	return len(rows), err
}

// key is the value of a row.
func (s *ownSort) key(row any, key string) any {
	id := columns.MetaOf(row).ID
	if _, read := s.documents[id]; !read {
		if _, err := s.readDocuments([]any{row}); err != nil {
			s.err = err
		}
	}

	return s.own.Sorted(s.documents[id], strings.TrimPrefix(key, ownPrefix))
}

// ChangeOwn changes values of the fields that a company has added to a row of a type, by a merge patch, as a change of the
// row with a verb.
func (e *Engine) ChangeOwn(ctx context.Context, itemType string, verb Verb, row uuid.UUID, patch []byte) error {
	r, known := e.resources[itemType]
	if !known {
		return nil // the area is off
	}

	return r.changeOwn(ctx, verb, row, patch)
}

func (r *table) changeOwn(ctx context.Context, verb Verb, id uuid.UUID, patch []byte) error {
	_, err := r.change(ctx, id, web.IfMatch{}, verb, func(_ context.Context, row any) error {
		columns.MetaOf(row).Custom = patch

		return nil
	})

	return err
}
