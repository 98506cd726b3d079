package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/search"
)

const (
	// mostFound is how many records one search of all modules looks at, mostFoundIn how many of one module.
	mostFound, mostFoundIn = 200, 50
	// mostSearchedModules is how many modules one search looks into, the first by name.
	mostSearchedModules = 500
)

// Search implements collection.Searcher: it finds records by the words of searchable fields, as q= of a list does.
func (m moduleCollections) Search(ctx context.Context, text string, most int) (collection.Found, error) {
	return m.service.searchAll(ctx, text, most)
}

// searchAll finds records of all modules that the caller may read: of each the latest of those that have the words, then the
// best of all of them. It takes a statement for the modules, one for each hundred of them, and one for the records.
func (s *Service) searchAll(ctx context.Context, text string, most int) (collection.Found, error) {
	words := definition.SearchWords(text)
	if len(words) == 0 {
		return collection.Found{}, nil
	}
	modules, err := s.repo.SearchableModules(ctx, mostSearchedModules+1)
	if err != nil {
		return collection.Found{}, err
	}
	all := collection.Found{More: len(modules) > mostSearchedModules}
	modules = modules[:min(len(modules), mostSearchedModules)]
	matching, err := s.repo.MatchingInAll(ctx, modules, words, mostFoundIn+1)
	if err != nil || len(matching) == 0 {
		return all, err
	}
	share := max(1, min(mostFoundIn, mostFound/len(matching)))
	ids, in := map[uuid.UUID]bool{}, []definition.ModuleRow(nil)
	for _, m := range modules {
		some := matching[m.ID]
		if len(ids) == mostFound {
			all.More = all.More || len(some) > 0

			continue
		}
		if all.More = all.More || len(some) > share; len(some) > 0 {
			in = append(in, m)
		}
		for _, id := range some[:min(len(some), share)] {
			ids[id] = true
		}
	}
	hits, more, err := s.describeFound(ctx, in, ids, text)
	if err != nil {
		return collection.Found{}, err
	}
	slices.SortFunc(hits, func(a, b collection.Hit) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), strings.Compare(b.Row.String(), a.Row.String()))
	})
	all.Hits, all.More = hits[:min(len(hits), most)], all.More || more || len(hits) > most

	return all, nil
}

// describeFound shows records that were found in modules. What is gone meanwhile is left out, and so is what would make the
// answer too large: more says so.
func (s *Service) describeFound(ctx context.Context, in []definition.ModuleRow, ids map[uuid.UUID]bool, text string) (hits []collection.Hit, more bool, err error) {
	rows, more, err := s.repo.RecordsNamed(ctx, ids, MostEmbedded)
	if err != nil {
		return nil, false, err
	}
	byModule := map[uuid.UUID][]definition.RecordRow{}
	for _, row := range rows {
		byModule[row.ModuleID] = append(byModule[row.ModuleID], row)
	}
	for _, m := range in {
		var described []collection.Hit
		err := s.definitions.Use(ctx, m.ID, func(_ context.Context, d *definition.Definition) error {
			described = nil // it may be called again
			for _, row := range byModule[m.ID] {
				if d.Revision < row.Revision {
					return store.ErrMovedOn
				}
				hit := describeFoundRow(d, row, definition.SearchWords(text))
				hit.Collection, hit.Rank = definition.InfoOf(m.ID, m.Name), int(search.Parse(text).Rank(hit.Title))
				described = append(described, hit)
			}

			return nil
		})
		if err != nil && !errors.Is(err, definition.ErrModuleNotFound) {
			return nil, false, fmt.Errorf("module %s: %w", m.ID, err)
		}
		hits = append(hits, described...)
	}

	return hits, more, nil
}

func describeFoundRow(d *definition.Definition, row definition.RecordRow, words []string) collection.Hit {
	one := collection.Hit{Type: definition.RecordItem, Row: row.ID, Title: d.Title(row.Data)}
	for _, f := range d.Fields {
		kept, has := f.Values.(field.Worded)
		raw := rawjson.Member(row.Data, f.Number)
		if !f.SearchReady || !has || raw == nil || raw[0] == 'n' {
			continue
		}
		if snippet := snippetOf(kept.Words(raw), words); snippet != "" {
			one.Field, one.Snippet = f.Key, snippet

			break
		}
	}

	return one
}

// snippetOf returns the text around the first of the words, or one that begins with it; "" if there is none.
func snippetOf(text string, words []string) string {
	return search.Snippet(text, func(part string) bool {
		return slices.ContainsFunc(definition.SearchWords(part), func(have string) bool {
			return slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(have, word) })
		})
	})
}
