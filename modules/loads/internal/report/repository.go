package report

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// loadRow has loads counted; the area writes them.
type loadRow struct {
	database.Tenant

	ID uuid.UUID `gorm:"primaryKey"`
}

// TableName implements GORM's naming.
func (loadRow) TableName() string { return "loads_loads" }

// repository counts loads; the database package keeps companies apart.
type repository struct{ db *database.DB }

// ask returns the rows of a report, those with the most loads first.
func (r repository) ask(ctx context.Context, q question, of period) ([]map[string]any, error) {
	all := append(append([]column(nil), q.By...), q.Of...)
	picked := make([]string, len(all))
	for i, c := range all {
		value := r.apart(c.sql)
		if i >= len(q.By) {
			value = "CAST(ROUND(CAST(" + value + " AS numeric)) AS bigint)"
		} else if c.Kind == id {
			value = "CAST(" + value + " AS text)"
		}
		picked[i] = value + " AS " + c.Key
	}
	ago := func(days int) time.Time { return of.now.AddDate(0, 0, -days) }
	const two, week, month = 2, 7, 30
	tx, sql := r.db.Conn(ctx).Model(&loadRow{}).Where("deleted_at IS NULL"), strings.Join(picked, ", ")
	if strings.Contains(sql, "@") {
		tx = tx.Select(sql, map[string]any{"now": of.now, "days2": ago(two), "days7": ago(week), "days30": ago(month)})
	} else {
		tx = tx.Select(sql)
	}
	if q.period != "" {
		tx = tx.Where(q.period+" >= ? AND "+q.period+" < ?", of.from, of.until)
	}
	if q.where != "" {
		tx = tx.Where(q.where)
	}
	keys := make([]string, len(q.By))
	for i, c := range q.By {
		keys[i] = c.Key
	}
	by := strings.Join(keys, ", ")
	rows, err := database.All[map[string]any](tx.Group(by).Order("COUNT(*) DESC, " + by).Limit(mostGroups))
	for _, row := range rows {
		for i, c := range all {
			row[c.Key] = shown(row[c.Key], c.Kind, i < len(q.By))
		}
	}
	if rows == nil {
		rows = []map[string]any{}
	}

	return rows, err
}

// difference is {a-b}: the days from b to a.
var difference = regexp.MustCompile(`\{([^{}-]+)-([^{}]+)\}`)

// apart writes the differences of times as the database does.
func (r repository) apart(sql string) string {
	if r.db.Dialect() == database.Postgres {
		return difference.ReplaceAllString(sql, "(EXTRACT(epoch FROM CAST($1 AS timestamptz) - $2) / 86400.0)")
	}

	return difference.ReplaceAllString(sql, "(julianday($1) - julianday($2))")
}

// shown is a value as answers have it: nil for none.
func shown(value any, of kind, key bool) any {
	if raw, is := value.([]byte); is {
		value = string(raw)
	}
	n, is := value.(int64)
	switch {
	case key, !is:
		return value
	case of == amount:
		return decimal(n, 10_000) //nolint:mnd // as columns say
	case of == percent, of == days:
		return decimal(n, 10) //nolint:mnd // as columns say
	}

	return n
}

// decimal writes n divided by a power of ten, amounts with two digits at least.
func decimal(n, by int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	fraction := strings.TrimPrefix(strconv.FormatInt(by+n%by, 10), "1")
	for len(fraction) > 2 && strings.HasSuffix(fraction, "0") {
		fraction = fraction[:len(fraction)-1]
	}

	return fmt.Sprintf("%s%d.%s", sign, n/by, fraction)
}
