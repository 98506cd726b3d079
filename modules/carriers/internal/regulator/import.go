package regulator

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// batch is how many rows of a file are written in one transaction.
const batch = 1000

// Import is a file to be imported.
type Import struct {
	// Set is one of SetNames.
	Set  string
	From io.Reader
	// AsOf is of when the set is.
	AsOf time.Time
	// Broken opens what gets the rows that cannot be read, as CSV: where they begin, why, and their text. It is called at the first
	// of them; resumed says that rows before it have been written already. Nil drops them.
	Broken func(resumed bool) (io.WriteCloser, error)
	// Shrink allows a set to lose more than half of its rows.
	Shrink bool
}

// Report is what an import did.
type Report struct {
	// Rows are those of the file that could be read, Written those that were new or other than before.
	Rows, Written, Deleted, Broken int64
	// Resumed is at which byte the import went on, 0 if it was not interrupted before.
	Resumed int64
}

// Importer fills the tables. Imports of one set do not run at the same time.
type Importer struct {
	repository *repository
	clock      clock.Clock
}

// NewImporter returns an importer; it does no I/O.
func NewImporter(db *database.DB, clk clock.Clock) *Importer {
	return &Importer{repository: newRepository(db), clock: clk}
}

// reading turns rows of a file into rows of a table.
type reading interface {
	// read takes a row, or says why it cannot.
	read(cells []string) error
	// key is of the row that was read last; false if it leaves nothing to be kept.
	key() (int64, bool)
	// write writes what was read since the last call, in a transaction, and returns how many rows that changed.
	write(ctx context.Context) (written, deleted int64, err error)
	pending() int
	// forget drops what was read since the last call.
	forget()
}

// run is one import.
type run struct {
	*Importer

	in     Import
	kept   string
	set    set
	table  *table
	rows   reading
	state  setRow
	broken io.WriteCloser
	report Report
	// seen are the keys of the file: 8 bytes a row, so that what is not among them can be deleted at the end.
	seen []int64
}

// Import reads a file to its end. What it has written stays if it fails, and the next call goes on behind it, given the same file from its
// beginning.
func (m *Importer) Import(ctx context.Context, in Import) (Report, error) {
	s, kept, ok := setOf(in.Set)
	if !ok {
		return Report{}, fmt.Errorf("set %q: want one of %s", in.Set, strings.Join(SetNames(), ", "))
	}
	r := &run{Importer: m, in: in, set: s, kept: kept}
	if err := r.open(ctx); err != nil {
		return r.report, fmt.Errorf("set %s: %w", in.Set, err)
	}
	err := r.all(ctx)
	if r.broken != nil {
		err = errors.Join(err, r.broken.Close())
	}
	if err != nil {
		return r.report, fmt.Errorf("set %s, byte %d: %w", in.Set, r.table.offset, err)
	}

	return r.report, nil
}

// open reads the head of the file, and finds out where to go on.
func (r *run) open(ctx context.Context) error {
	t, err := openTable(r.in.From)
	if err != nil {
		return err
	}
	var missing []string
	if r.kept == SetCensus {
		var f *censusFile
		f, missing = newCensusFile(t.head)
		r.rows = &censusReading{repository: r.repository, file: f}
	} else {
		var x indexes
		x, missing = r.set.indexes(t.head)
		r.rows = &setReading{repository: r.repository, set: r.set, name: r.kept, at: x}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the file has no column %s: is it another set?", strings.Join(missing, ", "))
	}
	r.table = t
	if r.state, err = r.repository.state(ctx, r.in.Set); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(strings.Join(t.head, ",") + r.in.AsOf.UTC().Format(time.RFC3339)))
	fingerprint := hex.EncodeToString(sum[:])
	if r.state.State == setImporting && r.state.Fingerprint == fingerprint {
		r.report.Resumed, r.report.Broken = r.state.ReadOffset, r.state.Broken

		return nil
	}
	asOf := r.in.AsOf.UTC()
	r.state = setRow{
		SetName: r.in.Set, State: setImporting, AsOf: r.state.AsOf, NextAsOf: &asOf, ImportedAt: r.state.ImportedAt,
		RowCount: r.state.RowCount, Fingerprint: fingerprint,
	}

	return nil
}

