package list_test

import (
	"database/sql"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

type number string

func TestNewPage_UnderstandsWhatRowsAreScannedInto(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 9, 22, 10, 0, 0, 120_000_000, time.FixedZone("", 7200))
	text, count := "x", 3
	for _, c := range []struct {
		kind  kind.Kind
		value any
	}{
		{kind.Text, "x"},
		{kind.Text, &text},
		{kind.Text, number("x")},
		{kind.Text, []byte("x")},
		{kind.Text, (*string)(nil)},
		{kind.Text, sql.NullString{}},
		{kind.Text, sql.NullString{String: "x", Valid: true}},
		{kind.Integer, &count},
		{kind.Integer, int16(-3)},
		{kind.Integer, uint8(3)},
		{kind.Decimal, "12.50"},
		{kind.Boolean, true},
		{kind.Date, at},
		{kind.Date, "2026-09-22"},
		{kind.LocalTime, &at},
		{kind.Time, at},
		{kind.UUID, uuid.Max},
		{kind.UUID, &uuid.Max},
		{kind.UUID, (*uuid.UUID)(nil)},
		{kind.UUID, uuid.NullUUID{}},
		{kind.UUID, uuid.Max.String()},
	} {
		schema := list.Schema{
			Fields: []list.Field{{Name: "key", Expr: "key", Kind: c.kind, Nullable: true, Sortable: true}},
			ID:     list.Field{Name: "id", Expr: "id", Kind: kind.Integer},
		}
		in := list.FromQuery("/", url.Values{"sort": {"key"}, "per_page": {"1"}})
		q, err := in.Parse(t.Context(), schema)
		require.NoError(t, err)
		page, err := list.NewPage(q, []any{c.value, c.value}, func(value any) []any { return []any{value, 1} })
		require.NoError(t, err, "%s %v", c.kind, c.value)
		in = list.FromQuery("/", url.Values{"sort": {"key"}, "cursor": {*page.Meta.NextCursor}})
		_, err = in.Parse(t.Context(), schema)
		require.NoError(t, err, "%s %v", c.kind, c.value)
	}
}

