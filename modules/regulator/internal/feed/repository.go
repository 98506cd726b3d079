package feed

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
)

// why is the reason for SQL by hand: the tables have no company.
const why = "the regulator's data belong to no company"

// Repository reads the state of the sets and writes all tables of the regulator's files.
type Repository struct {
	db       *database.DB
	carriers database.Rows
	// newCarriers are those that the table does not have.
	newCarriers database.Rows
	filings     database.Rows
	names       database.Rows
	// sortedNames are those of a new index.
	sortedNames database.Rows
	shared      database.Rows
}

// NewRepository returns the repository of a database; it does no I/O.
func NewRepository(db *database.DB) *Repository {
	return &Repository{
		db: db,
		carriers: database.NewRows("INSERT INTO carriers_regulator_carriers (usdot, digest, state, body)",
			database.PlainValues("bigint", "bigint", "text", "text"),
			"ON CONFLICT (usdot) DO UPDATE SET digest = excluded.digest, state = excluded.state, body = excluded.body"),
		newCarriers: database.NewCopiedRows("carriers_regulator_carriers", "usdot", "digest", "state", "body"),
		filings: database.NewRows("INSERT INTO carriers_regulator_filings (set_name, row_key, usdot, docket, digest, body)",
			database.PlainValues("text", "bigint", "bigint", "text", "bigint", "text"),
			"ON CONFLICT (set_name, row_key) DO UPDATE SET usdot = excluded.usdot, docket = excluded.docket, digest = excluded.digest, body = excluded.body"),
		names: database.NewRows("INSERT INTO carriers_regulator_names (folded, state, usdot)", database.PlainValues("text", "text", "bigint"),
			"ON CONFLICT (folded, state, usdot) DO NOTHING"),
		sortedNames: database.NewCopiedRows("carriers_regulator_names", "folded", "state", "usdot"),
		shared: database.NewRows("INSERT INTO carriers_regulator_shared (contact, carriers)", database.PlainValues("bigint", "bigint"),
			"ON CONFLICT (contact) DO UPDATE SET carriers = excluded.carriers"),
	}
}

// inTx runs a function in a transaction.
func (r *Repository) inTx(ctx context.Context, fn func(context.Context) error) error {
	return r.db.InTx(ctx, fn)
}

// States returns what has been imported.
func (r *Repository) States(ctx context.Context) ([]State, error) {
	return database.All[State](r.db.Conn(ctx).Order("set_name"))
}

// state returns what has been imported of a set; the zero row for a set that was never imported.
func (r *Repository) state(ctx context.Context, name string) (State, error) {
	rows, err := database.All[State](r.db.Conn(ctx).Where("set_name = ?", name))
	if err != nil || len(rows) == 0 {
		return State{SetName: name, State: StateNever}, err
	}

	return rows[0], nil
}

// putState writes what has been imported of a set, in the transaction in ctx. Before is the state that was read: a set that somebody else has
// imported since is left as it is, and so is one that somebody else imports now, once they are done.
func (r *Repository) putState(ctx context.Context, s, before State) error {
	done := r.db.Raw(ctx, why).Exec(`INSERT INTO carriers_regulator_sets AS kept
			(set_name, state, as_of, next_as_of, imported_at, row_count, broken, read_offset, fingerprint, failed_at, why)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (set_name) DO UPDATE SET state = excluded.state, as_of = excluded.as_of,
			next_as_of = excluded.next_as_of, imported_at = excluded.imported_at, row_count = excluded.row_count, broken = excluded.broken,
			read_offset = excluded.read_offset, fingerprint = excluded.fingerprint, failed_at = excluded.failed_at, why = excluded.why
		WHERE kept.state = ? AND kept.fingerprint = ? AND kept.read_offset = ?`,
		s.SetName, s.State, orNull(s.AsOf), orNull(s.NextAsOf), orNull(s.ImportedAt), s.RowCount, s.Broken, s.ReadOffset, s.Fingerprint, orNull(s.FailedAt), s.Why,
		before.State, before.Fingerprint, before.ReadOffset)
	if done.Error != nil {
		return database.Translate(done.Error)
	}
	if done.RowsAffected == 0 {
		return errImporting
	}

	return nil
}

// errImporting is for an import that another one has come before.
var errImporting = errors.New("the set is being imported by another process: wait until it is complete, and see dispatchd carriers regulator status")

// orNull is a value of SQL, NULL for nil.
func orNull[V any](value *V) any {
	if value == nil {
		return nil
	}

	return *value
}

