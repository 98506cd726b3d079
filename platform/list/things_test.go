package list_test

import (
	"database/sql/driver"
	"fmt"
	"math/big"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// The tests list things: a table with a field of every kind, with and without nulls, stored as the
// two databases would store it.
const (
	postgresTable = `CREATE TABLE things (
		id uuid PRIMARY KEY, owner integer NOT NULL, name text COLLATE "und-x-icu", code text COLLATE "C" NOT NULL, qty integer NOT NULL,
		price numeric, operable boolean, day date, seen timestamptz NOT NULL, pickup timestamp, ref uuid)`
	sqliteTable = `CREATE TABLE things (
		id TEXT PRIMARY KEY, owner INTEGER NOT NULL, name TEXT, code TEXT NOT NULL, qty INTEGER NOT NULL,
		price TEXT, operable INTEGER, day TEXT, seen TEXT NOT NULL, pickup TEXT, ref TEXT)`
	// A pickup is listed as if it were in a table of its own.
	pickups = `CREATE VIEW pickups AS SELECT id AS thing, pickup AS at FROM things WHERE pickup IS NOT NULL`
	columns = "id, name, code, qty, price, operable, day, seen, pickup, ref"

	sqliteTime = "2006-01-02 15:04:05.000000"
)

// thing is a row as a request would spell its values; nil is null.
type thing map[string]*string

func (t thing) id() string { return *t["id"] }

// row is a thing as it is read.
type row struct {
	ID       string
	Name     *string
	Code     string
	Qty      int64
	Price    *string
	Operable *bool
	Day      *stamp
	Seen     stamp
	Pickup   *stamp
	Ref      *string
}

func (row) TableName() string { return "things" }

// key is what an area writes: the value of each sort key.
func (r row) key(field string) any {
	switch field {
	case "name":
		return r.Name
	case "code":
		return r.Code
	case "qty":
		return r.Qty
	case "price":
		return r.Price
	case "operable":
		return r.Operable
	case "day":
		return r.Day
	case "seen":
		return r.Seen
	case "pickup":
		return r.Pickup
	case "ref":
		return r.Ref
	default:
		return r.ID
	}
}

// stamp reads a time from either database.
type stamp struct{ time.Time }

func (s *stamp) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		s.Time, ok = value.(time.Time)
		if !ok {
			return fmt.Errorf("a %T", value)
		}

		return nil
	}
	var err error
	for _, layout := range []string{sqliteTime, time.DateTime, time.DateOnly} {
		if s.Time, err = time.Parse(layout, text); err == nil {
			return nil
		}
	}

	return err
}

func (s stamp) Value() (driver.Value, error) { return s.Time, nil }

func schema(tx *gorm.DB) list.Schema {
	price := list.Field{Name: "price", Expr: "price", Kind: kind.Decimal, Nullable: true, Sortable: true, Filterable: true}
	seen := list.Field{Name: "seen", Expr: "things.seen", Kind: kind.Time, Sortable: true, Filterable: true}
	if tx.Name() != "postgres" {
		price.Encode, price.Decode = sortableDecimal, readableDecimal
		price.SumParts = []list.SumPart{{Expr: "CAST(substr(price, 1, 10) AS integer) - 2000000", Exponent: 0}, {Expr: "CAST(substr(price, 12) AS integer)", Exponent: -4}}
		price.Shown = func(text string) string {
			plain, err := readableDecimal(&text)
			if err != nil {
				return text
			}

			return strings.TrimSuffix(strings.TrimRight(*plain, "0"), ".")
		}
		seen.Encode = sortableTime
	}

	return list.Schema{
		Fields: []list.Field{
			{Name: "name", Expr: "name", Kind: kind.Text, Nullable: true, Sortable: true, Filterable: true},
			{Name: "code", Expr: "code", Kind: kind.Text, Sortable: true, Filterable: true},
			{Name: "qty", Expr: "qty", Kind: kind.Integer, Sortable: true, Filterable: true},
			price,
			{Name: "operable", Expr: "operable", Kind: kind.Boolean, Nullable: true, Sortable: true, Filterable: true},
			{Name: "day", Expr: "day", Kind: kind.Date, Nullable: true, Sortable: true, Filterable: true},
			seen,
			{
				Name: "pickup", Expr: "p.at", Kind: kind.LocalTime, Nullable: true, Sortable: true, Filterable: true,
				Beside: &list.Beside{ID: "p.thing", Join: func(tx *gorm.DB, how string) *gorm.DB {
					return tx.Joins(how + " pickups AS p ON p.thing = things.id")
				}},
			},
			{Name: "ref", Expr: "ref", Kind: kind.UUID, Nullable: true, Sortable: true, Filterable: true},
		},
		ID:     list.Field{Name: "id", Expr: "id", Kind: kind.UUID, Filterable: true},
		Search: []string{"name", "code"},
	}
}

