package config

import (
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes. As text it is a whole number with a unit, "512KiB", "10MiB", "1GB",
// or without one, "1048576".
type Size int64

// Sizes to build others from.
const (
	KiB Size = 1 << 10
	MiB Size = 1 << 20
	GiB Size = 1 << 30
	TiB Size = 1 << 40
)

// unit is what may follow the number of a size.
type unit struct {
	name string
	size Size
}

// units lists the units, the largest first; those that String uses are the binary ones and B.
var units = []unit{
	{"TiB", TiB},
	{"GiB", GiB},
	{"MiB", MiB},
	{"KiB", KiB},
	{"TB", 1_000_000_000_000},
	{"GB", 1_000_000_000},
	{"MB", 1_000_000},
	{"KB", 1_000},
	{"B", 1},
}

// parseSize reads a size; units are not case-sensitive.
func parseSize(text string) (Size, bool) {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	name := text[len(digits):]
	n, err := strconv.ParseUint(strings.TrimSuffix(digits, " "), 10, 63)
	if err != nil {
		return 0, false
	}
	if name == "" {
		return Size(n), true
	}
	for _, u := range units {
		if strings.EqualFold(u.name, name) {
			return Size(n) * u.size, Size(n) <= math.MaxInt64/u.size
		}
	}

	return 0, false
}

// String returns the size in the largest binary unit of which it is a whole number.
func (s Size) String() string {
	for _, u := range units {
		if s != 0 && s%u.size == 0 && (strings.HasSuffix(u.name, "iB") || u.size == 1) {
			return strconv.FormatInt(int64(s/u.size), 10) + u.name
		}
	}

	return "0B"
}

// MarshalText implements encoding.TextMarshaler.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
