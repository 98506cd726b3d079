package exchange

import (
	"context"
	"errors"
	"fmt"
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
	made, err := m.write(acting, p, chunk)
	if err != nil {
		return err
	}
	chunk.Outcomes, chunk.Failed = made.outcomes, made.failed()
	row.Tally.add(made.tally)
	row.Next++

	return m.repo.saveOutcomes(ctx, &chunk)
}

// results are what became of the rows of a chunk.
type results struct {
	outcomes []outcome
	tally    tally
	wrong    map[int]int64
}

func (r *results) failed() int { return int(r.tally.Failed) }

// write writes the rows of a chunk: those that cannot be written fail alone.
func (m *Importer) write(ctx context.Context, p *plan, chunk chunkRow) (results, error) {
	made := results{outcomes: make([]outcome, len(chunk.Rows)), wrong: map[int]int64{}}
	var puts []Put
	var places []int
	for i, source := range chunk.Rows {
		made.outcomes[i].Index = i
		put, problem := p.put(source.Cells)
		if problem != nil {
			made.fail(i, problem)

			continue
		}
		puts, places = append(puts, put), append(places, i)
	}
	written, failures, err := m.writer.PutAll(ctx, p.ModuleID, p.source, puts)
	if err != nil {
		return results{}, halting(err)
	}
	for n, i := range places {
		if failures[n] == nil {
			made.keep(i, written[n])

			continue
		}
		if m.writer.Halts(failures[n]) {
			return results{}, halting(failures[n])
		}
		problem := p.problemOf(failures[n])
		if problem == nil {
			return results{}, fmt.Errorf("row %d: %w", chunk.FirstRow+int64(i), failures[n])
		}
		made.fail(i, problem)
	}

	return made, nil
}

func (r *results) keep(i int, w Written) {
	o := &r.outcomes[i]
	o.Record, o.Before, o.After = w.Record, w.Before, w.After
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
	r.outcomes[i].Problem = cut(problem.text, longestProblem)
	r.tally.Failed++
	for _, column := range problem.columns {
		r.wrong[column]++
	}
}

func (t *tally) add(more tally) {
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
	var made results
	err = m.db.Savepoint(acting, func(ctx context.Context) (err error) {
		if made, err = m.write(ctx, p, chunk); err != nil {
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
	chunk.Trials, chunk.TrialFailed = made.outcomes, made.failed()
	row.Trial.Tally.add(made.tally)
	if row.Trial.Wrong == nil {
		row.Trial.Wrong = map[int]int64{}
	}
	for column, n := range made.wrong {
		row.Trial.Wrong[column] += n
	}
	row.TrialNext++

	return m.repo.saveOutcomes(ctx, &chunk)
}
