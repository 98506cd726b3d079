package search

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// mostRanked is how many rows a search over several types ranks.
const mostRanked = 5_000

// Scope is where to search.
type Scope struct {
	Types []string
	// Hidden are the parts of items that are kept from the caller.
	Hidden []string
}

// Hit is a row that was found.
type Hit struct {
	Type  string
	ID    uuid.UUID
	Rank  Rank
	Title string
	// Line is the number of the line in which a term was found, the title's if it was found there; Snippet is the text around it.
	Line    int
	Snippet string
}

// found is a row of the index.
type found struct {
	ItemType      string
	ItemID        uuid.UUID
	Shown, Folded string
	Rank          Rank
}

// Hits returns rows of the caller's company that contain all terms and are not deleted, best first: by their Rank, then the
// latest. They are most at most, of the best of the first 5,000 that are found. It takes one statement.
func (x *Index) Hits(ctx context.Context, in Scope, terms Terms, most int) ([]Hit, error) {
	if len(in.Types) == 0 || len(terms) == 0 {
		return nil, nil
	}
	var rows []found
	query, args := x.hitsSQL(principal.CompanyOf(ctx), in, terms, most)
	if err := x.read(ctx).Raw(query, args...).Scan(&rows).Error; err != nil {
		return nil, database.Translate(err)
	}
	hits := make([]Hit, len(rows))
	for i, row := range rows {
		hits[i] = row.hit(terms)
	}

	return hits, nil
}

func (x *Index) hitsSQL(company uuid.UUID, in Scope, terms Terms, most int) (query string, args []any) {
	from, where, args := x.match(company, terms)
	where, args = where+" AND s.item_type IN ? AND NOT s.deleted", append(args, in.Types)
	if len(in.Hidden) > 0 {
		where, args = where+" AND s.part NOT IN ?", append(args, in.Hidden)
	}
	rank, ranked := x.rank(terms)

	return "SELECT item_type, item_id, shown, folded, " + rank + " AS rank FROM (SELECT s.item_type, s.item_id, s.shown, s.folded FROM " +
			from + " WHERE " + where + " LIMIT " + strconv.Itoa(mostRanked) + ") AS f ORDER BY rank, item_id DESC LIMIT ?",
		append(append(ranked, args...), most)
}

// rank is Terms.Rank in SQL, of a row f: the title is the first line of its text.
func (x *Index) rank(terms Terms) (text string, args []any) {
	title := `split_part(f.folded, chr(10), 1)`
	if x.db.Dialect() == database.SQLite {
		title = `substr(f.folded, 1, instr(f.folded, char(10)))`
	}
	whole := strings.Join(terms, " ")
	n, conditions := utf8.RuneCountInString(whole), make([]string, len(terms))
	args = []any{whole + "\n", whole}
	for i, term := range terms {
		conditions[i], args = x.contains(title), append(args, term)
	}

	return "CASE WHEN substr(f.folded, 1, " + strconv.Itoa(n+1) + ") = ? THEN 0 WHEN substr(f.folded, 1, " + strconv.Itoa(n) +
		") = ? THEN 1 WHEN " + strings.Join(conditions, " AND ") + " THEN 2 ELSE 3 END", args
}

func (f found) hit(terms Terms) Hit {
	shown, folded := strings.Split(f.Shown, "\n"), strings.Split(f.Folded, "\n")
	hit := Hit{Type: f.ItemType, ID: f.ItemID, Rank: f.Rank, Title: shown[0]}
	for i, line := range folded[:min(len(folded), len(shown))] {
		if !terms.inside(line) {
			continue
		}
		hit.Line, hit.Snippet = i, Snippet(shown[i], terms.inside)
		if hit.Snippet == "" { // it is found by more than is shown
			hit.Snippet = Snippet(shown[i], func(string) bool { return true })
		}

		break
	}

	return hit
}