// all imports every row, then deletes what is no longer in the set.
func (r *run) all(ctx context.Context) error {
	for {
		err := r.one()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if r.rows.pending() >= batch {
			if err := r.commit(ctx); err != nil {
				return err
			}
		}
	}
	if err := r.commit(ctx); err != nil {
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

	return r.complete(ctx)
}

// one reads a row. What was imported before the interruption is only noted.
func (r *run) one() error {
	at := r.table.offset
	again := at < r.report.Resumed
	cells, err := r.table.next()
	if err == nil {
		if err = r.rows.read(cells); err != nil {
			err = &brokenRow{text: strings.Join(cells, ","), why: err}
		}
	}
	if broken, ok := errors.AsType[*brokenRow](err); ok {
		if again {
			return nil
		}
		r.report.Broken++

		return r.writeBroken(at, broken)
	}
	if err != nil {
		return err
	}
	r.report.Rows++
	if key, ok := r.rows.key(); ok && !r.set.difference {
		r.seen = append(r.seen, key)
	}
	if again {
		r.rows.forget()
	}

	return nil
}

// writeBroken writes a row that cannot be read to the errors file.
func (r *run) writeBroken(at int64, b *brokenRow) error {
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
	reason := b.why.Error()
	if failure, ok := errors.AsType[*errs.Error](b.why); ok {
		reason = failure.Message
	}
	err := w.Write([]string{strconv.FormatInt(at, 10), reason, decoded(strings.TrimRight(b.text, "\r\n"))})
	w.Flush()
	if err := errors.Join(err, w.Error()); err != nil {
		return fmt.Errorf("errors file: %w", err)
	}

	return nil
}

// commit writes a batch together with how far the import has come.
func (r *run) commit(ctx context.Context) error {
	var written, deleted int64
	r.state.ReadOffset, r.state.Broken = r.table.offset, r.report.Broken
	err := r.repository.db.InTx(ctx, func(ctx context.Context) (err error) {
		if written, deleted, err = r.rows.write(ctx); err != nil {
			return err
		}

		return r.repository.putState(ctx, r.state)
	})
	if err != nil {
		return err
	}
	r.report.Written += written
	r.report.Deleted += deleted
	r.rows.forget()

	return nil
}

// deleteVanished walks the keys of the table and of the file side by side.
func (r *run) deleteVanished(ctx context.Context) error {
	slices.Sort(r.seen)
	r.seen = slices.Compact(r.seen)
	if n := int64(len(r.seen)); n < r.state.RowCount/2 && !r.in.Shrink {
		return fmt.Errorf("the file has %d rows where the set had %d: is it cut off? Nothing was deleted; --shrink imports it as it is", n, r.state.RowCount)
	}
	for after, first, i := int64(0), true, 0; ; first = false {
		keys, err := r.repository.keysAfter(ctx, r.kept, after, first, batch)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			return nil
		}
		after = keys[len(keys)-1]
		gone := keys[:0]
		for _, key := range keys {
			for i < len(r.seen) && r.seen[i] < key {
				i++
			}
			if i == len(r.seen) || r.seen[i] != key {
				gone = append(gone, key)
			}
		}
		if err := r.delete(ctx, gone); err != nil {
			return err
		}
	}
}

func (r *run) delete(ctx context.Context, keys []int64) error {
	if len(keys) == 0 {
		return nil
	}
	r.report.Deleted += int64(len(keys))

	return r.repository.db.InTx(ctx, func(ctx context.Context) error {
		if r.kept == SetCensus {
			return r.repository.deleteCarriers(ctx, keys)
		}

		return r.repository.deleteFilings(ctx, r.kept, keys)
	})
}

// complete notes that the set is whole. A difference makes its set newer, but only one that was once read whole.
func (r *run) complete(ctx context.Context) error {
	now := r.clock.Now().UTC()
	r.state.State, r.state.AsOf, r.state.NextAsOf, r.state.ImportedAt, r.state.ReadOffset = setComplete, r.state.NextAsOf, nil, &now, 0
	r.state.RowCount = int64(len(r.seen))
	if r.set.difference {
		r.state.RowCount = r.report.Rows
	}

	return r.repository.db.InTx(ctx, func(ctx context.Context) error {
		if err := r.repository.putState(ctx, r.state); err != nil || !r.set.difference {
			return err
		}
		whole, err := r.repository.state(ctx, r.kept)
		if err != nil || !whole.read() || !r.state.AsOf.After(*whole.AsOf) {
			return err
		}
		whole.AsOf = r.state.AsOf

		return r.repository.putState(ctx, whole)
	})
}

// censusReading reads the census.
type censusReading struct {
	repository *repository
	file       *censusFile
	rows       []carrier
}

func (c *censusReading) read(cells []string) error {
	row, err := c.file.carrier(cells)
	if err == nil {
		c.rows = append(c.rows, row)
	}

	return err
}

func (c *censusReading) key() (int64, bool) { return c.rows[len(c.rows)-1].USDOT, true }
func (c *censusReading) forget()            { c.rows = c.rows[:0] }
func (c *censusReading) pending() int       { return len(c.rows) }

