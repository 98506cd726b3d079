package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParsePgbench_ReadsTheRate(t *testing.T) {
	t.Parallel()
	rate, err := parsePgbench("number of failed transactions: 0 (0.000%)\nlatency average = 0.4 ms\ntps = 16803.5 (without initial connection time)\n")
	require.NoError(t, err)
	require.InDelta(t, 16803.5, rate, 0)
}

func TestParsePgbench_NeverHidesAFailure(t *testing.T) {
	t.Parallel()
	_, err := parsePgbench("number of failed transactions: 3 (0.1%)\ntps = 16803.5\n")
	require.ErrorContains(t, err, "3 transactions failed")
	_, err = parsePgbench("pgbench: error")
	require.Error(t, err)
}

func TestCreateScript_CommitsAllRowsOfARecordAtOnce(t *testing.T) {
	t.Parallel()
	s := testSample()
	record := row{table: "records", cells: []cell{
		{column: "id", kind: "uuid", pieces: s.cut(s.id)},
		{column: "data", kind: "jsonb", pieces: s.cut(`{"ok":true}`)},
		{column: "note", kind: "text", null: true},
	}}
	one := createScript([]row{record})
	require.NotContains(t, one, "pipeline")
	require.Contains(t, one, `INSERT INTO "bench"."records" ("id", "data", "note") VALUES (CAST(`)
	require.Contains(t, one, `CAST(E'{"ok"\x3Atrue}' AS jsonb), NULL);`)

	two := createScript([]row{record, record})
	require.Regexp(t, `(?s)\\startpipeline\nINSERT.*INSERT.*\\endpipeline\n$`, two)
}

func TestReadScript_AsksForWhatTheProductAnswers(t *testing.T) {
	t.Parallel()
	table := recordTable{
		table: "records", company: "company_id", companyID: "c", module: "module_id", moduleID: "m",
		id: "id", vin: "text_1", price: "numeric_1", soft: true,
	}
	require.Contains(t, readScript(table, opSort, 10, 5), "numeric_1 IS NOT NULL AND deleted_at IS NULL ORDER BY numeric_1 DESC, id DESC LIMIT 21")
	require.Contains(t, readScript(table, opDeep, 10, 5), `\set n 5`)
	require.NotContains(t, readScript(table, opGet, 10, 5), "module_id =")
}
