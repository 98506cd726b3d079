package store

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/google/uuid"
)

// EntryKey identifies an entry of a list by all its values.
func EntryKey[E any](entry *E) string {
	text, err := json.Marshal(entry)
	if err != nil {
		return ""
	}

	return string(text)
}

// Distinct sorts ids and removes duplicates.
func Distinct(ids []uuid.UUID) []uuid.UUID {
	sorted := slices.SortedFunc(slices.Values(ids), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })

	return slices.Compact(sorted)
}
