package custommodules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

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
	// mostEmbedded bounds what is embedded in one answer, in bytes of documents.
	mostEmbedded = 16 << 20
)

// expansion is a reference whose records are embedded, or a field whose files are described.
type expansion struct {
	// path is what the request calls it: "customer.account".
	path, key string
	field     uuid.UUID
	// definition is that of the records it points at, nil if the caller sees no such module.
	definition *definition
	inside     []*expansion
	// rows are the records, once they are read.
	rows map[uuid.UUID]recordRow
	// files are those of the request, where the field has files and not references.
	files shownFiles
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
	// fresh says that definitions in memory are not taken for the present ones.
	fresh bool
}

// asked reads what a request asks of a list of records and what it embeds. A refusal is not believed
// before the definitions of the other modules are known to be the present ones.
func (s *service) asked(ctx context.Context, d *definition, in *list.Input) (q list.Query, x *expansions, err error) {
	for _, fresh := range []bool{false, true} {
		if x, err = s.expansions(ctx, d, in.Expand, fresh); err == nil {
			q, err = in.Parse(ctx, d.schemaWith(x))
		}
		if errs.KindOf(err) != errs.Invalid || in.Expand == "" {
			break
		}
	}

	return q, x, err
}

// expansions reads expand=. What it does not understand is left to the query to refuse: allowed says
// what there is.
func (s *service) expansions(ctx context.Context, d *definition, text string, fresh bool) (*expansions, error) {
	x := &expansions{allowed: d.references(""), files: shownFiles{}, fresh: fresh}
	if text == "" {
		return x, nil
	}
	for path := range strings.SplitSeq(text, ",") {
		if err := s.expand(ctx, x, d, path); err != nil {
			return nil, err
		}
	}

	return x, nil
}

