package exchange

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
)

// gathering is the column whose values say which rows make one record, -1 for none: where columns go to elements of a list that rows gather, such as
// the vehicles of a load by its order number.
func (p *plan) gathering() int {
	if p.importRow.lines() {
		return -1
	}
	for _, c := range p.columns {
		if c.part == nil || c.part.list.Gather == "" {
			continue
		}
		by := slices.IndexFunc(p.columns, func(other planned) bool {
			return other.Field != nil && other.part == nil && other.Key == c.part.list.Gather
		})
		if by >= 0 && (p.by == "" || p.by == c.part.list.Gather) {
			return by
		}
	}

	return -1
}

// gatherKey is the value of a row by which it is gathered, "" for one that stands alone.
func (p *plan) gatherKey(cells []string) string {
	if p.gather < 0 || p.gather >= len(cells) {
		return ""
	}
	text, _ := p.importRow.cell(cells[p.gather])

	return strings.TrimSpace(text)
}

// gatherMore adds the elements that further rows have, and says what is wrong with them: all else must be as in the first row, or empty.
func (p *plan) gatherMore(lists map[string]*elements, first []string, further [][]string) string {
	for n, cells := range further {
		if problem := p.shape(cells); problem != nil {
			return problem.rest
		}
		for i, c := range p.columns {
			if c.to == "" || c.Field == nil {
				continue
			}
			text, value := p.importRow.cell(cells[i])
			if c.part == nil || c.part.list.Gather == "" {
				if text = strings.TrimSpace(text); text != "" && text != strings.TrimSpace(first[i]) {
					return fmt.Sprintf("The rows of %q differ in %q: %q and %q. Rows with the same value make one record.", readers.Shorten(p.gatherKey(first)),
						readers.Shorten(p.importRow.Header[i]), readers.Shorten(strings.TrimSpace(first[i])), readers.Shorten(text))
				}

				continue
			}
			into := lists[c.part.list.Key]
			if _, bad := p.putPart(into, i, c.part.index+mostSmall*(n+1), text, value); bad.Problem != "" {
				return p.importRow.Header[i] + ": " + bad.Problem
			}
		}
	}

	return ""
}

// group are the rows of a chunk that make one record: the places of those in it, and the cells of those that follow in the next chunk.
type group struct {
	places []int
	beyond [][]string
}

// groups are the rows of a chunk by the records that they make. Those at its beginning that go with the last record of the chunk before are no group:
// ahead is how many they are.
func (p *plan) groups(chunk chunkRow, near neighbours) (all []group, ahead int) {
	before, after := near.before, near.after
	if p.gather >= 0 && len(before) > 0 {
		for last := p.gatherKey(before[len(before)-1].Cells); ahead < len(chunk.Rows) && last != "" && p.gatherKey(chunk.Rows[ahead].Cells) == last; ahead++ {
		}
	}
	known := map[string]int{}
	for i := ahead; i < len(chunk.Rows); i++ {
		key := p.gatherKey(chunk.Rows[i].Cells)
		if at, is := known[key]; is && key != "" {
			all[at].places = append(all[at].places, i)

			continue
		}
		known[key] = len(all)
		all = append(all, group{places: []int{i}})
	}
	if n := len(chunk.Rows); p.gather >= 0 && n > ahead {
		last := p.gatherKey(chunk.Rows[n-1].Cells)
		for _, row := range after {
			if last == "" || p.gatherKey(row.Cells) != last {
				break
			}
			of := &all[known[last]]
			of.beyond = append(of.beyond, row.Cells)
		}
	}

	return all, ahead
}

// neighbours are the rows of the chunks before and after one, and what became of the last row before.
type neighbours struct {
	before, after []sourceRow
	last          outcome
}

// neighbours are those of a chunk, none unless rows are gathered.
func (m *Importer) neighbours(ctx context.Context, p *plan, row *importRow, seq int, outcomes func(chunkRow) []outcome) (near neighbours, err error) {
	if p.gather < 0 {
		return near, nil
	}
	if seq > 0 {
		chunk, err := m.repo.chunk(ctx, row.ID, seq-1)
		if err != nil {
			return near, err
		}
		near.before = chunk.Rows
		if all := outcomes(chunk); len(all) == len(near.before) && len(all) > 0 {
			near.last = all[len(all)-1]
		}
	}
	if seq+1 < row.Chunks {
		chunk, err := m.repo.chunk(ctx, row.ID, seq+1)
		if err != nil {
			return near, err
		}
		near.after = chunk.Rows
	}

	return near, nil
}

// changeOfGroup is what is to be written of the rows of a group.
func (p *plan) changeOfGroup(g group, made *results) (collection.Change, *rowProblem) {
	var further [][]string
	for _, i := range g.places[1:] {
		further = append(further, made.chunk.Rows[i].Cells)
	}
	first := g.places[0]
	put, notes, problem := p.changeOf(made.chunk.Rows[first].Cells, append(further, g.beyond...)...)
	made.notes[first] = notes

	return put, problem
}

// goOn has the rows at the beginning of a chunk that go with the last record of the chunk before share what became of it.
func (r *results) goOn(ahead int, last outcome) {
	for i := range r.outcomes {
		if r.outcomes[i].Index = i; i >= ahead {
			continue
		}
		r.joined[i] = true
		if last.Problem != "" {
			r.outcomes[i].Problem = last.Problem
			r.tally.Failed++
		} else {
			r.outcomes[i].Record = last.Record
			r.tally.Updated++
		}
	}
}

// join has the further rows of a group share the record of the first.
func (r *results) join(g group, record uuid.UUID) {
	for _, i := range g.places[1:] {
		r.outcomes[i].Record, r.joined[i] = record, true
		r.tally.Updated++
	}
}

// failAll has all rows of a group fail.
func (r *results) failAll(g group, problem *rowProblem) {
	r.fail(g.places[0], problem)
	for _, i := range g.places[1:] {
		r.joined[i] = true
		r.fail(i, &rowProblem{rest: "The row goes with " + r.of.where(r.chunk.number(g.places[0])) + ", which failed."})
	}
}
