package records

import (
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/list"
)

// search reads q=. It returns nil if nothing is searched for.
func (s *Service) search(ctx context.Context, d *definition.Definition, q list.Query) (*store.Narrowing, error) {
	if q.Text() == "" {
		return nil, nil //nolint:nilnil // nothing narrows the list
	}
	if !slices.ContainsFunc(d.Fields, func(f *definition.ModuleField) bool { return f.SearchReady }) {
		return nil, definition.ErrNotSearchable.WithField("q", "No field of the module is searchable yet. One becomes so with searchable: true in "+
			"PATCH "+definition.Base+"/modules/"+d.Module.String()+"/fields/{field_uuid}.")
	}
	words := definition.SearchWords(q.Text())
	if len(words) == 0 {
		return nil, list.ErrInvalidQuery.WithField("q", "q must have a letter or a digit.")
	}
	found := &store.Narrowing{Module: d.Module, Words: words}
	if s.common.Has(d.Module, words) {
		return found, nil
	}
	var err error
	found.Ids, err = s.repo.Matching(ctx, d.Module, words, store.FewMatches+1)
	found.Few = len(found.Ids) <= store.FewMatches
	if err == nil && !found.Few {
		s.common.Add(d.Module, words)
	}

	return found, err
}

// KeepWords keeps the words of records that were stored, as far as they may have changed.
func (s *Service) KeepWords(ctx context.Context, all []*store.Writing) error {
	var rows [][]any
	for _, w := range all {
		words, changed := w.Words()
		switch {
		case !changed:
		case words != "":
			rows = append(rows, store.WordValues(ctx, w.Row, words))
		default:
			if err := s.repo.SetWords(ctx, w.Row, ""); err != nil {
				return err
			}
		}
	}

	return s.repo.SetWordsAll(ctx, rows)
}
