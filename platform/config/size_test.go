package config_test

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
)

type sizes struct {
	Size config.Size `config:"size"`
}

func readSize(text string) (config.Size, error) {
	c, err := config.Load(config.LoadOptions{
		Specs: []config.Spec{config.For("x", sizes{Size: 7})}, Set: []string{"x.size=" + text},
	})
	if err != nil {
		return 0, err
	}

	return config.Get[sizes](c, "x").Size, nil
}

func TestSize_ReadsWholeNumbersOfKnownUnits(t *testing.T) {
	t.Parallel()
	tests := map[string]config.Size{
		"0": 0, "1": 1, "1048576": config.MiB, "12B": 12, "512KiB": 512 * config.KiB, "512kib": 512 * config.KiB, "10 MiB": 10 * config.MiB,
		"1GB": 1_000_000_000, "2TB": 2_000_000_000_000, "3TiB": 3 * config.TiB,
		strconv.Itoa(math.MaxInt64): math.MaxInt64, "8388607TiB": 8388607 * config.TiB,
	}
	for text, want := range tests {
		got, err := readSize(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "B", "-1", "+1", "1.5MiB", "10M", "1XiB", "1  MiB", " 1", "9223372036854775808", "8388608TiB", "1e6", "1MiBB"} {
		_, err := readSize(text)
		require.ErrorContains(t, err, "want a size", text)
	}
}

func TestSize_WritesWhatItReads(t *testing.T) {
	t.Parallel()
	tests := map[config.Size]string{
		0: "0B", 1: "1B", 1000: "1000B", 1024: "1KiB", 1536: "1536B", 3 * config.KiB: "3KiB", config.MiB: "1MiB", 5 * config.GiB: "5GiB", 2048 * config.GiB: "2TiB",
	}
	for size, want := range tests {
		require.Equal(t, want, size.String())
		got, err := readSize(want)
		require.NoError(t, err)
		require.Equal(t, size, got)
		out, err := json.Marshal(size)
		require.NoError(t, err)
		require.JSONEq(t, `"`+want+`"`, string(out))
	}
}
