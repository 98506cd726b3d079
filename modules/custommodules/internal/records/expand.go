package records

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/detail"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const (
	// mostExpandDepth is how many references may follow one another in expand=.
	mostExpandDepth = 3
	// mostExpanded is how many references one request embeds, those on the way counted.
	mostExpanded = 8
	// MostEmbedded bounds what is embedded in one answer, in bytes of documents.
	MostEmbedded = 16 << 20
)

// expansion is a reference whose records are embedded, or a field whose files are described.
type expansion struct {
	// path is what the request calls it: "customer.account".
	path, key string
	field     uuid.UUID
	// definition is that of the records it points at, nil if the caller sees no such module.
	definition *definition.Definition
	inside     []*expansion
	// rows are the records, once they are read.
	rows map[uuid.UUID]definition.RecordRow
	// files are those of the request, where the field has files and not references.
	files shownFiles
	// detail is that of the values of the field, where it is what is embedded.
	detail *detail.Asked
}

// expansions are what a request embeds.
type expansions struct {
	tree  []*expansion
	count int
	// allowed are the names that could have been asked for, as far as the request went; keys what of
	// the embedded records fields= may name.
	allowed, keys []string
	// files are what is known of attachments, once they are read.
	files shownFiles
	// details are those of values, and registry has those that there are.
	details  []*detail.Asked
	registry *detail.Registry
	// fresh says that definitions in memory are not taken for the present ones.
	fresh bool
}

// parseListQuery reads what a request asks of a list of records and what it embeds. A refusal is not believed
// before the definitions of the other modules are known to be the present ones.
func (s *Service) parseListQuery(ctx context.Context, d *definition.Definition, in *list.Input) (q list.Query, x *expansions, err error) {
	for _, fresh := range []bool{false, true} {
		if x, err = s.expansions(ctx, d, in.Expand, fresh); err == nil {
			q, err = in.Parse(ctx, schemaWith(d, x))
		}
		if errs.KindOf(err) != errs.Invalid || in.Expand == "" {
			break
		}
	}

	return q, x, err
}

// expansions reads expand=. What it does not understand is left to the query to refuse: allowed says
// what there is.
func (s *Service) expansions(ctx context.Context, d *definition.Definition, text string, fresh bool) (*expansions, error) {
	x := &expansions{allowed: d.References(""), files: shownFiles{}, fresh: fresh, registry: s.others.Details}
	if text == "" {
		return x, nil
	}
	if err := x.allowDetails(ctx, d, ""); err != nil {
		return nil, err
	}
	for path := range strings.SplitSeq(text, ",") {
		if err := s.expand(ctx, x, d, path); err != nil {
			return nil, err
		}
	}

	return x, nil
}

// expand adds one path as far as it is known.
func (s *Service) expand(ctx context.Context, x *expansions, d *definition.Definition, path string) error {
	at := &x.tree
	keys := strings.Split(path, ".")
	for depth, key := range keys {
		f := d.Field(key)
		if f != nil && depth+2 == len(keys) && slices.Contains(x.allowed, path) && !f.Embeds() {
			return x.addDetail(at, f, path)
		}
		if f == nil || !f.Embeds() || depth == mostExpandDepth {
			return nil
		}
		next := findExpansion(*at, key)
		if next == nil {
			if err := x.countOne(); err != nil {
				return err
			}
			var err error
			if next, err = s.newExpansion(ctx, x, f, strings.Join(keys[:depth+1], ".")); err != nil {
				return err
			}
			*at = append(*at, next)
		}
		if d = next.definition; d == nil {
			return nil
		}
		at = &next.inside
	}

	return nil
}

// countOne refuses more than a request embeds.
func (x *expansions) countOne() error {
	if x.count++; x.count > mostExpanded {
		return list.ErrInvalidQuery.WithField("expand", fmt.Sprintf("expand embeds at most %d references, files and details.", mostExpanded))
	}

	return nil
}

func (s *Service) newExpansion(ctx context.Context, x *expansions, f *definition.ModuleField, path string) (*expansion, error) {
	next := &expansion{path: path, key: f.Key, field: f.ID}
	if f.HasFiles() {
		next.files = x.files
		x.keys = append(x.keys, fileKeys(path)...)

		return next, nil
	}
	err := s.definitions.Use(ctx, definition.Link{Field: f}.Target(), func(ctx context.Context, d *definition.Definition) error {
		next.definition = d
		if !x.fresh {
			return nil
		}

		return s.ConfirmUnchanged(ctx, d, nil)
	})
	if errors.Is(err, definition.ErrModuleNotFound) {
		return next, nil
	}
	if err != nil {
		return nil, err
	}
	target := next.definition
	x.keys = append(x.keys, target.KeysUnder("payload."+strings.ReplaceAll(path, ".", ".record.payload.")+".record.")...)
	if strings.Count(path, ".")+1 < mostExpandDepth {
		x.allowed = append(x.allowed, target.References(path+".")...)
	}

	return next, x.allowDetails(ctx, target, path+".")
}

func findExpansion(tree []*expansion, key string) *expansion {
	if i := slices.IndexFunc(tree, func(e *expansion) bool { return e.key == key && e.detail == nil }); i >= 0 {
		return tree[i]
	}

	return nil
}

// schemaWith is what a list of records may be asked for when it embeds something.
func schemaWith(d *definition.Definition, x *expansions) list.Schema {
	schema := d.Schema
	schema.Expand = x.allowed
	schema.Keys = append(slices.Clip(schema.Keys), x.keys...)

	return schema
}

// branch is a part of a level: records, and what is embedded in them.
type branch struct {
	definition *definition.Definition
	rows       []definition.RecordRow
	tree       []*expansion
}