// expand adds one path as far as it is known.
func (s *service) expand(ctx context.Context, x *expansions, d *definition, path string) error {
	at := &x.tree
	for depth, key := range strings.Split(path, ".") {
		f := d.field(key)
		if f == nil || !f.embeds() || depth == mostExpandDepth {
			return nil
		}
		next := find(*at, key)
		if next == nil {
			if x.count++; x.count > mostExpanded {
				return list.ErrInvalidQuery.WithField("expand", fmt.Sprintf("expand embeds at most %d references and files.", mostExpanded))
			}
			var err error
			if next, err = s.newExpansion(ctx, x, f, strings.Join(strings.Split(path, ".")[:depth+1], ".")); err != nil {
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

func (s *service) newExpansion(ctx context.Context, x *expansions, f *moduleField, path string) (*expansion, error) {
	next := &expansion{path: path, key: f.key, field: f.id}
	if f.hasFiles() {
		next.files = x.files
		x.keys = append(x.keys, fileKeys(path)...)

		return next, nil
	}
	err := s.definitions.use(ctx, link{field: f}.target(), func(ctx context.Context, d *definition) error {
		next.definition = d
		if !x.fresh {
			return nil
		}

		return s.confirm(ctx, d, nil)
	})
	if errors.Is(err, errModuleNotFound) {
		return next, nil
	}
	if err != nil {
		return nil, err
	}
	target := next.definition
	x.keys = append(x.keys, target.keysUnder("payload."+strings.ReplaceAll(path, ".", ".record.payload.")+".record.")...)
	if strings.Count(path, ".")+1 < mostExpandDepth {
		x.allowed = append(x.allowed, target.references(path+".")...)
	}

	return next, nil
}

func find(tree []*expansion, key string) *expansion {
	if i := slices.IndexFunc(tree, func(e *expansion) bool { return e.key == key }); i >= 0 {
		return tree[i]
	}

	return nil
}

// hasFiles reports whether the field points at attachments.
func (f *moduleField) hasFiles() bool {
	_, files := f.values.(*field.FileOptions)

	return files
}

// embeds reports whether expand= may name the field.
func (f *moduleField) embeds() bool { return f.refers() || f.hasFiles() }

// references are the keys of the fields that expand= may name, each behind prefix.
func (d *definition) references(prefix string) []string {
	var keys []string
	for _, f := range d.fields {
		if f.embeds() {
			keys = append(keys, prefix+f.key)
		}
	}

	return keys
}

// keysUnder are the keys of a record of the module, each behind prefix.
func (d *definition) keysUnder(prefix string) []string {
	keys := make([]string, len(d.schema.Keys))
	for i, key := range d.schema.Keys {
		keys[i] = prefix + key
	}

	return keys
}

// schemaWith is what a list of records may be asked for when it embeds something.
func (d *definition) schemaWith(x *expansions) list.Schema {
	schema := d.schema
	schema.Expand = x.allowed
	schema.Keys = append(slices.Clip(schema.Keys), x.keys...)

	return schema
}

// branch is a part of a level: records, and what is embedded in them.
type branch struct {
	definition *definition
	rows       []recordRow
	tree       []*expansion
}

// fetch reads the records to embed, in one statement for each level, and then what is known of the files
// of all levels.
func (s *service) fetch(ctx context.Context, d *definition, rows []recordRow, x *expansions) error {
	level := []branch{{d, rows, x.tree}}
	files := map[uuid.UUID]bool{}
	for {
		ids := map[uuid.UUID]bool{}
		for _, b := range level {
			b.collect(ids, files)
		}
		if len(ids) == 0 {
			return s.fetchFiles(ctx, files, x.files)
		}
		found, more, err := s.repo.recordsNamed(ctx, ids, mostEmbedded)
		if err != nil {
			return err
		}
		if more {
			return errEmbedsTooMuch()
		}
		var next []branch
		for _, b := range level {
			for _, e := range b.tree {
				if err := s.take(ctx, e, found); err != nil {
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
		f := b.definition.fieldByID(e.field)
		if f == nil || e.definition == nil && e.files == nil {
			continue
		}
		ids := records
		if e.files != nil {
			ids = files
		}
		for _, row := range b.rows {
			text, _ := f.comparand(row.Data)
			if id, err := field.ParseUUID(text); err == nil {
				ids[id] = true
			}
		}
	}
}

// take keeps the records that are of the reference's module, and sees to it that the definition knows
// all that they hold.
func (s *service) take(ctx context.Context, e *expansion, found []recordRow) error {
	e.rows = map[uuid.UUID]recordRow{}
	if e.definition == nil {
		return nil
	}
	var latest int64
	for _, row := range found {
		if row.ModuleID == e.definition.module && row.Revision > 0 {
			e.rows[row.ID] = row
			latest = row.Revision
		}
	}
	if latest <= e.definition.revision {
		return nil
	}
	err := s.definitions.use(ctx, e.definition.module, func(_ context.Context, d *definition) error {
		e.definition = d
		if d.revision < latest {
			return errMovedOn
		}

		return nil
	})
	if errors.Is(err, errModuleNotFound) {
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

// embed puts the records that were read into a record that is about to be shown. Left is how many bytes
// may still be embedded.
func (x *expansions) embed(shown *record, left *int) error {
	return embed(x.tree, shown, left)
}

func embed(tree []*expansion, shown *record, left *int) error {
	if len(tree) == 0 {
		return nil
	}
	payload := make([]byte, 0, 2*len(shown.Payload))
	payload = append(payload, '{')
	for name, raw := range rawjson.Members(shown.Payload) {
		if len(payload) > 1 {
			payload = append(payload, ',')
		}
		payload = append(append(append(payload, '"'), name...), '"', ':')
		e := find(tree, rawjson.Name(name))
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
func (e *expansion) named(raw []byte) (recordRow, bool) {
	id, err := field.ParseUUID(rawjson.Text(rawjson.Member(raw, "record_uuid")))
	if err != nil {
		return recordRow{}, false
	}
	row, there := e.rows[id]

	return row, there
}

// errEmbedsTooMuch refuses an answer that would be too long.
func errEmbedsTooMuch() error {
	return list.ErrInvalidQuery.WithField("expand",
		fmt.Sprintf("The answer would embed more than %d bytes. Ask for fewer records with per_page.", mostEmbedded))
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
	shown := e.definition.show(row)
	if err := embed(e.inside, &shown, left); err != nil {
		return nil, err
	}

	text, err := json.Marshal(shown)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", row.ID, err)
	}

	return append(append(to, text...), '}'), nil
}

// embedOne embeds what a request for one record asks for.
func (s *service) embedOne(ctx context.Context, read stored, text string, shown *record) error {
	in := list.FromQuery("", url.Values{"expand": {text}})
	in.Expand = text
	_, x, err := s.asked(ctx, read.definition, &in)
	if err != nil {
		return err
	}
	if err := s.fetch(ctx, read.definition, []recordRow{read.recordRow}, x); err != nil {
		return err
	}
	left := mostEmbedded

	return x.embed(shown, &left)
}
