package feed

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dispatchd/dispatchd/platform/clock"
)

const (
	// batch is how many rows of a file are compared and written together.
	batch = 5000
	// mostSkipped is after how many batches without a change the place in the file is stored all the same.
	mostSkipped = 20
	// deleteBatch is how many rows are deleted in a transaction.
	deleteBatch = 500
)

// Import is a file to be imported.
type Import struct {
	// Set is one of SetNames.
	Set  string
	From io.Reader
	// AsOf is the date of the set.
	AsOf time.Time
	// Broken opens what gets the rows that cannot be read, as CSV: where each begins, why it cannot be read, and its text. It is called at
	// the first of them; resumed says that rows before it have been written already. Nil drops them.
	Broken func(resumed bool) (io.WriteCloser, error)
	// Shrink allows a set to lose more than half of its rows.
	Shrink bool
}

// Report is what an import did.
type Report struct {
	// Rows are those of the file that could be read, Written those that were new or changed.
	Rows, Written, Deleted, Broken int64
	// Resumed is at which byte the import was resumed, 0 if it was not interrupted before.
	Resumed int64
}

// Importer fills the tables. Of two imports of one set at the same time, the first that writes goes on, and the other one fails.
type Importer struct {
	repository *Repository
	clock      clock.Clock
}

// NewImporter returns an importer; it does no I/O.
func NewImporter(repository *Repository, clk clock.Clock) *Importer {
	return &Importer{repository: repository, clock: clk}
}

// source gives the rows of a set.
type source interface {
	columns() []string
	// next returns the values of the next row, which are good until the next call; a *brokenRowError, or io.EOF.
	next(ctx context.Context) ([]string, error)
	// place is where the next row begins.
	place() int64
}

// target is the table of a set.
type target interface {
	// read takes a row of the file, or says why it cannot.
	read(cells []string) (line, error)
	// ledger returns what the table has; of a difference, of some keys alone.
	ledger(ctx context.Context, keys []int64) (*ledger, error)
	// write writes rows that are new or changed, in a transaction.
	write(ctx context.Context, all []line) error
	delete(ctx context.Context, keys []int64) error
	// finish is called when all rows have been written.
	finish(ctx context.Context) error
	close() error
}

// line is a row of a file.
type line struct {
	key, digest int64
	// known says that the table has the key, in another version; fresh that it certainly does not have it.
	known   bool
	fresh   bool
	carrier Carrier
	body    string
	filing  Filing
	// gone is a docket whose rows a difference takes away; such a line has nothing else.
	gone string
}

// failedError is an error of target.read that is not the row's.
type failedError struct{ err error }

func (f *failedError) Error() string { return f.err.Error() }

// lines are a part of a file.
type lines struct {
	rows   []line
	broken []brokenLine
	// end is where the next part begins.
	end int64
}

type brokenLine struct {
	at  int64
	row *brokenRowError
}

// run is one import.
type run struct {
	repository *Repository
	clock      clock.Clock
	in         Import
	kept       string
	set        set
	from       source
	target     target
	ledger     *ledger
	state      State
	// stored is the state as the table has it.
	stored  State
	broken  io.WriteCloser
	report  Report
	skipped int
}

// Import reads a file to its end. What it has written stays if it fails; the next call, with the same file from its beginning, writes
// only what is missing.
func (m *Importer) Import(ctx context.Context, in Import) (Report, error) {
	r, err := m.newRun(in)
	if err != nil {
		return Report{}, err
	}
	t, err := openTable(in.From)
	if err != nil {
		return Report{}, fmt.Errorf("set %s: %w", in.Set, err)
	}

	return r.run(ctx, t)
}

func (m *Importer) newRun(in Import) (*run, error) {
	s, kept, ok := setOf(in.Set)
	if !ok {
		return nil, fmt.Errorf("set %q: want one of %s", in.Set, strings.Join(SetNames(), ", "))
	}

	return &run{repository: m.repository, clock: m.clock, in: in, set: s, kept: kept}, nil
}

func (r *run) run(ctx context.Context, from source) (Report, error) {
	r.from = from
	if err := r.open(ctx); err != nil {
		return r.report, fmt.Errorf("set %s: %w", r.in.Set, err)
	}
	err := errors.Join(r.all(ctx), r.target.close())
	if r.broken != nil {
		err = errors.Join(err, r.broken.Close())
	}
	if err != nil {
		return r.report, fmt.Errorf("set %s, at %d: %w", r.in.Set, r.state.ReadOffset, err)
	}

	return r.report, nil
}