// TestFind_WhatIsUnderstoodNeverFailsInTheDatabase tries values that one of the databases does not
// have.
func TestFind_WhatIsUnderstoodNeverFailsInTheDatabase(t *testing.T) {
	t.Parallel()
	strange := []string{
		"", " ", "0", "-0", "+1", "1e3", "NaN", "Infinity", "infinity", "-infinity", "epoch", "now", "today", "null", "NULL", "2147483648", "-9223372036854775808",
		"99999999999999999999999999999999999999999999999999.1", "1_000", "0x10", "t", "f", "on", "TRUE", "\x00", "a\x00b", "\xff", "\xed\xa0\x80", "\uFFFD", "\uFEFF",
		"'", `"`, "`", "--", ";", "?", "$1", ":a", "@a", "!", "%", "_", `\`, `\\`, "a,b", "{}", "[]", "'; DROP TABLE things; --",
		"0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01", "2026-02-29", "2024-02-29", "2026-1-1", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999999Z",
		"0001-01-01T00:00:00Z", "2026-06-30T23:59:60Z", "2026-01-01 00:00:00", "2026-01-01 24:00:00", "2026-01-01T00:00:00+24:00", "2026-01-01t00:00:00z",
		"00000000-0000-0000-0000-000000000000", "{00000000-0000-0000-0000-000000000000}", "urn:uuid:00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
	}
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		fields, understood := append(schema(db).Fields, schema(db).ID), 0
		rapid.Check(t, func(t *rapid.T) {
			for _, field := range fields {
				operator := rapid.SampledFrom([]string{"eq", "ne", "lt", "lte", "gt", "gte", "in", "nin", "like", "starts", "null"}).Draw(t, "op")
				value := rapid.OneOf(rapid.SampledFrom(strange), rapid.String(), rapid.StringMatching(`[0-9]{1,4}-[01][0-9]-[0-3][0-9]`)).Draw(t, "value")
				in := list.FromQuery("/things", url.Values{"filter[" + field.Name + "][" + operator + "]": {value}})
				q, err := in.Parse(asking(), schema(db))
				if err != nil {
					require.ErrorIs(t, err, list.ErrInvalidQuery)

					continue
				}
				understood++
				_, err = list.Find(db, q, row.key)
				require.NoError(t, err, "%s %s %q", field.Name, operator, value)
			}
		})
		require.NotZero(t, understood)
	})
}

func TestFind_ExactTextsAreMatchedByteByByte(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		names := []string{"\uD7FF", "\uD7FFa", "\uE000", "\U0010FFFF", "\U0010FFFFa", "a\U0010FFFF", "a\U0010FFFFx", "b", `a\b`, "A,b", "É", "é"}
		var things []thing
		for i, name := range names {
			id, code, qty, seen := uuidOf(i), "c", "1", "2026-01-01T00:00:00Z"
			things = append(things, thing{"id": &id, "name": &name, "code": &code, "qty": &qty, "seen": &seen})
		}
		insert(t, db, things...)
		for query, want := range map[string][]string{
			"filter[name][starts]=\uD7FF":          {"\uD7FF", "\uD7FFa"},
			"filter[name][starts]=\U0010FFFF":      {"\U0010FFFF", "\U0010FFFFa"},
			"filter[name][starts]=a\U0010FFFF":     {"a\U0010FFFF", "a\U0010FFFFx"},
			"filter[name][starts]=a":               {`a\b`, "a\U0010FFFF", "a\U0010FFFFx"},
			`filter[name][in]=a\\b,A\,b,nothing`:   {"A,b", `a\b`},
			`filter[name][nin]=a,b&filter[name]=b`: nil,
			"filter[name][like]=A,B":               {"A,b"},
			"filter[name][like]=É":                 {"É"},
			"filter[qty]=9223372036854775807":      nil,
		} {
			var found []string
			for _, r := range find(t, db, values(t, "sort=name&"+query)).Data {
				found = append(found, *r.Name)
			}
			require.Equal(t, want, found, query)
		}
	})
}

func TestFind_TakesAnExpressionAsItIs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		fill(t, db, 3)
		schema := list.Schema{
			Fields: []list.Field{{
				Name: "code", Expr: "CASE WHEN code = 'c2' THEN 'what?' ELSE code END", Kind: kind.Text, Sortable: true, Filterable: true,
			}},
			ID: list.Field{Name: "id", Expr: "things.id", Kind: kind.UUID},
		}
		in := list.FromQuery("/things", url.Values{"sort": {"-code"}, "filter[code][gte]": {"c2"}, "count": {"exact"}})
		q, err := in.Parse(t.Context(), schema)
		require.NoError(t, err)
		page, err := list.Find(db, q, row.key)
		require.NoError(t, err)
		require.Equal(t, []string{uuidOf(2), uuidOf(3)}, ids(page.Data))
		require.EqualValues(t, 2, *page.Meta.Total)

		require.NoError(t, db.Exec("ALTER TABLE things RENAME TO gone").Error)
		_, err = list.Find(db, q, row.key)
		require.ErrorContains(t, err, "things")
	})
}

func TestFind_LooksForPartsInTheFormOfTheValues(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		fill(t, db, 3)
		s := list.Schema{
			Fields: []list.Field{{
				Name: "code", Expr: "code", Kind: kind.Text, Sortable: true, Filterable: true,
				EncodePart: func(text string) (string, error) { return strings.ToLower(text), nil },
			}},
			ID: list.Field{Name: "id", Expr: "things.id", Kind: kind.UUID},
		}
		for _, query := range []string{"filter[code][starts]=C2", "filter[code][like]=C2"} {
			in := list.FromQuery("/things", values(t, query))
			q, err := in.Parse(t.Context(), s)
			require.NoError(t, err)
			page, err := list.Find(db, q, row.key)
			require.NoError(t, err)
			require.Equal(t, []string{uuidOf(2)}, ids(page.Data), query)
		}
	})
}
