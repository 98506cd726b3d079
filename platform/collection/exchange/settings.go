package exchange

import (
	"errors"
	"fmt"
	"time"

	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
	"github.com/dispatchd/dispatchd/platform/config"
)

// Settings are the keys of imports.
type Settings struct {
	MaxSize      config.Size   `config:"max_size" doc:"Bytes in a file that is imported."`
	MaxRows      int           `config:"max_rows" doc:"Rows in a file that is imported."`
	MaxColumns   int           `config:"max_columns" doc:"Columns in a file that is imported."`
	MaxRowSize   config.Size   `config:"max_row_size" doc:"Bytes in one row."`
	MaxOpen      int           `config:"max_open" doc:"Imports of a company whose files are kept."`
	Keep         time.Duration `config:"keep" doc:"How long an import and its file are kept after they last changed: so long it can be undone."`
	StalledAfter time.Duration `config:"stalled_after" doc:"After how long without progress an import is taken on by another process."`
}

// Defaults suit files that people make.
func Defaults() Settings {
	return Settings{
		MaxSize: 256 * config.MiB, MaxRows: 1_000_000, MaxColumns: 500, MaxRowSize: config.MiB, MaxOpen: 50,
		Keep: 30 * 24 * time.Hour, StalledAfter: 30 * time.Second,
	}
}

// limits are those of a row.
func (s Settings) limits() readers.Limits {
	return readers.Limits{RowSize: int(s.MaxRowSize), Columns: s.MaxColumns}
}

// Validate implements the check that config runs.
func (s Settings) Validate() error {
	var problems []error
	for _, bound := range []struct {
		key              string
		value, low, high int64
	}{
		{"max_size", int64(s.MaxSize), 1 << 10, 1 << 40},
		{"max_rows", int64(s.MaxRows), 1, 1 << 31},
		{"max_columns", int64(s.MaxColumns), 1, 10_000},
		{"max_row_size", int64(s.MaxRowSize), 1 << 10, 16 << 20},
		{"max_open", int64(s.MaxOpen), 1, 100_000},
	} {
		if bound.value < bound.low || bound.value > bound.high {
			problems = append(problems, fmt.Errorf("%s: want %d to %d, got %d", bound.key, bound.low, bound.high, bound.value))
		}
	}
	if s.Keep < time.Hour {
		problems = append(problems, fmt.Errorf("keep: want 1h or more, got %s", s.Keep))
	}
	if s.StalledAfter < time.Second {
		problems = append(problems, fmt.Errorf("stalled_after: want 1s or more, got %s", s.StalledAfter))
	}

	return errors.Join(problems...)
}