// open finds the columns of the file and where to resume.
func (r *run) open(ctx context.Context) error {
	var err error
	if r.state, err = r.repository.state(ctx, r.in.Set); err != nil {
		return err
	}
	r.stored = r.state
	head := r.from.columns()
	var missing []string
	if r.kept == SetCensus {
		r.target, missing = newCensusTarget(r.repository, head, r.state.Read())
	} else {
		r.target, missing = newFilingTarget(r.repository, r.set, r.kept, head)
	}
	if len(missing) > 0 {
		return fmt.Errorf("the file has no column %s: is it another set?", strings.Join(missing, ", "))
	}
	sum := sha256.Sum256([]byte(strings.Join(head, ",") + r.in.AsOf.UTC().Format(time.RFC3339)))
	fingerprint := hex.EncodeToString(sum[:])
	if r.state.State == StateImporting && r.state.Fingerprint == fingerprint {
		r.report.Resumed, r.report.Broken = r.state.ReadOffset, r.state.Broken
	} else {
		asOf := r.in.AsOf.UTC()
		r.state.State, r.state.NextAsOf, r.state.Fingerprint, r.state.Broken, r.state.ReadOffset = StateImporting, &asOf, fingerprint, 0, 0
	}
	if !r.set.difference {
		r.ledger, err = r.target.ledger(ctx, nil)
	}

	return err
}

