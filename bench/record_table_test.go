package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFindRecordTable_TellsTheRecordFromItsCompanions(t *testing.T) {
	t.Parallel()
	s := testSample()
	shared := []cell{
		{column: "company_id", pieces: s.cut("c-1")},
		{column: "id", key: true, pieces: s.cut(s.id)},
		{column: "module_id", pieces: s.cut(s.module)},
	}
	record := row{table: "records", cells: append(shared[:3:3],
		cell{column: "data", pieces: s.cut(`{"v":"1FT00000100000001","p":"54321.12"}`)},
		cell{column: "text_1", pieces: s.cut(s.vin)},
		cell{column: "numeric_1", pieces: s.cut("54321.120000")},
		cell{column: "deleted_at", null: true},
	)}
	found, err := findRecordTable([]row{{table: "events", cells: shared}, record}, s)
	require.NoError(t, err)
	require.Equal(t, recordTable{
		table: "records", company: "company_id", companyID: "c-1", module: "module_id", moduleID: "m-1",
		id: "id", vin: "text_1", price: "numeric_1", soft: true,
	}, found)

	_, err = findRecordTable([]row{{table: "events", cells: shared}}, s)
	require.Error(t, err)
}
