package definition

import (
	"errors"
	"fmt"
	"time"

	"github.com/dispatchd/dispatchd/platform/config"
)

// Settings are the keys of modules.custom_modules.
type Settings struct {
	MaxModules      int           `config:"max_modules" doc:"How many modules a company may have."`
	MaxFields       int           `config:"max_fields" doc:"How many fields a module may have."`
	MaxIndexed      int           `config:"max_indexed" doc:"How many fields of a module may be indexed."`
	MaxNameLength   int           `config:"max_name_length" doc:"Characters in the name of a module or the label of a field."`
	MaxKeyLength    int           `config:"max_key_length" doc:"Characters in the key of a field."`
	MaxRecords      int           `config:"max_records" doc:"How many records a company may have, not counting deleted ones. 0 is no limit."`
	MaxPayload      config.Size   `config:"max_payload" doc:"Bytes in the payload of a record."`
	MaxDepth        int           `config:"max_depth" doc:"Nesting levels of objects and lists in a payload, including the payload itself."`
	MaxTextLength   int           `config:"max_text_length" doc:"Characters in a long_text value."`
	MaxScan         int           `config:"max_scan" doc:"Largest number of records at which a module can be filtered and sorted by fields that are not indexed. 0 is no limit."`
	MaxCascade      int           `config:"max_cascade" doc:"How many other records the deletion of a record may change or delete."`
	MaxBulk         int           `config:"max_bulk" doc:"Items in a bulk request."`
	MaxBulkSize     config.Size   `config:"max_bulk_size" doc:"Bytes in the body of a bulk request, and of the records in its answer."`
	MaxPack         config.Size   `config:"max_pack" doc:"Bytes in the body of an import of a pack."`
	Retention       time.Duration `config:"retention" doc:"How long deleted records and modules can be restored before they are removed for good."`
	DefinitionCache int           `config:"definition_cache" doc:"How many module definitions are cached in memory."`
}

// Defaults are the settings that hold where none are given.
func Defaults() Settings {
	return Settings{
		MaxModules:      500,
		MaxFields:       200,
		MaxIndexed:      64,
		MaxNameLength:   120,
		MaxKeyLength:    64,
		MaxRecords:      10_000_000,
		MaxPayload:      256 << 10,
		MaxDepth:        8,
		MaxTextLength:   65_536,
		MaxScan:         10_000,
		MaxCascade:      1_000,
		MaxBulk:         500,
		MaxBulkSize:     8 << 20,
		MaxPack:         1 << 20,
		Retention:       90 * 24 * time.Hour,
		DefinitionCache: 1_000,
	}
}

// Bounds that other parts rely on: a field's number and slot are small integers, the values
// of a record for custom_modules_index are one statement, and a document
// that is much larger than this is not what a row of a database is for.
const (
	mostFields  = 1_000
	mostIndexed = 200
	mostPayload = 16 << 20
)

// Validate implements the check that config runs.
func (s Settings) Validate() error {
	var problems []error
	for _, bound := range []struct {
		key       string
		value     int
		low, high int
	}{
		{"max_modules", s.MaxModules, 1, 1_000_000},
		{"max_fields", s.MaxFields, 1, mostFields},
		{"max_indexed", s.MaxIndexed, 0, mostIndexed},
		{"max_name_length", s.MaxNameLength, 1, 500},
		{"max_key_length", s.MaxKeyLength, 1, 200},
		{"max_records", s.MaxRecords, 0, 1 << 40},
		{"max_payload", int(s.MaxPayload), 1 << 10, mostPayload},
		{"max_depth", s.MaxDepth, 2, 100},
		{"max_text_length", s.MaxTextLength, 1, mostPayload},
		{"max_scan", s.MaxScan, 0, 1 << 30},
		{"max_cascade", s.MaxCascade, 0, 100_000},
		{"max_bulk", s.MaxBulk, 1, 10_000},
		{"max_bulk_size", int(s.MaxBulkSize), 1 << 10, 64 << 20},
		{"max_pack", int(s.MaxPack), 1 << 10, 16 << 20},
		{"definition_cache", s.DefinitionCache, 1, 1_000_000},
	} {
		if bound.value < bound.low || bound.value > bound.high {
			problems = append(problems, fmt.Errorf("%s: want %d to %d, got %d",
				bound.key, bound.low, bound.high, bound.value))
		}
	}

	if s.Retention < time.Hour {
		problems = append(problems, fmt.Errorf("retention: want 1h or more, got %s", s.Retention))
	}

	return errors.Join(problems...)
}