// sortableDecimal is a text that orders as the number does: shifted to be positive, fixed in width.
func sortableDecimal(text string) (any, error) {
	n, ok := new(big.Rat).SetString(text)
	if !ok || strings.ContainsAny(text, "/eE") || n.Cmp(big.NewRat(1_000_000, 1)) > 0 || n.Cmp(big.NewRat(-1_000_000, 1)) < 0 {
		return nil, fmt.Errorf("no decimal: %q", text)
	}

	return fmt.Sprintf("%015s", n.Add(n, big.NewRat(2_000_000, 1)).FloatString(4)), nil
}

func readableDecimal(value any) (*string, error) {
	text, ok := value.(*string)
	if !ok || text == nil {
		return nil, nil //nolint:nilnil // no value and no error is what it means
	}
	n, ok := new(big.Rat).SetString(*text)
	if !ok {
		return nil, fmt.Errorf("no decimal: %q", *text)
	}
	plain := n.Sub(n, big.NewRat(2_000_000, 1)).FloatString(4)

	return &plain, nil
}

func sortableTime(text string) (any, error) {
	t, err := time.Parse(time.RFC3339Nano, text)

	return t.UTC().Format(sqliteTime), err
}

// insert stores things of owner 1.
func insert(t require.TestingT, db *gorm.DB, things ...thing) {
	if len(things) == 0 {
		return
	}
	names := strings.Split(columns, ", ")
	marks := "(1" + strings.Repeat(", ?", len(names)) + ")"
	var values []any
	for _, one := range things {
		for _, name := range names {
			values = append(values, stored(t, db, name, one[name]))
		}
	}
	all := strings.TrimSuffix(strings.Repeat(marks+", ", len(things)), ", ")
	require.NoError(t, db.Exec("INSERT INTO things (owner, "+columns+") VALUES "+all, values...).Error)
}

func stored(t require.TestingT, db *gorm.DB, name string, text *string) any {
	if text == nil {
		return nil
	}
	var value any = *text
	var err error
	switch {
	case name == "operable":
		return *text == "true"
	case name == "price" && db.Name() != "postgres":
		value, err = sortableDecimal(*text)
	case name == "seen" && db.Name() != "postgres":
		value, err = sortableTime(*text)
	}
	require.NoError(t, err)

	return value
}

func remove(t require.TestingT, db *gorm.DB, id string) {
	require.NoError(t, db.Exec("DELETE FROM things WHERE id = ?", id).Error)
}

// find reads a page as an area does.
func find(t require.TestingT, db *gorm.DB, query url.Values) list.Page[row] {
	page, err := list.Find(db.Where("owner = ?", 1), parse(t, db, query), row.key)
	require.NoError(t, err)

	return page
}

func parse(t require.TestingT, db *gorm.DB, query url.Values) list.Query {
	in := list.FromQuery("/things", query)
	q, err := in.Parse(asking(), schema(db))
	require.NoError(t, err)

	return q
}

func ids(rows []row) []string {
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = r.ID
	}

	return all
}

func values(t *testing.T, query string) url.Values {
	t.Helper()
	parsed, err := url.ParseQuery(query)
	require.NoError(t, err)

	return parsed
}
