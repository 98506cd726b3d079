package main

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseOptions_QuickOnlyChangesDefaults(t *testing.T) {
	t.Parallel()
	full, err := parseOptions(nil, io.Discard)
	require.NoError(t, err)
	require.Equal(t, 100_000, full.records)
	require.Equal(t, 50_000, full.depth())
	require.Equal(t, []string{"sqlite", "postgres"}, full.databases)

	quick, err := parseOptions([]string{"--quick", "--rounds", "4"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, 4, quick.rounds)
	require.Equal(t, 500*time.Millisecond, quick.duration())
	require.Equal(t, 2_500, quick.depth())
}

func TestParseOptions_RefusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--databases", "oracle"}, {"--records", "5"}, {"--seconds", "-1"}, {"extra"}, {"--nope"}, {"--only", "delete"},
	} {
		_, err := parseOptions(args, io.Discard)
		require.Error(t, err, args)
	}
}

func TestParseOptions_AMillionIsAsManyAsAreAskedFor(t *testing.T) {
	t.Parallel()
	for want, args := range map[int][]string{
		1_000_000: nil, 20_000: {"--quick"}, 50_000: {"--records", "50000", "--only", "million"},
	} {
		o, err := parseOptions(args, io.Discard)
		require.NoError(t, err)
		require.Equal(t, want, o.million, args)
	}
}

func TestParseOptions_OnlyPicksOperations(t *testing.T) {
	t.Parallel()
	o, err := parseOptions([]string{"--only", "page"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, []question{{opPage, 8}, {opPage, 1}, {opDeep, 1}}, o.questions())
}
