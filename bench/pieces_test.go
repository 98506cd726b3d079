package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

func turns(cpu ...time.Duration) []measured {
	list := make([]measured, len(cpu))
	for i, d := range cpu {
		list[i] = measured{cpu: d * time.Microsecond, p50: 2 * d * time.Microsecond}
	}

	return list
}

func TestPieceRows_CompareWithinATurn(t *testing.T) {
	t.Parallel()
	rows := pieceRows([]pieceCost{
		{name: "bare", turns: turns(100, 200, 400)},
		{name: "more", turns: turns(110, 230, 500)}, // 10, 30 and 100 more
	})
	require.Equal(t, []string{"bare", "200", "–", "–", "400", "–", "–"}, rows[0])
	require.Equal(t, []string{"more", "230", "30.00", "1.15", "460", "60.00", "1.15"}, rows[1])
}

func TestPieces_DifferFromTheBareOneBySomething(t *testing.T) {
	t.Parallel()
	list := pieces("127.0.0.1:1", "http://127.0.0.1:2")
	require.Equal(t, extra{name: "bare"}, list[0])
	off := bareSettings()
	for _, p := range list[1:] {
		require.True(t, p.keyed || len(p.settings) > 0, p.name)
		for _, setting := range p.settings {
			require.NotContains(t, off, setting, p.name+" switches nothing on")
			name, _, _ := strings.Cut(setting, "=")
			require.Contains(t, strings.Join(off, "\n"), name+"=", "what one has on, the others have off")
		}
	}
}

func TestKeyed_GivesEachRequestAKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	next := keyed(func(*fasthttp.Request) {})
	seen := map[string]bool{}
	for range 3 {
		var r fasthttp.Request
		next(&r)
		seen[string(r.Header.Peek("Idempotency-Key"))] = true
	}
	require.Len(t, seen, 3)
}

func TestEventRows_ShowTheShareOfRiver(t *testing.T) {
	t.Parallel()
	rows := eventRows([]delivered{{listeners: 5, backlog: true, ours: []float64{50, 300}, ceiling: []float64{100, 400}}})
	require.Equal(t, [][]string{{"from a backlog", "5", "175", "250", "0.62"}}, rows)
}

func TestFreshen_GivesUniqueNumbersAnew(t *testing.T) {
	t.Parallel()
	s := sample{id: "one", vin: "VIN", price: "1.00"}
	r := row{table: "trail", cells: []cell{
		{column: "id", kind: "text", key: true, pieces: s.cut("other")},
		{column: "seq", kind: "bigint", unique: true, pieces: s.cut("7")},
		{column: "size", kind: "bigint", pieces: s.cut("7")},
		{column: "open", kind: "bigint", unique: true, null: true},
	}}
	fresh, err := r.freshen()
	require.NoError(t, err)
	require.True(t, fresh.cells[0].is(markFreshID))
	require.True(t, fresh.cells[1].is(markFreshNumber))
	require.True(t, fresh.cells[2].says("7"))
	require.Empty(t, fresh.cells[3].pieces)
	require.True(t, r.cells[1].says("7"), "the row itself stays")
}