// fetch reads the records to embed, in one statement for each level, and then what is known of the files
// of all levels.
func (s *Service) fetch(ctx context.Context, d *definition.Definition, rows []definition.RecordRow, x *expansions) error {
	level := []branch{{d, rows, x.tree}}
	files := map[uuid.UUID]bool{}
	for {
		ids := map[uuid.UUID]bool{}
		for _, b := range level {
			b.collect(ids, files)
		}
		if len(ids) == 0 {
			if err := x.registry.Read(ctx, x.details...); err != nil {
				return err
			}

			return s.fetchFiles(ctx, files, x.files)
		}
		found, more, err := s.repo.RecordsNamed(ctx, ids, MostEmbedded)
		if err != nil {
			return err
		}
		if more {
			return errEmbedsTooMuch()
		}
		var next []branch
		for _, b := range level {
			for _, e := range b.tree {
				if err := s.attachRecords(ctx, e, found); err != nil {
					return err
				}
				next = append(next, e.branch())
			}
		}
		level = next
	}
}

// collect adds the records that those of the branch point at, and their files.
func (b branch) collect(records, files map[uuid.UUID]bool) {
	for _, e := range b.tree {
		f := b.definition.FieldByID(e.field)
		if f != nil && e.detail != nil {
			addValues(e.detail, f, b.rows)
		}
		if f == nil || e.definition == nil && e.files == nil {
			continue
		}
		ids := records
		if e.files != nil {
			ids = files
		}
		for _, row := range b.rows {
			text, _ := f.Comparand(row.Data)
			if id, err := field.ParseUUID(text); err == nil {
				ids[id] = true
			}
		}
	}
}

// attachRecords keeps the records that are of the reference's module, and sees to it that the definition knows
// all that they hold.
func (s *Service) attachRecords(ctx context.Context, e *expansion, found []definition.RecordRow) error {
	e.rows = map[uuid.UUID]definition.RecordRow{}
	if e.definition == nil {
		return nil
	}
	var latest int64
	for _, row := range found {
		if row.ModuleID == e.definition.Module && row.Revision > 0 {
			e.rows[row.ID] = row
			latest = row.Revision
		}
	}
	if latest <= e.definition.Revision {
		return nil
	}
	err := s.definitions.Use(ctx, e.definition.Module, func(_ context.Context, d *definition.Definition) error {
		e.definition = d
		if d.Revision < latest {
			return store.ErrMovedOn
		}

		return nil
	})
	if errors.Is(err, definition.ErrModuleNotFound) {
		e.rows, err = nil, nil
	}

	return err
}

func (e *expansion) branch() branch {
	b := branch{definition: e.definition, tree: e.inside}
	for _, row := range e.rows {
		b.rows = append(b.rows, row)
	}

	return b
}

// Embed puts the records that were read into a record that is about to be shown. Left is how many bytes
// may still be embedded.
func (x *expansions) Embed(shown *Record, left *int) error {
	return embed(x.tree, shown, left)
}

func embed(tree []*expansion, shown *Record, left *int) error {
	if len(tree) == 0 {
		return nil
	}
	if err := embedDetails(tree, shown, left); err != nil {
		return err
	}
	payload := make([]byte, 0, 2*len(shown.Payload))
	payload = append(payload, '{')
	for name, raw := range rawjson.Members(shown.Payload) {
		if len(payload) > 1 {
			payload = append(payload, ',')
		}
		payload = append(append(append(payload, '"'), name...), '"', ':')
		e := findExpansion(tree, rawjson.Name(name))
		if e == nil || raw[0] != '{' {
			payload = append(payload, raw...)

			continue
		}
		var err error
		if payload, err = e.appendTo(payload, raw, left); err != nil {
			return err
		}
	}
	shown.Payload = append(payload, '}')

	return nil
}

// named returns the record that a reference names.
func (e *expansion) named(raw []byte) (definition.RecordRow, bool) {
	id, err := field.ParseUUID(rawjson.Text(rawjson.Member(raw, "record_uuid")))
	if err != nil {
		return definition.RecordRow{}, false
	}
	row, there := e.rows[id]

	return row, there
}

// errEmbedsTooMuch refuses an answer that would be too long.
func errEmbedsTooMuch() error {
	return list.ErrInvalidQuery.WithField("expand",
		fmt.Sprintf("The answer would embed more than %d bytes. Ask for fewer records with per_page.", MostEmbedded))
}

// appendTo appends a reference with its record, null if there is none.
func (e *expansion) appendTo(to, raw []byte, left *int) ([]byte, error) {
	if e.files != nil {
		return e.appendFile(to, raw, left)
	}
	row, there := e.named(raw)
	to = append(append(to, raw[:len(raw)-1]...), `,"record":`...)
	if !there {
		return append(to, "null}"...), nil
	}
	if *left -= len(row.Data); *left < 0 {
		return nil, errEmbedsTooMuch()
	}
	shown := ShownOf(e.definition, row)
	if err := embed(e.inside, &shown, left); err != nil {
		return nil, err
	}

	text, err := json.Marshal(shown)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", row.ID, err)
	}

	return append(append(to, text...), '}'), nil
}

// EmbedOne embeds what a request for one record asks for.
func (s *Service) EmbedOne(ctx context.Context, read Stored, text string, shown *Record) error {
	in := list.FromQuery("", url.Values{"expand": {text}})
	in.Expand = text
	_, x, err := s.parseListQuery(ctx, read.Definition, &in)
	if err != nil {
		return err
	}
	if err := s.fetch(ctx, read.Definition, []definition.RecordRow{read.RecordRow}, x); err != nil {
		return err
	}
	left := MostEmbedded

	return x.Embed(shown, &left)
}