// ledgerOf reads pairs of keys and digests in the order of the keys.
func (*Repository) ledgerOf(query *gorm.DB) (_ *ledger, err error) {
	rows, err := query.Rows()
	if err != nil {
		return nil, database.Translate(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	l := &ledger{}
	for rows.Next() {
		var key, digest int64
		if err := rows.Scan(&key, &digest); err != nil {
			return nil, database.Translate(err)
		}
		l.load(key, digest)
	}

	return l, database.Translate(rows.Err())
}

func (r *Repository) carrierLedger(ctx context.Context) (*ledger, error) {
	return r.ledgerOf(r.db.Raw(ctx, why).Raw("SELECT usdot, digest FROM carriers_regulator_carriers ORDER BY usdot"))
}

func (r *Repository) sharedLedger(ctx context.Context) (*ledger, error) {
	return r.ledgerOf(r.db.Raw(ctx, why).Raw("SELECT contact, carriers FROM carriers_regulator_shared ORDER BY contact"))
}

func (r *Repository) filingLedger(ctx context.Context, set string) (*ledger, error) {
	return r.ledgerOf(r.db.Raw(ctx, why).Raw("SELECT row_key, digest FROM carriers_regulator_filings WHERE set_name = ? ORDER BY row_key", set))
}

// someFilings is filingLedger of some keys.
func (r *Repository) someFilings(ctx context.Context, set string, keys []int64) (*ledger, error) {
	all := &ledger{}
	for some := range slices.Chunk(keys, together) {
		l, err := r.ledgerOf(r.db.Raw(ctx, why).
			Raw("SELECT row_key, digest FROM carriers_regulator_filings WHERE set_name = ? AND row_key IN ? ORDER BY row_key", set, some))
		if err != nil {
			return nil, err
		}
		all.keys, all.digests = append(all.keys, l.keys...), append(all.digests, l.digests...)
	}

	return all, nil
}

// together is how many values of a list there are in a statement.
const together = 900

// carrierChange is a carrier to be written.
type carrierChange struct {
	carrier Carrier
	digest  int64
	body    string
	// known says that the table has the carrier, in another version.
	known bool
	// fresh says that the table certainly does not have the carrier.
	fresh bool
}

// putCarriers writes carriers, each once, in the transaction in ctx. With indexed, the index of names is kept up.
func (r *Repository) putCarriers(ctx context.Context, all []carrierChange, indexed bool) error {
	if indexed {
		if err := r.changeNames(ctx, all); err != nil {
			return err
		}
	}
	into, rows := r.newCarriers, make([][]any, len(all))
	for i := range all {
		c := &all[i]
		rows[i] = []any{c.carrier.USDOT, c.digest, c.carrier.PhysicalState, c.body}
		if !c.fresh {
			into = r.carriers
		}
	}

	return r.db.PipelineRows(ctx, why, into, rows, nil)
}

// changeNames writes the entries that carriers did not have, and deletes those that they no longer have.
func (r *Repository) changeNames(ctx context.Context, all []carrierChange) error {
	var known []int64
	had, has := map[entry]bool{}, map[entry]bool{}
	for i := range all {
		c := &all[i]
		if c.known {
			known = append(known, c.carrier.USDOT)
		}
		for _, text := range c.carrier.Entries() {
			has[entry{text, c.carrier.PhysicalState, c.carrier.USDOT}] = true
		}
	}
	old, err := r.Carriers(ctx, known)
	if err != nil {
		return err
	}
	for i := range old {
		for _, text := range old[i].Entries() {
			had[entry{text, old[i].PhysicalState, old[i].USDOT}] = true
		}
	}
	var rows, gone [][]any
	for e := range has {
		if !had[e] {
			rows = append(rows, []any{e.folded, e.state, e.usdot})
		}
	}
	for e := range had {
		if !has[e] {
			gone = append(gone, []any{e.folded, e.state, e.usdot})
		}
	}
	if err := r.deleteNames(ctx, gone); err != nil {
		return err
	}
	slices.SortFunc(rows, compareEntries)

	return r.db.PipelineRows(ctx, why, r.names, rows, nil)
}

// compareEntries orders rows of the index by their texts, so that transactions lock them in one order.
func compareEntries(a, b []any) int {
	first, _ := a[0].(string)
	second, _ := b[0].(string)

	return strings.Compare(first, second)
}

func (r *Repository) deleteNames(ctx context.Context, keys [][]any) error {
	const values = 3
	for some := range slices.Chunk(keys, together/values) {
		if err := r.db.Raw(ctx, why).Exec("DELETE FROM carriers_regulator_names WHERE (folded, state, usdot) IN ?", some).Error; err != nil {
			return database.Translate(err)
		}
	}

	return nil
}

// Carriers returns carriers by their numbers, in their order.
func (r *Repository) Carriers(ctx context.Context, usdots []int64) ([]Carrier, error) {
	var all []Carrier
	for some := range slices.Chunk(usdots, together) {
		rows, err := database.All[CarrierRow](r.db.Conn(ctx).Select("usdot", "body").Where("usdot IN ?", some).Order("usdot"))
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			c, err := row.Carrier()
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}

	return all, nil
}

// deleteCarriers deletes carriers and what they are found by, in the transaction in ctx.
func (r *Repository) deleteCarriers(ctx context.Context, usdots []int64) error {
	old, err := r.Carriers(ctx, usdots)
	if err != nil {
		return err
	}
	var gone [][]any
	for i := range old {
		for _, text := range old[i].Entries() {
			gone = append(gone, []any{text, old[i].PhysicalState, old[i].USDOT})
		}
	}
	if err := r.deleteNames(ctx, gone); err != nil {
		return err
	}

	return database.Translate(r.db.Raw(ctx, why).Exec("DELETE FROM carriers_regulator_carriers WHERE usdot IN ?", usdots).Error)
}

// indexBatch is how many entries of a new index are written in a transaction: nobody else who writes waits long.
const indexBatch = 20_000

// rebuildNames writes the index anew, of sorted entries. It may be called again after an interruption.
func (r *Repository) rebuildNames(ctx context.Context, entries iter.Seq2[entry, error]) error {
	empty := "DELETE FROM carriers_regulator_names"
	if r.db.Dialect() == database.Postgres {
		empty = "TRUNCATE carriers_regulator_names"
	}
	if err := r.db.InTx(ctx, func(ctx context.Context) error { return r.db.Pipeline(ctx, why, empty, nil, nil) }); err != nil {
		return err
	}
	rows, values := make([][]any, 0, indexBatch), make([]any, 0, 3*indexBatch) //nolint:mnd // the values of an entry
	write := func() error {
		err := r.db.InTx(ctx, func(ctx context.Context) error { return r.db.PipelineRows(ctx, why, r.sortedNames, rows, nil) })
		rows, values = rows[:0], values[:0]

		return err
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		values = append(values, e.folded, e.state, e.usdot)
		if rows = append(rows, values[len(values)-3:]); len(rows) == indexBatch {
			if err := write(); err != nil {
				return err
			}
		}
	}

	return write()
}

// putShared writes by how many carriers contacts are shared, in the transaction in ctx.
func (r *Repository) putShared(ctx context.Context, rows [][]any) error {
	return r.db.PipelineRows(ctx, why, r.shared, rows, nil)
}

func (r *Repository) deleteShared(ctx context.Context, contacts []int64) error {
	return database.Translate(r.db.Raw(ctx, why).Exec("DELETE FROM carriers_regulator_shared WHERE contact IN ?", contacts).Error)
}

// putFilings writes rows of sets, each once, in the transaction in ctx.
func (r *Repository) putFilings(ctx context.Context, all []Filing) error {
	rows := make([][]any, len(all))
	for i, f := range all {
		rows[i] = []any{f.SetName, f.RowKey, f.USDOT, f.Docket, f.Digest, f.Body}
	}

	return r.db.PipelineRows(ctx, why, r.filings, rows, nil)
}

func (r *Repository) deleteFilings(ctx context.Context, set string, keys []int64) error {
	return database.Translate(r.db.Raw(ctx, why).Exec("DELETE FROM carriers_regulator_filings WHERE set_name = ? AND row_key IN ?", set, keys).Error)
}

// deleteDockets deletes all rows of dockets in a set, and returns how many there were.
func (r *Repository) deleteDockets(ctx context.Context, set string, dockets []string) (int64, error) {
	var deleted int64
	for some := range slices.Chunk(dockets, together) {
		done := r.db.Raw(ctx, why).Exec("DELETE FROM carriers_regulator_filings WHERE set_name = ? AND docket IN ?", set, some)
		if done.Error != nil {
			return deleted, database.Translate(done.Error)
		}
		deleted += done.RowsAffected
	}

	return deleted, nil
}

// ReplaceRows writes the rows that a number has in a set in place of those it had, in the transaction in ctx.
func (r *Repository) ReplaceRows(ctx context.Context, set string, usdot int64, rows []Filing) error {
	err := r.db.Raw(ctx, why).Exec("DELETE FROM carriers_regulator_filings WHERE set_name = ? AND usdot = ?", set, usdot).Error
	if err != nil {
		return database.Translate(err)
	}

	return r.putFilings(ctx, latestOf(rows, func(f Filing) int64 { return f.RowKey }))
}

// encoded returns a carrier as it is stored, and the digest of that.
func encoded(c Carrier) (body string, digest int64, err error) {
	text, err := json.Marshal(c)

	return string(text), Hashed(string(text)), err
}