func (c *censusReading) write(ctx context.Context) (written, deleted int64, err error) {
	if len(c.rows) == 0 {
		return 0, 0, nil
	}
	latest := latestOf(c.rows, func(r carrier) int64 { return r.USDOT })
	usdots := make([]int64, len(latest))
	for i := range latest {
		usdots[i] = latest[i].USDOT
	}
	known, err := c.repository.carrierDigests(ctx, usdots)
	if err != nil {
		return 0, 0, err
	}
	var replaced []int64
	changed := make([]carrier, 0, len(latest))
	for i := range latest {
		digest, ok := known[latest[i].USDOT]
		if ok && digest == latest[i].Digest {
			continue
		}
		if ok {
			replaced = append(replaced, latest[i].USDOT)
		}
		changed = append(changed, latest[i])
	}
	if err := c.repository.putCarriers(ctx, changed, replaced); err != nil {
		return 0, 0, err
	}

	return int64(len(changed)), 0, nil
}

// setReading reads any other set.
type setReading struct {
	repository *repository
	set        set
	name       string
	at         indexes
	rows       []filingRow
	// gone are dockets of which a difference says that they are no longer in the set.
	gone []string
	tomb bool
}

var errNoNumber = errors.New("the row has neither a USDOT number nor a docket")

func (s *setReading) read(cells []string) error {
	text := func(at int) string {
		if at < 0 {
			return ""
		}

		return spaced(cells[at])
	}
	f := filingRow{SetName: s.name, Docket: docketOf(text(s.at.docket))}
	number := text(s.at.usdot)
	kept, blank := make(row, len(s.at.kept)), true
	for i, at := range s.at.kept {
		if v := text(at); v != "" {
			kept[s.set.columns[i][0]], blank = v, false
		}
	}
	if s.tomb = s.set.difference && blank && f.Docket != ""; s.tomb {
		s.gone = append(s.gone, f.Docket)

		return nil
	}
	if strings.Trim(number, "0") != "" {
		u, err := carriersapi.ParseUSDOT(number)
		if err != nil {
			return err
		}
		f.USDOT = u.Number
	}
	if f.USDOT == 0 {
		return errNoNumber
	}
	body, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	f.Body, f.RowKey = string(body), s.rowKey(f, kept)
	f.Digest = hashed(number, f.Docket, f.Body)
	s.rows = append(s.rows, f)

	return nil
}

// rowKey is of what tells the row apart from the others of its set.
func (s *setReading) rowKey(f filingRow, kept row) int64 {
	parts := []string{fmt.Sprint(f.USDOT), f.Docket}
	if len(s.set.keys) == 0 {
		return hashed(append(parts, f.Body)...)
	}
	for _, k := range s.set.keys {
		parts = append(parts, kept[k])
	}

	return hashed(parts...)
}

// docketOf returns a docket as it is kept: sets pad it, or not. One that cannot be read stays as it is.
func docketOf(text string) string {
	if text == "" {
		return ""
	}
	d, err := carriersapi.ParseDocket(text)
	if err != nil {
		return text
	}

	return d.String()
}

func (s *setReading) key() (int64, bool) {
	if s.tomb {
		return 0, false
	}

	return s.rows[len(s.rows)-1].RowKey, true
}

func (s *setReading) forget()      { s.rows, s.gone = s.rows[:0], s.gone[:0] }
func (s *setReading) pending() int { return len(s.rows) + len(s.gone) }

func (s *setReading) write(ctx context.Context) (written, deleted int64, err error) {
	if len(s.gone) > 0 {
		if deleted, err = s.repository.deleteDockets(ctx, s.name, s.gone); err != nil {
			return 0, 0, err
		}
	}
	if len(s.rows) == 0 {
		return 0, deleted, nil
	}
	latest := latestOf(s.rows, func(f filingRow) int64 { return f.RowKey })
	keys := make([]int64, len(latest))
	for i := range latest {
		keys[i] = latest[i].RowKey
	}
	known, err := s.repository.filingDigests(ctx, s.name, keys)
	if err != nil {
		return 0, 0, err
	}
	latest = slices.DeleteFunc(latest, func(f filingRow) bool {
		digest, ok := known[f.RowKey]

		return ok && digest == f.Digest
	})

	return int64(len(latest)), deleted, s.repository.putFilings(ctx, latest)
}

// latestOf returns the last row of each key, in the order of the keys: a statement writes a row once.
func latestOf[R any](rows []R, key func(R) int64) []R {
	latest := make(map[int64]R, len(rows))
	keys := make([]int64, 0, len(rows))
	for _, r := range rows {
		k := key(r)
		if _, ok := latest[k]; !ok {
			keys = append(keys, k)
		}
		latest[k] = r
	}
	slices.Sort(keys)
	sorted := make([]R, len(keys))
	for i, k := range keys {
		sorted[i] = latest[k]
	}

	return sorted
}
