package contacts

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// repository keeps what there is beside the contacts themselves.
type repository struct {
	db         *database.DB
	insertKeys database.Rows
}

func newRepository(db *database.DB) *repository {
	return &repository{db: db, insertKeys: database.NewRows("INSERT INTO contacts_keys (company_id, kind, value, contact_id, weight)",
		database.PlainValues("uuid", "text", "text", "uuid", "bigint"), "")}
}

// mergeRow is a row of contacts_merges: what one merge has moved and changed.
type mergeRow struct {
	database.Tenant
	ID     uuid.UUID
	IntoID uuid.UUID
	FromID uuid.UUID
	Moved  resource.JSON[[]resource.Moved]
	// Before and After are the values of the contact that stays, as far as the merge has changed them.
	Before, After rawjson.Object
	CreatedAt     time.Time
	CreatedBy     *uuid.UUID
	UnmergedAt    *time.Time
}

// TableName implements GORM's naming.
func (mergeRow) TableName() string { return "contacts_merges" }

const (
	whyKeys = "keys of many contacts by one statement; the company is bound"
	whyJoin = "a join; the company is bound"
)

// replaceKeys stores the keys of some contacts instead of those that they had.
func (r *repository) replaceKeys(ctx context.Context, contacts []uuid.UUID, all []key) error {
	company := principal.CompanyOf(ctx)
	where, ids := r.db.Dialect().AmongIDs("contact_id", contacts)
	if err := r.db.Pipeline(ctx, whyKeys, "DELETE FROM contacts_keys WHERE company_id = ? AND "+where, []any{company, ids}, nil); err != nil {
		return err
	}

	return r.addKeys(ctx, all)
}

func (r *repository) addKeys(ctx context.Context, all []key) error {
	if len(all) == 0 {
		return nil
	}
	rows := make([][]any, len(all))
	for i, k := range all {
		rows[i] = []any{principal.CompanyOf(ctx), string(k.Kind), k.Value, k.ContactID, k.Weight}
	}

	return r.db.PipelineRows(ctx, whyKeys, r.insertKeys, rows, nil)
}

// mostMatches bounds the rows of keys that a look for matches reads.
const mostMatches = 200

// found is a contact that has a key.
type found struct {
	ContactID  uuid.UUID
	Kind       keyKind
	Weight     int64
	Name       string
	MergedInto *uuid.UUID
	IntoName   *string
}

// holders finds the contacts that have some of keys, the surest first.
func (r *repository) holders(ctx context.Context, all []key) (rows []found, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	pairs, args := make([]string, len(all)), []any{principal.CompanyOf(ctx)}
	for i, k := range all {
		pairs[i], args = "(k.kind = ? AND k.value = ?)", append(args, string(k.Kind), k.Value)
	}
	err = r.db.Raw(ctx, whyJoin).Raw(`SELECT k.contact_id, k.kind, k.weight, c.name, c.merged_into_id AS merged_into, w.name AS into_name
		FROM contacts_keys AS k JOIN contacts_contacts AS c ON c.company_id = k.company_id AND c.id = k.contact_id AND c.deleted_at IS NULL
		LEFT JOIN contacts_contacts AS w ON w.company_id = c.company_id AND w.id = c.merged_into_id AND w.deleted_at IS NULL
		WHERE k.company_id = ? AND (`+strings.Join(pairs, " OR ")+`) ORDER BY k.weight DESC, k.contact_id LIMIT ?`,
		append(args, mostMatches)...).Scan(&rows).Error

	return rows, database.Translate(err)
}

// pair is two contacts with a key in common: the strongest that they share.
type pair struct {
	Kind                  keyKind
	Value                 string
	FirstID, SecondID     uuid.UUID
	FirstName, SecondName string
	Weight                int64
}

// mostHolders is the number of contacts up to which a key in common suggests that they are duplicates. More contacts than that share
// the phone number of a switchboard, or an address for all.
const mostHolders = 50

