package custommodules

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/list"
)

// fewMatches is up to how many records with the words of q= are taken as a set, which then may be filtered
// and sorted by anything. Words that more records have are looked for in the order of the list.
const fewMatches = 1_000

// narrowing is what a list of records is narrowed to by q=.
type narrowing struct {
	module uuid.UUID
	words  []string
	// ids are the records that have the words, if they are few.
	ids []uuid.UUID
	few bool
}

// search reads q=. It returns nil if nothing is searched for.
func (s *service) search(ctx context.Context, d *definition, q list.Query) (*narrowing, error) {
	if q.Text() == "" {
		return nil, nil //nolint:nilnil // nothing narrows the list
	}
	if !slices.ContainsFunc(d.fields, func(f *moduleField) bool { return f.searchReady }) {
		return nil, errNotSearchable.WithField("q", "No field of the module is searchable yet. One becomes so with searchable: true in "+
			"PATCH "+base+"/modules/"+d.module.String()+"/fields/{field_uuid}.")
	}
	words := searchWords(q.Text())
	if len(words) == 0 {
		return nil, list.ErrInvalidQuery.WithField("q", "q must have a letter or a digit.")
	}
	found := &narrowing{module: d.module, words: words}
	if s.common.has(d.module, words) {
		return found, nil
	}
	var err error
	found.ids, err = s.repo.matching(ctx, d.module, words, fewMatches+1)
	found.few = len(found.ids) <= fewMatches
	if err == nil && !found.few {
		s.common.add(d.module, words)
	}

	return found, err
}

// keepWords keeps the words of records that were stored, as far as they may have changed.
func (s *service) keepWords(ctx context.Context, all []*writing) error {
	var rows [][]any
	for _, w := range all {
		words, changed := w.words()
		switch {
		case !changed:
		case words != "":
			rows = append(rows, wordValues(ctx, w.row, words))
		default:
			if err := s.repo.setWords(ctx, w.row, ""); err != nil {
				return err
			}
		}
	}

	return s.repo.setWordsAll(ctx, rows)
}

// words returns the words of a record as they are now, and whether what is kept of them has to change.
func (w *writing) words() (string, bool) {
	// The job that follows a change of the definition passes over what is written by the new one.
	stale := w.verb == updated && w.before.SchemaRevision < w.definition.revision
	if !w.definition.searchable() && !stale {
		return "", false
	}
	if w.verb == deleted {
		return "", true
	}
	changed := stale || w.verb == restored
	for _, c := range w.changes {
		changed = changed || c.field.searchable
	}
	if !changed {
		return "", false
	}
	words := w.definition.words(w.row.Data)

	return words, words != "" || w.verb != created
}

// searchable reports whether records are found by the words of any field: rows of an area are by an index of their own.
func (d *definition) searchable() bool {
	return d.item() == "" && slices.ContainsFunc(d.fields, func(f *moduleField) bool { return f.searchable })
}

// giveSearch makes a field searchable from the module's revision on, or says why it cannot be. Ready says
// that no record has a value of the field.
func (s *service) giveSearch(row *fieldRow, module *moduleRow, asked, ready bool) string {
	if !asked {
		row.Searchable, row.SearchSince, row.SearchReady = false, nil, false

		return ""
	}
	values, err := s.definitions.types.values(row.Type, row.Options)
	if err != nil {
		return "" // said already
	}
	switch _, has := values.(field.Worded); {
	case !has:
		return "A field of the type " + string(row.Type) + " cannot be searchable."
	case row.Sensitive:
		return "A sensitive field cannot be searchable."
	case !row.Searchable:
		row.Searchable, row.SearchSince, row.SearchReady = true, new(module.Revision), ready
	}

	return ""
}
