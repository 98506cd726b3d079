package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func testSample() sample {
	return sample{id: "0190-aa", module: "m-1", vin: "1FT00000100000001", price: "54321.12"}
}

func TestCut_JoinsAgainToTheSameText(t *testing.T) {
	t.Parallel()
	s := testSample()
	for _, text := range []string{
		"", "plain", s.id, s.vin + s.vin, `{"v":"1FT00000100000001","p":"54321.12","id":"0190-aa"}`, "100000543211200",
	} {
		require.Equal(t, text, join(s.cut(text), func(m mark) string { return s.marks()[m] }))
	}
}

func TestCut_FindsWhatDiffers(t *testing.T) {
	t.Parallel()
	require.Equal(t,
		[]piece{{text: `{"a":"`}, {mark: markVIN}, {text: `","b":"`}, {mark: markPrice}, {text: `"}`}},
		testSample().cut(`{"a":"1FT00000100000001","b":"54321.12"}`))
	require.Equal(t, []piece{{text: "1000"}, {mark: markDigits}, {text: "00"}}, testSample().cut("1000543211200"))
}

func TestConcatenate_QuotesTheFixedParts(t *testing.T) {
	t.Parallel()
	got := concatenate(testSample().cut("it's 0190-aa"), sqliteLiteral, func(mark) string { return "?" })
	require.Equal(t, "'it''s ' || ?", got)
	require.Equal(t, "''", concatenate(nil, sqliteLiteral, nil))
}

func TestPostgresLiteral_HidesColonsFromPgbench(t *testing.T) {
	t.Parallel()
	require.Equal(t, `'plain'`, postgresLiteral("plain"))
	require.Equal(t, `E'{"a"\x3Atrue} \\ ''q'''`, postgresLiteral(`{"a":true} \ 'q'`))
}

func TestFreshen_GivesARowAKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	s := testSample()
	company := cell{column: "company_id", kind: "uuid", key: true, pieces: s.cut("c-1")}

	own := row{table: "a", cells: []cell{company, {column: "id", kind: "uuid", key: true, pieces: s.cut(s.id)}}}
	same, err := own.freshen()
	require.NoError(t, err)
	require.Equal(t, own, same)

	event := row{table: "b", cells: []cell{company, {column: "id", kind: "uuid", key: true, pieces: s.cut("e-1")}}}
	fresh, err := event.freshen()
	require.NoError(t, err)
	require.Equal(t, []piece{{mark: markFreshID}}, fresh.cells[1].pieces)
	require.Equal(t, "e-1", event.cells[1].pieces[0].text)

	counted := row{table: "c", cells: []cell{{column: "id", kind: "bigint", key: true, filled: true, pieces: s.cut("7")}, company}}
	counted.cells[1].key = false
	left, err := counted.freshen()
	require.NoError(t, err)
	require.Len(t, left.cells, 1)

	_, err = row{table: "d", cells: []cell{{column: "day", kind: "date", key: true, pieces: s.cut("2026-01-01")}}}.freshen()
	require.ErrorContains(t, err, "table d")
}

func TestInsert_NamesEveryColumn(t *testing.T) {
	t.Parallel()
	r := row{table: "t", cells: []cell{{column: "a", pieces: []piece{{text: "1"}}}, {column: "b", null: true}}}
	require.Equal(t, `INSERT INTO x."t" ("a", "b")`, r.insert(`x."t"`))
	require.Equal(t, "<1>, NULL", r.values(func(c cell) string {
		return "<" + strings.Join([]string{c.pieces[0].text}, "") + ">"
	}))
}