// sharedValues returns the values of one kind, from one on, that several contacts have, in their order.
func (r *repository) sharedValues(ctx context.Context, kind keyKind, from string, most int) (values []string, err error) {
	err = r.db.Raw(ctx, whyKeys).Raw(`SELECT value FROM contacts_keys WHERE company_id = ? AND kind = ? AND value >= ?
		GROUP BY company_id, kind, value HAVING count(*) BETWEEN 2 AND ? ORDER BY company_id, kind, value LIMIT ?`,
		principal.CompanyOf(ctx), string(kind), from, mostHolders, most).Scan(&values).Error

	return values, database.Translate(err)
}

// keysHeldBy returns the values of one kind, from one on, of the keys of a contact, in their order.
func (r *repository) keysHeldBy(ctx context.Context, contact uuid.UUID, kind keyKind, from string, most int) (values []string, err error) {
	err = r.db.Conn(ctx).Model(&key{}).Where("contact_id = ? AND kind = ? AND value >= ?", contact, string(kind), from).
		Order("value").Limit(most).Pluck("value", &values).Error

	return values, database.Translate(err)
}

// pairs finds contacts that share one of some values and are neither dismissed nor of the same company contact, in the order of
// values and ids. A pair is found by its strongest key alone.
func (r *repository) pairs(ctx context.Context, q pairQuery, values []string, most int) (rows []pair, err error) {
	if len(values) == 0 {
		return nil, nil
	}
	where, args := "", []any{principal.CompanyOf(ctx), string(q.after.Kind), values}
	if q.after.SecondID != uuid.Nil {
		where, args = " AND (a.value, a.contact_id, b.contact_id) > (?, ?, ?)", append(args, q.after.Value, q.after.FirstID, q.after.SecondID)
	}
	if q.contact != nil {
		where, args = where+" AND (a.contact_id = ? OR b.contact_id = ?)", append(args, *q.contact, *q.contact)
	}
	const few = `(SELECT count(*) FROM (SELECT 1 FROM contacts_keys AS o
		WHERE o.company_id = %[1]s.company_id AND o.kind = %[1]s.kind AND o.value = %[1]s.value LIMIT ?) AS holders) <= ?`
	args = append(args, mostHolders+1, mostHolders, mostHolders+1, mostHolders, most)
	err = r.db.Raw(ctx, whyJoin).Raw(`SELECT a.kind, a.value, a.weight, a.contact_id AS first_id, b.contact_id AS second_id, c.name AS first_name, d.name AS second_name
		FROM contacts_keys AS a JOIN contacts_keys AS b
			ON b.company_id = a.company_id AND b.kind = a.kind AND b.value = a.value AND b.contact_id > a.contact_id
		JOIN contacts_contacts AS c ON c.company_id = a.company_id AND c.id = a.contact_id AND c.deleted_at IS NULL AND c.merged_into_id IS NULL
		JOIN contacts_contacts AS d ON d.company_id = b.company_id AND d.id = b.contact_id AND d.deleted_at IS NULL AND d.merged_into_id IS NULL
			AND (d.parent_id IS NULL OR d.parent_id <> c.id) AND (c.parent_id IS NULL OR c.parent_id <> d.id)
		WHERE a.company_id = ? AND a.kind = ? AND a.value IN ?`+where+` AND `+fmt.Sprintf(few, "a")+`
			AND NOT EXISTS (SELECT 1 FROM contacts_distinct AS n
				WHERE n.company_id = a.company_id AND n.first_id = a.contact_id AND n.second_id = b.contact_id)
			AND NOT EXISTS (SELECT 1 FROM contacts_keys AS s JOIN contacts_keys AS t
				ON t.company_id = s.company_id AND t.kind = s.kind AND t.value = s.value AND t.contact_id = b.contact_id
				WHERE s.company_id = a.company_id AND s.contact_id = a.contact_id
				AND (s.weight > a.weight OR (s.kind = a.kind AND s.value < a.value)) AND `+fmt.Sprintf(few, "s")+`)
		ORDER BY a.value, a.contact_id, b.contact_id LIMIT ?`, args...).Scan(&rows).Error

	return rows, database.Translate(err)
}

