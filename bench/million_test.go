package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSizesOf_AMillionIsOneLargeModuleAndAThousandSmallOnes(t *testing.T) {
	t.Parallel()
	require.Equal(t, sizes{large: 200_000, small: 800, modules: 1_000}, sizesOf(1_000_000))
	require.Equal(t, 150_000, sizesOf(1_000_000).depth())
	for _, records := range []int{1_000, 20_000, 1_000_000, 9_000_000} {
		s, modules := sizesOf(records), 0
		for _, n := range s.tenants() {
			modules += n
		}
		require.Equal(t, s.modules+1, modules)
		require.Less(t, modules, numberedModules)
		require.InDelta(t, records, s.large+s.modules*s.small, float64(s.modules))
		require.Equal(t, smallModules, s.tenants()[1])
	}
}

func TestMillionVIN_IsAnotherOneForEachRecord(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for n := 1; n <= 200_000; n++ {
		vin := millionVIN(n)
		require.Len(t, vin, vinLength)
		require.False(t, seen[vin])
		seen[vin] = true
		require.True(t, strings.HasPrefix(strings.ToLower(vin), commonWord))
	}
}

func TestPlotVIN_HasNothingThatFilledRecordsGet(t *testing.T) {
	t.Parallel()
	vin := []byte(plotVIN)
	vin[vinCheck] = checkDigit(vin)
	s := sample{id: "0190-aa", vin: string(vin), price: plotPrice, searchable: true}
	require.NotContains(t, s.marks()[markWordTail], "0123456789abcdef")
	for _, text := range []string{millionVIN(7), strings.ToLower(millionVIN(7)), millionID(3, 7)} {
		require.Equal(t, []piece{{text: text}}, s.cut(text))
	}
	word := strings.ToLower(s.vin)
	require.Equal(t, []piece{{text: "'k1"}, {mark: markWordTail}, {text: "' 'k1"}, {mark: markWordEnd}, {text: "' 'k1"}, {mark: markWord}, {text: "'"}},
		s.cut("'k1"+word[11:]+"' 'k1"+word[9:]+"' 'k1"+word+"'"))
}

func TestBulkBody_HasAsManyDifferentRecordsAsARequestMayHave(t *testing.T) {
	t.Parallel()
	body := newBulkBody(place{module: "m", customer: "c"})
	body.put(41)
	var request struct {
		Module string `json:"module_uuid"`
		Items  []struct {
			Do      string         `json:"do"`
			Payload map[string]any `json:"payload"`
		} `json:"items"`
	}
	require.NoError(t, json.Unmarshal(body.bytes, &request))
	require.Equal(t, "m", request.Module)
	require.Len(t, request.Items, bulkSize)
	for i, item := range request.Items {
		require.Equal(t, "create", item.Do)
		require.Equal(t, vinOf(41+uint64(i)), item.Payload["vin"])
	}
}

func TestPatchBody_HasANewPrice(t *testing.T) {
	t.Parallel()
	body := patchBody()
	body.put(42)
	require.Regexp(t, `^\{"payload":\{"price":"\d{5}\.42"\}\}$`, string(body.bytes))
}

func TestErrands_AreComparedWithOnesThatAreMeasured(t *testing.T) {
	t.Parallel()
	all := map[errand]bool{}
	for _, e := range errands() {
		all[e] = true
	}
	for _, e := range errands() {
		if other, ok := e.beside(); ok {
			require.True(t, all[other], "%v", e)
		}
	}
}

func TestMillionTables_PutTheDeepPageBesideTheFirst(t *testing.T) {
	t.Parallel()
	found := func(e errand, p50 time.Duration) errandFound {
		return errandFound{errand: e, answer: answer{
			ours: []measured{{rate: 500, p50: p50, p99: p50}}, ceilings: []compared{{name: "pgbench", rates: []float64{2000}}},
		}}
	}
	var text strings.Builder
	millionTables(&text, millionFound{sizes: sizesOf(1_000_000), found: []errandFound{
		found(errand{taskPage, false, 1}, 2*time.Millisecond), found(errand{taskPage, true, 1}, time.Millisecond),
		found(errand{taskDeep, false, 1}, 3*time.Millisecond),
	}})
	require.Contains(t, text.String(), "### At 1000000 records")
	require.Regexp(t, `deep page +\| large module .* 0\.25 \| +1\.50 \| the first page`, text.String())
	require.Regexp(t, `first page +\| small tenant .* 0\.25 \| +0\.50 \| the large module`, text.String())
	require.Regexp(t, `first page +\| large module .* 0\.25 \| +– \|`, text.String())

	text.Reset()
	millionTables(&text, millionFound{})
	require.Empty(t, text.String())
}

func TestReport_SaysNothingOfTargetsThatWereNotMeasured(t *testing.T) {
	t.Parallel()
	one := []measurement{{database: sqliteName, million: millionFound{sizes: sizesOf(20_000), found: []errandFound{{
		errand: errand{taskGet, false, 8}, answer: answer{ceilings: []compared{{name: "bare reads"}}},
	}}}}}
	var text strings.Builder
	require.NoError(t, report(&text, options{}, nil, one))
	require.Contains(t, text.String(), "### At 20000 records")
	require.NotContains(t, text.String(), "## Targets")

	one[0].boot.full = time.Millisecond
	require.NoError(t, report(&text, options{}, nil, one))
	require.Contains(t, text.String(), "## Targets")
}

func TestFreePort_IsNoneThatConnectionsGet(t *testing.T) {
	t.Parallel()
	port, err := freePort(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, port, firstPort)
	require.Less(t, port, firstPort+ports)
}
