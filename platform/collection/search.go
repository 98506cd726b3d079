package collection

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Searcher finds rows of several collections at once. A Source may be one.
type Searcher interface {
	// Search returns the rows, most at most, that have all words of a text, without regard to case and accents, of the
	// collections that the caller may read, the best first.
	Search(ctx context.Context, text string, most int) (Found, error)
}

// Found is what a search has found.
type Found struct {
	Hits []Hit
	// More says that there are others.
	More bool
}

// Hit is a row that was found.
type Hit struct {
	// Type is the type of the row as an item.
	Type       string
	Row        uuid.UUID
	Title      string
	Collection Info
	// Field is the key of a field in which a word was found, Snippet the text around it; "" where that is unknown.
	Field, Snippet string
	// Rank says how well it is found, as search.Rank does.
	Rank int
}

// SearchBy adds a searcher for the collections of areas. It is called before the service starts.
func (r *Registry) SearchBy(s Searcher) { r.searchers = append(r.searchers, s) }

// Search is Searcher's over all collections: the best first, of the equally good the latest.
func (r *Registry) Search(ctx context.Context, text string, most int) (Found, error) {
	searchers := slices.Clone(r.searchers)
	if s, ok := r.family.(Searcher); ok {
		readable, err := r.readable(ctx, typed{Info: Info{Area: r.familyArea}})
		if err != nil {
			return Found{}, err
		}
		if readable {
			searchers = append(searchers, s)
		}
	}
	var all Found
	for _, s := range searchers {
		found, err := s.Search(ctx, text, most)
		if err != nil {
			return Found{}, fmt.Errorf("search: %w", err)
		}
		all.Hits, all.More = append(all.Hits, found.Hits...), all.More || found.More
	}
	slices.SortStableFunc(all.Hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), strings.Compare(b.Row.String(), a.Row.String()))
	})
	if len(all.Hits) > most {
		all.Hits, all.More = all.Hits[:most], true
	}

	return all, nil
}