// keepApart says that two contacts are not the same. Saying it again changes nothing.
func (r *repository) keepApart(ctx context.Context, a, b uuid.UUID, now time.Time) error {
	if a.String() > b.String() {
		a, b = b, a
	}

	return r.db.Pipeline(ctx, "an insert that may have happened; the company is bound",
		`INSERT INTO contacts_distinct (company_id, first_id, second_id, created_at, created_by) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		[]any{principal.CompanyOf(ctx), a, b, now, principal.UserOf(ctx)}, nil)
}

// forgetMerges removes the values that merges of a contact have kept.
func (r *repository) forgetMerges(ctx context.Context, of uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Model(&mergeRow{}).Where("from_id = ? OR into_id = ?", of, of).
		Updates(map[string]any{"before": "{}", "after": "{}"}).Error)
}

// mergedInto returns the contacts that were merged into one.
func (r *repository) mergedInto(ctx context.Context, into uuid.UUID) (ids []uuid.UUID, err error) {
	err = r.db.Conn(ctx).Model(&contact{}).Where("merged_into_id = ? AND deleted_at IS NULL", into).Pluck("id", &ids).Error

	return ids, database.Translate(err)
}

const whyMerged = "contacts that were merged into others, which no operation changes; the company is bound"

// deleteMerged deletes the contacts that were merged into some that are being deleted, with their keys.
func (r *repository) deleteMerged(ctx context.Context, into []uuid.UUID, now time.Time) error {
	company := principal.CompanyOf(ctx)
	among, ids := r.db.Dialect().AmongIDs("merged_into_id", into)
	err := r.db.Pipeline(ctx, whyMerged, `DELETE FROM contacts_keys WHERE company_id = ? AND contact_id IN
		(SELECT id FROM contacts_contacts WHERE company_id = ? AND deleted_at IS NULL AND `+among+`)`, []any{company, company, ids}, nil)
	if err != nil {
		return err
	}

	return r.db.Pipeline(ctx, whyMerged, "UPDATE contacts_contacts SET deleted_at = ? WHERE company_id = ? AND deleted_at IS NULL AND "+among,
		[]any{now, company, ids}, nil)
}

// restoreMerged restores the contacts that were merged into some that are being restored, with their keys.
func (r *repository) restoreMerged(ctx context.Context, into []uuid.UUID) error {
	among, ids := r.db.Dialect().AmongIDs("merged_into_id", into)
	rows, err := database.All[contact](r.db.Conn(ctx).Where("deleted_at IS NOT NULL AND "+among, ids))
	if err != nil || len(rows) == 0 {
		return err
	}
	var all []key
	for _, row := range rows {
		all = append(all, keysOf(row)...)
	}
	err = r.db.Pipeline(ctx, whyMerged, "UPDATE contacts_contacts SET deleted_at = NULL WHERE company_id = ? AND deleted_at IS NOT NULL AND "+among,
		[]any{principal.CompanyOf(ctx), ids}, nil)
	if err != nil {
		return err
	}

	return r.addKeys(ctx, all)
}

// expireMerges removes what merges of all companies before a time have kept for their undoing.
func (r *repository) expireMerges(ctx context.Context, before time.Time) error {
	old := r.db.Conn(database.AcrossCompanies(ctx, "merges that can no longer be undone are removed for all companies")).Model(&mergeRow{}).
		Where("created_at < ?", before).Order("created_at")

	return r.db.Drain(ctx, old, func(ctx context.Context, ids []uuid.UUID) error {
		return database.Translate(r.db.Conn(ctx).Where("id IN ?", ids).Delete(&mergeRow{}).Error)
	})
}

// matching finds the contacts that have some of the keys, each once, by descending score.
func (r *repository) matching(ctx context.Context, all []key) ([]match, error) {
	rows, err := r.holders(ctx, all)
	matches, seen := []match{}, map[uuid.UUID]bool{}
	for _, row := range rows {
		m := match{UUID: row.ContactID, Title: row.Name, By: row.Kind.shownAs(), Score: row.Weight}
		if row.MergedInto != nil {
			if row.IntoName == nil {
				continue
			}
			m.UUID, m.Title, m.MergedFrom = *row.MergedInto, *row.IntoName, &row.ContactID
		}
		if !seen[m.UUID] {
			seen[m.UUID] = true
			matches = append(matches, m)
		}
	}

	return matches, err
}
