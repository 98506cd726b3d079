package regulator

import (
	"context"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// why is the reason for SQL by hand: the tables have no company.
const why = "the regulator's data belong to no company"

// repository has the tables of the regulator's data.
type repository struct {
	db       *database.DB
	carriers database.Rows
	names    database.Rows
	newNames database.Rows
	filings  database.Rows
}

const carrierColumns = `usdot, digest, legal_name, dba, physical_street, physical_city, physical_state, physical_zip, physical_country,
	mailing_street, mailing_city, mailing_state, mailing_zip, mailing_country, undeliverable, phone, cell_phone, email, officers,
	status, operation, classes, cargo, dockets, added_on, mcs150_on, safety_rating, safety_rated_on, safety_reviewed_on,
	power_units, drivers`

func newRepository(db *database.DB) *repository {
	types := []string{"bigint", "bigint"}
	for range 27 { //nolint:mnd // the texts of a carrier
		types = append(types, "text")
	}
	types = append(types, "bigint", "bigint")

	return &repository{
		db: db,
		carriers: database.NewRows("INSERT INTO carriers_regulator_carriers ("+carrierColumns+")", database.PlainValues(types...),
			"ON CONFLICT (usdot) DO UPDATE SET "+allExcluded(carrierColumns)),
		names: database.NewRows("INSERT INTO carriers_regulator_names (folded, state, usdot)", database.PlainValues("text", "text", "bigint"),
			"ON CONFLICT (folded, state, usdot) DO NOTHING"),
		newNames: database.NewRows("INSERT INTO carriers_regulator_new_names (part, folded, state, usdot)", database.PlainValues("text", "text", "text", "bigint"), ""),
		filings: database.NewRows("INSERT INTO carriers_regulator_filings (set_name, row_key, usdot, docket, digest, body)",
			database.PlainValues("text", "bigint", "bigint", "text", "bigint", "text"),
			`ON CONFLICT (set_name, row_key) DO UPDATE SET usdot = excluded.usdot, docket = excluded.docket, digest = excluded.digest, body = excluded.body`),
	}
}

// written is a row that an import knows already: its key and its digest.
type written struct{ RowKey, Digest int64 }

// carrierDigests returns what is kept of carriers, by their numbers.
func (r *repository) carrierDigests(ctx context.Context, usdots []int64) (map[int64]int64, error) {
	return r.digests(r.db.Raw(ctx, why).Raw("SELECT usdot AS row_key, digest FROM carriers_regulator_carriers WHERE usdot IN ?", usdots))
}

func (r *repository) filingDigests(ctx context.Context, set string, keys []int64) (map[int64]int64, error) {
	return r.digests(r.db.Raw(ctx, why).Raw("SELECT row_key, digest FROM carriers_regulator_filings WHERE set_name = ? AND row_key IN ?", set, keys))
}

func (*repository) digests(found *gorm.DB) (map[int64]int64, error) {
	var rows []written
	if err := found.Scan(&rows).Error; err != nil {
		return nil, database.Translate(err)
	}
	known := make(map[int64]int64, len(rows))
	for _, w := range rows {
		known[w.RowKey] = w.Digest
	}

	return known, nil
}

// putCarriers writes carriers and what they are found by, in the transaction in ctx. Replaced are those that are there already. With first,
// no name is in the index yet, and they wait for sortNames.
func (r *repository) putCarriers(ctx context.Context, all []carrier, replaced []int64, first bool) error {
	if len(replaced) > 0 {
		if err := r.deleteNames(ctx, replaced, first); err != nil {
			return err
		}
	}
	rows, names := make([][]any, 0, len(all)), make([][]any, 0, 8*len(all)) //nolint:mnd // a carrier has about eight
	for i := range all {
		c := &all[i]
		values := []any{c.USDOT, c.Digest}
		for _, t := range c.texts() {
			values = append(values, t)
		}
		rows = append(rows, append(values, null(c.PowerUnits), null(c.Drivers)))
		for _, e := range c.entries() {
			if first {
				names = append(names, []any{partOf(e), e, c.PhysicalState, c.USDOT})
			} else {
				names = append(names, []any{e, c.PhysicalState, c.USDOT})
			}
		}
	}
	if err := r.db.PipelineRows(ctx, why, r.carriers, rows, nil); err != nil {
		return err
	}

	if first {
		return r.db.PipelineRows(ctx, why, r.newNames, names, nil)
	}

	return r.db.PipelineRows(ctx, why, r.names, names, nil)
}

// noNames reports whether nothing can be found yet.
func (r *repository) noNames(ctx context.Context) (bool, error) {
	var one []int
	err := r.db.Raw(ctx, why).Raw("SELECT 1 FROM carriers_regulator_names LIMIT 1").Scan(&one).Error
	if err == nil && len(one) > 0 { // unless sortNames was interrupted
		err = r.sortNames(ctx)
	}

	return len(one) == 0, database.Translate(err)
}

// partOf is which part of the index an entry belongs to: what it begins with. There are some hundred parts.
func partOf(entry string) string {
	n := 1
	switch entry[:1] {
	case phoneMark:
		n = len(phoneMark + "+12")
	case emailMark, addressMark:
		n = len(emailMark) + n
	}

	return strings.ToValidUTF8(entry[:min(len(entry), n)], "")
}

// sortNames puts the names of a first import into the index, in its order, each part in a transaction: neither takes it memory for
// all of them, nor does anybody wait long who writes. It may be called again after an interruption.
func (r *repository) sortNames(ctx context.Context) error {
	for after := ""; ; {
		var part []string
		err := r.db.Raw(ctx, why).Raw("SELECT part FROM carriers_regulator_new_names WHERE part > ? ORDER BY part LIMIT 1", after).Scan(&part).Error
		if err != nil {
			return database.Translate(err)
		}
		if len(part) == 0 {
			break
		}
		after = part[0]
		err = r.db.InTx(ctx, func(ctx context.Context) error {
			return r.db.Pipeline(ctx, why, `INSERT INTO carriers_regulator_names (folded, state, usdot)
				SELECT DISTINCT folded, state, usdot FROM carriers_regulator_new_names WHERE part = ? ORDER BY folded, state, usdot
				ON CONFLICT (folded, state, usdot) DO NOTHING`, []any{after}, nil)
		})
		if err != nil {
			return err
		}
	}
	// All at once: row by row takes as long as the sorting.
	empty := "DELETE FROM carriers_regulator_new_names"
	if r.db.Dialect() == database.Postgres {
		empty = "TRUNCATE carriers_regulator_new_names"
	}

	return r.db.InTx(ctx, func(ctx context.Context) error { return r.db.Pipeline(ctx, why, empty, nil, nil) })
}

// deleteNames deletes what carriers are found by. There is no index by number, so that the entries are made of the rows again.
func (r *repository) deleteNames(ctx context.Context, usdots []int64, first bool) error {
	if first {
		return database.Translate(r.db.Raw(ctx, why).Exec("DELETE FROM carriers_regulator_new_names WHERE usdot IN ?", usdots).Error)
	}
	old, err := r.carriersOf(ctx, usdots)
	if err != nil {
		return err
	}
	var keys [][]any
	for i := range old {
		for _, e := range old[i].entries() {
			keys = append(keys, []any{e, old[i].PhysicalState, old[i].USDOT})
		}
	}
	const together = 300 // values in a statement of SQLite
	for len(keys) > 0 {
		n := min(len(keys), together)
		if err := r.db.Raw(ctx, why).Exec("DELETE FROM carriers_regulator_names WHERE (folded, state, usdot) IN ?", keys[:n]).Error; err != nil {
			return database.Translate(err)
		}
		keys = keys[n:]
	}

	return nil
}

func (r *repository) deleteCarriers(ctx context.Context, usdots []int64) error {
	if err := r.deleteNames(ctx, usdots, false); err != nil {
		return err
	}

	return database.Translate(r.db.Raw(ctx, why).Exec("DELETE FROM carriers_regulator_carriers WHERE usdot IN ?", usdots).Error)
}

// carriersOf returns rows of the census.
func (r *repository) carriersOf(ctx context.Context, usdots []int64) ([]carrier, error) {
	return database.All[carrier](r.db.Conn(ctx).Where("usdot IN ?", usdots).Order("usdot"))
}

// putFilings writes rows of a set in the transaction in ctx.
func (r *repository) putFilings(ctx context.Context, all []filingRow) error {
	rows := make([][]any, len(all))
	for i, f := range all {
		rows[i] = []any{f.SetName, f.RowKey, f.USDOT, f.Docket, f.Digest, f.Body}
	}

	return r.db.PipelineRows(ctx, why, r.filings, rows, nil)
}

func (r *repository) deleteFilings(ctx context.Context, set string, keys []int64) error {
	return database.Translate(r.db.Raw(ctx, why).Exec("DELETE FROM carriers_regulator_filings WHERE set_name = ? AND row_key IN ?", set, keys).Error)
}

// deleteDockets deletes all rows of dockets in a set, and returns how many there were.
func (r *repository) deleteDockets(ctx context.Context, set string, dockets []string) (int64, error) {
	done := r.db.Raw(ctx, why).Exec("DELETE FROM carriers_regulator_filings WHERE set_name = ? AND docket IN ?", set, dockets)

	return done.RowsAffected, database.Translate(done.Error)
}

// keysAfter returns up to limit keys of a set in their order, behind one; first says that there is none before.
func (r *repository) keysAfter(ctx context.Context, set string, after int64, first bool, limit int) ([]int64, error) {
	var keys []int64
	query, args := "SELECT row_key FROM carriers_regulator_filings WHERE set_name = ?", []any{set}
	if set == SetCensus {
		query, args = "SELECT usdot FROM carriers_regulator_carriers WHERE usdot > ?", []any{after}
	} else if !first {
		query, args = query+" AND row_key > ?", append(args, after)
	}
	err := r.db.Raw(ctx, why).Raw(query+" ORDER BY 1 LIMIT ?", append(args, limit)...).Scan(&keys).Error

	return keys, database.Translate(err)
}

// rowsOf returns the rows of a number in all sets but the census, by set.
func (r *repository) rowsOf(ctx context.Context, usdot int64) ([]filingRow, error) {
	return database.All[filingRow](r.db.Conn(ctx).Where("usdot = ?", usdot).Order("set_name, row_key"))
}

// usdotOf returns whose a docket is, 0 if it is unknown. The sets are newer than the census.
func (r *repository) usdotOf(ctx context.Context, docket, entry string) (int64, error) {
	var usdots []int64
	err := r.db.Raw(ctx, why).Raw("SELECT usdot FROM carriers_regulator_filings WHERE docket = ? AND usdot > 0 ORDER BY set_name, usdot LIMIT 1", docket).Scan(&usdots).Error
	if err == nil && len(usdots) == 0 {
		err = r.db.Raw(ctx, why).Raw("SELECT usdot FROM carriers_regulator_names WHERE folded = ? ORDER BY state, usdot LIMIT 1", entry).Scan(&usdots).Error
	}
	if err != nil || len(usdots) == 0 {
		return 0, database.Translate(err)
	}

	return usdots[0], nil
}

// found is a carrier that a search has found.
type found struct {
	USDOT                       int64 `gorm:"column:usdot"`
	LegalName, DBA              string
	PhysicalCity, PhysicalState string
	Dockets, Status, Cargo      string
}

const foundColumns = "c.usdot, c.legal_name, c.dba, c.physical_city, c.physical_state, c.dockets, c.status, c.cargo"

// lookupQuery walks the index from the first entry that begins with a text, in order, and stops when there are enough.
func lookupQuery(state bool) string {
	and := ""
	if state {
		and = " AND state = ?"
	}

	return "SELECT " + foundColumns + ` FROM (
		SELECT folded, usdot FROM carriers_regulator_names WHERE folded >= ? AND folded < ?` + and + ` ORDER BY folded, state, usdot LIMIT ?
	) n JOIN carriers_regulator_carriers c ON c.usdot = n.usdot ORDER BY n.folded, n.usdot`
}

// last sorts behind all that begins with the same text.
const last = "\U0010ffff"

func (r *repository) lookup(ctx context.Context, begin, state string, limit int) ([]found, error) {
	args := []any{begin, begin + last}
	if state != "" {
		args = append(args, state)
	}
	var rows []found
	err := r.db.Raw(ctx, why).Raw(lookupQuery(state != ""), append(args, limit)...).Scan(&rows).Error

	return rows, database.Translate(err)
}

// lookupNumbers returns carriers whose numbers are in one of the ranges.
func (r *repository) lookupNumbers(ctx context.Context, from, to []int64, state string, limit int) ([]found, error) {
	var all []found
	for i := range from {
		query, args := "SELECT "+foundColumns+" FROM carriers_regulator_carriers c WHERE c.usdot BETWEEN ? AND ?", []any{from[i], to[i]}
		if state != "" {
			query, args = query+" AND c.physical_state = ?", append(args, state)
		}
		var rows []found
		if err := r.db.Raw(ctx, why).Raw(query+" ORDER BY c.usdot LIMIT ?", append(args, limit-len(all))...).Scan(&rows).Error; err != nil {
			return nil, database.Translate(err)
		}
		if all = append(all, rows...); len(all) >= limit {
			break
		}
	}

	return all, nil
}

// mostShared is up to how many carriers with the same phone are counted.
const mostShared = 1000

// shared counts the carriers that have an entry.
func (r *repository) shared(ctx context.Context, entry string) (int, error) {
	if entry == "" {
		return 0, nil
	}
	var n int
	err := r.db.Raw(ctx, why).Raw("SELECT count(*) FROM (SELECT 1 FROM carriers_regulator_names WHERE folded = ? LIMIT ?) x", entry, mostShared).Scan(&n).Error

	return n, database.Translate(err)
}

// states returns what has been imported.
func (r *repository) states(ctx context.Context) ([]setRow, error) {
	return database.All[setRow](r.db.Conn(ctx).Order("set_name"))
}

// state returns what has been imported of a set; the zero row for a set that was never imported.
func (r *repository) state(ctx context.Context, name string) (setRow, error) {
	rows, err := database.All[setRow](r.db.Conn(ctx).Where("set_name = ?", name))
	if err != nil || len(rows) == 0 {
		return setRow{SetName: name, State: setNever}, err
	}

	return rows[0], nil
}

// putState writes what has been imported of a set, in the transaction in ctx.
func (r *repository) putState(ctx context.Context, s setRow) error {
	return r.db.Pipeline(ctx, why, `INSERT INTO carriers_regulator_sets (set_name, state, as_of, next_as_of, imported_at, row_count, broken, read_offset, fingerprint)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (set_name) DO UPDATE SET `+
		allExcluded("state, as_of, next_as_of, imported_at, row_count, broken, read_offset, fingerprint"),
		[]any{s.SetName, s.State, moment(s.AsOf), moment(s.NextAsOf), moment(s.ImportedAt), s.RowCount, s.Broken, s.ReadOffset, s.Fingerprint}, nil)
}

// answer returns the last answer of a live source about a number; nil if it was never asked.
func (r *repository) answer(ctx context.Context, usdot int64, source string) (*answerRow, error) {
	rows, err := database.All[answerRow](r.db.Conn(ctx).Where("usdot = ? AND source = ?", usdot, source))
	if err != nil || len(rows) == 0 {
		return nil, err
	}

	return &rows[0], nil
}

func (r *repository) putAnswer(ctx context.Context, a answerRow) error {
	return r.db.Pipeline(ctx, why, `INSERT INTO carriers_regulator_answers (usdot, source, outcome, body, fetched_at, failed_at, why)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (usdot, source) DO UPDATE SET `+allExcluded("outcome, body, fetched_at, failed_at, why"),
		[]any{a.USDOT, a.Source, a.Outcome, a.Body, moment(a.FetchedAt), moment(a.FailedAt), a.Why}, nil)
}

// lastAnswers returns when a live source last answered and last failed, and why it failed.
func (r *repository) lastAnswers(ctx context.Context, source string) (answered, failed *time.Time, reason string, err error) {
	rows, err := database.All[answerRow](r.db.Conn(ctx).Where("source = ? AND fetched_at IS NOT NULL", source).Order("fetched_at DESC").Limit(1))
	if err != nil {
		return nil, nil, "", err
	}
	if len(rows) > 0 {
		answered = rows[0].FetchedAt
	}
	rows, err = database.All[answerRow](r.db.Conn(ctx).Where("source = ? AND failed_at IS NOT NULL", source).Order("failed_at DESC").Limit(1))
	if err == nil && len(rows) > 0 {
		failed, reason = rows[0].FailedAt, rows[0].Why
	}

	return answered, failed, reason, err
}

// snapshots returns those of a number, the newest first.
func (r *repository) snapshots(ctx context.Context, usdot int64, limit int) ([]snapshotRow, error) {
	return database.All[snapshotRow](r.db.Conn(ctx).Where("usdot = ?", usdot).Order("number DESC").Limit(limit))
}

// addSnapshot reports whether the snapshot was stored: another one may have its number by now.
func (r *repository) addSnapshot(ctx context.Context, s *snapshotRow) (bool, error) {
	done := r.db.Conn(ctx).Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "usdot"}, {Name: "number"}}, DoNothing: true}).Create(s)

	return done.RowsAffected > 0, database.Translate(done.Error)
}

// replaceRows writes the rows that a number has in a set, in the place of those it had.
func (r *repository) replaceRows(ctx context.Context, set string, usdot int64, rows []filingRow) error {
	err := r.db.Raw(ctx, why).Exec("DELETE FROM carriers_regulator_filings WHERE set_name = ? AND usdot = ?", set, usdot).Error
	if err != nil {
		return database.Translate(err)
	}

	return r.putFilings(ctx, rows)
}
