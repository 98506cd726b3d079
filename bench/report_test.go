package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func answered(what operation, clients int, ceiling string, ours, theirs float64, p50 time.Duration) answer {
	return answer{
		question: question{what, clients},
		ours:     []measured{{rate: ours, p50: p50, p99: 2 * p50, cpu: 80 * time.Microsecond}},
		ceilings: []compared{{name: ceiling, rates: []float64{theirs}}},
	}
}

func measurements() []measurement {
	onPostgres := answered(opCreate, 32, "pgbench", 8400, 16_800, time.Millisecond)
	onPostgres.ceilings = append(onPostgres.ceilings, compared{name: "plain", rates: []float64{16_800}})

	return []measurement{
		{
			database: sqliteName,
			answers: []answer{
				answered(opPage, 1, "bare reads", 2000, 8000, time.Millisecond),
				answered(opDeep, 1, "bare reads", 2000, 8000, 2*time.Millisecond),
				answered(opCreate, 32, "bare loop", 7200, 3600, time.Millisecond),
			},
			boot:   bootTimes{empty: 50 * time.Millisecond, full: 50 * time.Millisecond},
			memory: memoryUse{empty: 40 << 20, full: 41 << 20, highest: 90 << 20},
		},
		{
			database: postgresName,
			answers:  []answer{onPostgres},
			boot:     bootTimes{empty: 50 * time.Millisecond, full: 80 * time.Millisecond},
		},
	}
}

func TestTargets_CompareWithTheCeilingOfTheSameRun(t *testing.T) {
	t.Parallel()
	verdicts := map[string]string{}
	for _, target := range targets(measurements()) {
		verdicts[target.what] = target.verdict()
	}
	require.Equal(t, map[string]string{
		"sqlite: create, 32 clients / the peer (estimate)":   "aim",
		"sqlite: p50 of the deep page / of the first":        "MISSED",
		"sqlite: boot with all records / with hardly any":    "aim",
		"sqlite: boot / the peer's 65 ms (estimate)":         "aim",
		"sqlite: idle memory / the peer's 33 MiB (estimate)": "met",
		"postgres: create, 32 clients / pgbench":             "met",
		"postgres: create, 32 clients / the peer (estimate)": "met",
		"postgres: p50 of the deep page / of the first":      "not measured",
		"postgres: boot with all records / with hardly any":  "MISSED",
	}, verdicts)
}

func TestReport_ShowsEveryRatioBesideItsCeiling(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	o := options{rounds: 1, seconds: 2, records: 1000}
	require.NoError(t, report(&out, o, []fact{{"cores", "2"}}, measurements()))
	text := out.String()
	require.Contains(t, text, "1 round of 2 s")
	require.Regexp(t, `\| create +\| +32 \| +7200 \| +1\.00 \| +2\.00 \| +80\.00 \| bare loop +\| +3600 \| +2\.00 \|`, text)
	require.Regexp(t, `\| create +\| +32 \| +8400 .* pgbench \| +16800 \| +0\.50 \|`, text)
	require.NotContains(t, text, "quick rounds")
	require.NotContains(t, text, "NaN")
}

func TestAnswerRows_GiveEachCeilingALine(t *testing.T) {
	t.Parallel()
	a := answered(opCreate, 8, "one", 10, 20, time.Millisecond)
	a.ceilings = append(a.ceilings, compared{name: "two", rates: []float64{40}})
	rows := answerRows([]answer{a})
	require.Equal(t, []string{"create", "8", "10.00", "1.00", "2.00", "80.00", "one", "20.00", "0.50"}, rows[0])
	require.Equal(t, []string{"", "", "", "", "", "", "two", "40.00", "0.25"}, rows[1])
}

func TestNumber_ShowsNoFalsePrecision(t *testing.T) {
	t.Parallel()
	require.Equal(t, "12346", number(12345.6))
	require.Equal(t, "0.35", number(0.3512))
	require.Equal(t, "–", number(math.NaN()))
}

func TestWriteTable_AlignsColumns(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	writeTable(&out, []string{"a", "n"}, [][]string{{"long", "1"}, {"ü", "23"}})
	require.Equal(t, "| a    |  n |\n|------|---:|\n| long |  1 |\n| ü    | 23 |\n", out.String())
}