// all imports every row, then deletes what is no longer in the set. One goroutine reads while the other writes.
func (r *run) all(ctx context.Context) error {
	group, reading := errgroup.WithContext(ctx)
	parts := make(chan lines, 1)
	group.Go(func() error {
		defer close(parts)

		return r.read(reading, parts)
	})
	group.Go(func() error {
		for part := range parts {
			if err := r.write(ctx, part); err != nil { // what was read is written, even if reading fails
				return err
			}
		}

		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	if r.report.Rows == 0 && !r.set.difference {
		return errors.New("the file has no row that can be read: nothing is deleted")
	}
	if !r.set.difference {
		if err := r.deleteVanished(ctx); err != nil {
			return err
		}
	}
	if err := r.target.finish(ctx); err != nil {
		return err
	}

	return r.complete(ctx)
}

// read sends the file part by part.
func (r *run) read(ctx context.Context, parts chan<- lines) error {
	for {
		part, err := r.part(ctx)
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return err
		}
		select {
		case parts <- part:
		case <-ctx.Done():
			return ctx.Err()
		}
		if ended {
			return nil
		}
	}
}

// part reads up to batch rows; io.EOF comes with the last ones.
func (r *run) part(ctx context.Context) (lines, error) {
	part := lines{rows: make([]line, 0, batch)}
	for len(part.rows)+len(part.broken) < batch {
		at := r.from.place()
		cells, err := r.from.next(ctx)
		if err == nil {
			var row line
			if row, err = r.target.read(cells); err == nil {
				part.rows = append(part.rows, row)

				continue
			}
			if failed, ok := errors.AsType[*failedError](err); ok {
				return part, failed.err
			}
			err = &brokenRowError{text: strings.Join(cells, ","), why: err}
		}
		broken, ok := errors.AsType[*brokenRowError](err)
		if !ok {
			part.end = at

			return part, err
		}
		part.broken = append(part.broken, brokenLine{at, broken})
	}
	part.end = r.from.place()

	return part, nil
}

// write stores what changed in a part, together with how far the import has come.
func (r *run) write(ctx context.Context, part lines) error {
	for _, b := range part.broken {
		if b.at < r.report.Resumed {
			continue // reported before the interruption
		}
		r.report.Broken++
		if err := r.writeBroken(b); err != nil {
			return err
		}
	}
	r.report.Rows += int64(len(part.rows))
	r.state.ReadOffset, r.state.Broken = part.end, r.report.Broken
	if r.set.difference {
		return r.writeDifference(ctx, part)
	}
	changed := r.changed(r.ledger, part.rows)
	if r.skipped++; len(changed) == 0 && r.skipped < mostSkipped {
		return nil
	}
	r.skipped = 0
	r.report.Written += int64(len(changed))

	return r.store(ctx, func(ctx context.Context) error { return r.target.write(ctx, changed) })
}

// store writes how far the import has come, and then a part of its rows, in one transaction.
func (r *run) store(ctx context.Context, rows func(context.Context) error) error {
	err := r.repository.inTx(ctx, func(ctx context.Context) error {
		if err := r.repository.putState(ctx, r.state, r.stored); err != nil {
			return err
		}

		return rows(ctx)
	})
	if err == nil {
		r.stored = r.state
	}

	return err
}

// changed returns the rows that the table does not have as they are, the last of each key.
func (r *run) changed(l *ledger, rows []line) []line {
	var all []line
	for i := range rows {
		rows[i].fresh = l.beyond(rows[i].key)
		if known, same := l.see(rows[i].key, rows[i].digest); !same {
			rows[i].known = known
			all = append(all, rows[i])
		}
	}

	return latestOf(all, func(l line) int64 { return l.key })
}

func (r *run) writeDifference(ctx context.Context, part lines) error {
	var gone []string
	rows := slices.DeleteFunc(part.rows, func(l line) bool {
		if l.gone != "" {
			gone = append(gone, l.gone)
		}

		return l.gone != ""
	})
	var written, deleted int64
	err := r.store(ctx, func(ctx context.Context) (err error) {
		if deleted, err = r.repository.deleteDockets(ctx, r.kept, gone); err != nil {
			return err
		}
		keys := make([]int64, len(rows))
		for i := range rows {
			keys[i] = rows[i].key
		}
		slices.Sort(keys)
		known, err := r.target.ledger(ctx, slices.Compact(keys))
		if err != nil {
			return err
		}
		changed := r.changed(known, rows)
		written = int64(len(changed))

		return r.target.write(ctx, changed)
	})
	r.report.Written, r.report.Deleted = r.report.Written+written, r.report.Deleted+deleted

	return err
}

// writeBroken writes a row that cannot be read to the errors file.
func (r *run) writeBroken(b brokenLine) error {
	if r.in.Broken == nil {
		return nil
	}
	if r.broken == nil {
		var err error
		if r.broken, err = r.in.Broken(r.report.Resumed > 0); err != nil {
			return fmt.Errorf("errors file: %w", err)
		}
	}
	w := csv.NewWriter(r.broken)
	err := w.Write([]string{strconv.FormatInt(b.at, 10), b.row.Error(), Decoded(strings.TrimRight(b.row.text, "\r\n"))})
	w.Flush()
	if err := errors.Join(err, w.Error()); err != nil {
		return fmt.Errorf("errors file: %w", err)
	}

	return nil
}

// deleteVanished deletes what the table has and the file has not.
func (r *run) deleteVanished(ctx context.Context) error {
	if n := r.ledger.rows(); n < r.state.RowCount/2 && !r.in.Shrink {
		return fmt.Errorf("the file has %d rows where the set had %d: is it cut off? Nothing was deleted; --shrink imports it as it is", n, r.state.RowCount)
	}
	for gone := range slices.Chunk(r.ledger.unseen(), deleteBatch) {
		if err := r.repository.inTx(ctx, func(ctx context.Context) error { return r.target.delete(ctx, gone) }); err != nil {
			return err
		}
		r.report.Deleted += int64(len(gone))
	}

	return nil
}

// complete notes that the set is complete. A difference makes its set newer, but only one that was once read completely.
func (r *run) complete(ctx context.Context) error {
	now := r.clock.Now().UTC()
	r.state.State, r.state.AsOf, r.state.NextAsOf, r.state.ImportedAt, r.state.ReadOffset = StateComplete, r.state.NextAsOf, nil, &now, 0
	r.state.FailedAt, r.state.Why = nil, ""
	if r.set.difference {
		r.state.RowCount = r.report.Rows
	} else {
		r.state.RowCount = r.ledger.rows()
	}

	return r.store(ctx, func(ctx context.Context) error {
		if !r.set.difference {
			return nil
		}
		whole, err := r.repository.state(ctx, r.kept)
		if err != nil || !whole.Read() || !r.state.AsOf.After(*whole.AsOf) {
			return err
		}
		before := whole
		whole.AsOf = r.state.AsOf

		return r.repository.putState(ctx, whole, before)
	})
}

// latestOf returns the last row of each key, in the order of the keys: a statement writes a row once, and transactions lock in one order.
func latestOf[R any](rows []R, key func(R) int64) []R {
	latest := make(map[int64]int, len(rows))
	for i := range rows {
		latest[key(rows[i])] = i
	}
	kept := make([]R, 0, len(latest))
	for i := range rows {
		if latest[key(rows[i])] == i {
			kept = append(kept, rows[i])
		}
	}
	slices.SortFunc(kept, func(a, b R) int {
		switch x, y := key(a), key(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}

		return 0
	})

	return kept
}
