package registry

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/platform/database"
)

// why is the reason for SQL by hand: the tables have no company.
const why = "the regulator's data belong to no company"

// repository reads the tables of the regulator's data, and keeps live answers and snapshots.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db: db} }

// rowsOf returns the rows of a number in all sets but the census, by set.
func (r *repository) rowsOf(ctx context.Context, usdot int64) ([]feed.Filing, error) {
	return database.All[feed.Filing](r.db.Conn(ctx).Where("usdot = ?", usdot).Order("set_name, row_key"))
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

// lookupQuery walks the index from the first entry that begins with a text, in order, and stops when there are enough.
func lookupQuery(state bool) string {
	and := ""
	if state {
		and = " AND state = ?"
	}

	return `SELECT c.usdot, c.body FROM (
		SELECT folded, usdot FROM carriers_regulator_names WHERE folded >= ? AND folded < ?` + and + ` ORDER BY folded, state, usdot LIMIT ?
	) n JOIN carriers_regulator_carriers c ON c.usdot = n.usdot ORDER BY n.folded, n.usdot`
}

// last sorts behind all that begins with the same text.
const last = "\U0010ffff"

func (r *repository) lookup(ctx context.Context, begin, state string, limit int) ([]feed.CarrierRow, error) {
	args := []any{begin, begin + last}
	if state != "" {
		args = append(args, state)
	}
	var rows []feed.CarrierRow
	err := r.db.Raw(ctx, why).Raw(lookupQuery(state != ""), append(args, limit)...).Scan(&rows).Error

	return rows, database.Translate(err)
}

// lookupNumbers returns carriers whose numbers are in one of the ranges.
func (r *repository) lookupNumbers(ctx context.Context, from, to []int64, state string, limit int) ([]feed.CarrierRow, error) {
	var all []feed.CarrierRow
	for i := range from {
		query, args := "SELECT usdot, body FROM carriers_regulator_carriers WHERE usdot BETWEEN ? AND ?", []any{from[i], to[i]}
		if state != "" {
			query, args = query+" AND state = ?", append(args, state)
		}
		var rows []feed.CarrierRow
		if err := r.db.Raw(ctx, why).Raw(query+" ORDER BY usdot LIMIT ?", append(args, limit-len(all))...).Scan(&rows).Error; err != nil {
			return nil, database.Translate(err)
		}
		if all = append(all, rows...); len(all) >= limit {
			break
		}
	}

	return all, nil
}

// shared returns how many carriers have each of some contacts; one that a single carrier has is not among them.
func (r *repository) shared(ctx context.Context, contacts ...int64) (map[int64]int, error) {
	var rows []struct {
		Contact  int64
		Carriers int
	}
	err := r.db.Raw(ctx, why).Raw("SELECT contact, carriers FROM carriers_regulator_shared WHERE contact IN ?", contacts).Scan(&rows).Error
	counts := make(map[int64]int, len(rows))
	for _, row := range rows {
		counts[row.Contact] = row.Carriers
	}

	return counts, database.Translate(err)
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
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (usdot, source) DO UPDATE SET outcome = excluded.outcome, body = excluded.body,
			fetched_at = excluded.fetched_at, failed_at = excluded.failed_at, why = excluded.why`,
		[]any{a.USDOT, a.Source, a.Outcome, a.Body, a.FetchedAt, a.FailedAt, a.Why}, nil)
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
	stored := false
	err := r.db.InTx(ctx, func(ctx context.Context) error {
		done := r.db.Conn(ctx).Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "usdot"}, {Name: "number"}}, DoNothing: true}).Create(s)
		stored = done.RowsAffected > 0

		return database.Translate(done.Error)
	})

	return stored, err
}
