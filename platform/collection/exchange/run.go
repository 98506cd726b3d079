package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dispatchd/dispatchd/platform/collection"
)

// runChunk writes the records of the next chunk.
func (m *Importer) runChunk(ctx context.Context, row *importRow) error {
	if row.Next >= row.Chunks {
		return m.step(ctx, row, verbComplete, "")
	}
	acting, p, err := m.writing(ctx, row)
	if err != nil {
		return err
	}
	chunk, err := m.repo.chunk(ctx, row.ID, row.Next)
	if err != nil {
		return err
	}
	near, err := m.neighbours(ctx, p, row, chunk.Seq, func(c chunkRow) []outcome { return c.Outcomes })
	if err != nil {
		return err
	}
	made, err := writeChunk(acting, p, chunk, near)
	if err != nil {
		return err
	}
	chunk.Noted = made.noteEmptiedCells()
	chunk.Outcomes, chunk.Failed = made.outcomes, made.failed()
	row.Tally.add(made.tally)
	row.Next++

	return m.repo.saveOutcomes(ctx, &chunk)
}

// results are what became of the rows of a chunk.
type results struct {
	of       *importRow
	chunk    chunkRow
	outcomes []outcome
	tally    tally
	// wrong and left count the cells of a column that kept rows from being taken, and those that were left empty.
	wrong, left map[int]int64
	// notes are the cells of each row that were left empty, problems the first of those that were not taken.
	notes    [][]cellProblem
	problems []cellProblem
	// joined are the rows that an earlier one has made the record of.
	joined []bool
}

func (r *results) failed() int { return int(r.tally.Failed) }

// writeChunk writes the rows of a chunk: those that cannot be written fail alone.
func writeChunk(ctx context.Context, p *plan, chunk chunkRow, near neighbours) (results, error) {
	made := results{
		of: p.importRow, chunk: chunk, outcomes: make([]outcome, len(chunk.Rows)), wrong: map[int]int64{}, left: map[int]int64{},
		notes: make([][]cellProblem, len(chunk.Rows)), joined: make([]bool, len(chunk.Rows)),
	}
	if err := p.resolve(ctx, chunk.Rows); err != nil {
		return results{}, err
	}
	all, ahead := p.groups(chunk, near)
	made.goOn(ahead, near.last)
	var puts []collection.Change
	var written []group
	for _, g := range all {
		put, problem := p.changeOfGroup(g, &made)
		if problem != nil {
			made.failAll(g, problem)

			continue
		}
		puts, written = append(puts, put), append(written, g)
	}
	outcomes, err := p.into.Write(ctx, p.source, puts)
	if err != nil {
		return results{}, haltOn(err)
	}
	for n, g := range written {
		failure := outcomes[n].Err
		if failure == nil {
			made.addRow(g.places[0], outcomes[n].Written)
			made.join(g, outcomes[n].Row)

			continue
		}
		if p.into.AffectsAllRows(failure) {
			return results{}, haltOn(failure)
		}
		problem := p.problemOf(failure, chunk.Rows[g.places[0]].Cells)
		if problem == nil {
			return results{}, fmt.Errorf("row %d: %w", chunk.FirstRow+int64(g.places[0]), failure)
		}
		made.failAll(g, problem)
	}

	return made, nil
}

func (r *results) addRow(i int, w collection.Written) {
	o := &r.outcomes[i]
	o.Record, o.Before, o.After = w.Row, w.Before, w.After
	switch {
	case w.Before == 0:
		r.tally.Created++
	case w.After == 0:
		r.tally.Unchanged++
	default:
		r.tally.Updated++
	}
}

// longestProblem is how many characters a row's problems have.
const longestProblem = 2_000

func (r *results) fail(i int, problem *rowProblem) {
	number := r.chunk.number(i)
	all := problem.all(number)
	r.outcomes[i].Problem = rowSentence(r.of.where(number), all)
	r.tally.Failed++
	for _, one := range problem.cells {
		r.wrong[one.at]++
	}
	r.problems = append(r.problems, all...)
	r.notes[i] = nil
}

// noteEmptiedCells notes the cells that were left empty in rows that were taken, and returns how many rows those are.
func (r *results) noteEmptiedCells() int {
	noted := 0
	for i, notes := range r.notes {
		if len(notes) == 0 {
			continue
		}
		noted++
		r.outcomes[i].Note = rowSentence(r.of.where(r.chunk.number(i)), notes) + "; left empty"
		r.tally.LeftEmpty += int64(len(notes))
		for _, one := range notes {
			r.left[one.at]++
		}
	}

	return noted
}

func (t *tally) add(more tally) {
	t.LeftEmpty += more.LeftEmpty
	t.Created += more.Created
	t.Updated += more.Updated
	t.Unchanged += more.Unchanged
	t.Failed += more.Failed
	t.Undone += more.Undone
	t.Kept += more.Kept
}

// errRehearsed undoes what a dry run wrote.
var errRehearsed = errors.New("a dry run writes nothing")

// tryChunk writes the records of the next chunk and undoes it: what hooks and other records say to it, the
// dry run knows.
func (m *Importer) tryChunk(ctx context.Context, row *importRow) error {
	if row.TrialNext >= row.Chunks {
		row.Trial.Done = true

		return m.step(ctx, row, verbReport, "")
	}
	acting, p, err := m.writing(ctx, row)
	if err != nil {
		return err
	}
	chunk, err := m.repo.chunk(ctx, row.ID, row.TrialNext)
	if err != nil {
		return err
	}
	near, err := m.neighbours(ctx, p, row, chunk.Seq, func(c chunkRow) []outcome { return c.Trials })
	if err != nil {
		return err
	}
	var made results
	err = m.db.Savepoint(acting, func(ctx context.Context) (err error) {
		if made, err = writeChunk(ctx, p, chunk, near); err != nil {
			return err
		}

		return errRehearsed
	})
	if !errors.Is(err, errRehearsed) {
		return err
	}
	if err := m.compare(ctx, p, chunk, &made); err != nil {
		return err
	}
	chunk.Noted = made.noteEmptiedCells()
	chunk.Trials, chunk.TrialFailed = made.outcomes, made.failed()
	row.Trial.add(made)
	row.TrialNext++

	return m.repo.saveOutcomes(ctx, &chunk)
}

// mostProblems is how many problems an answer has of a dry run; the report has all.
const mostProblems = 20

// add takes what a part of the file came to.
func (t *trial) add(made results) {
	t.Tally.add(made.tally)
	slices.SortStableFunc(made.problems, func(a, b cellProblem) int { return a.Row - b.Row })
	t.Problems = append(t.Problems, made.problems[:min(len(made.problems), mostProblems-len(t.Problems))]...)
	t.Wrong, t.Left = addCounts(t.Wrong, made.wrong), addCounts(t.Left, made.left)
}

func addCounts(to, more map[int]int64) map[int]int64 {
	if to == nil {
		to = map[int]int64{}
	}
	for column, n := range more {
		to[column] += n
	}

	return to
}
