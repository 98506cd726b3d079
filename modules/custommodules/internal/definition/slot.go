package definition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/field"
)

// Slot names one of the typed columns, or the rows of custom_modules_index for the values of one field; ""
// is none.
type Slot string

// SlotCount is how many slot columns the table of records has.
const SlotCount = 26

// AllSlots are all slot columns in the order of the table. They are fixed: each has one index of its
// own, whatever the number of modules is.
func AllSlots() [SlotCount]Slot {
	return [SlotCount]Slot{
		"text_1", "text_2", "text_3", "text_4", "text_5", "text_6", "text_7", "text_8",
		"numeric_1", "numeric_2", "numeric_3", "numeric_4", "numeric_5", "numeric_6",
		"time_1", "time_2", "time_3", "time_4",
		"bool_1", "bool_2", "bool_3", "bool_4",
		"uuid_1", "uuid_2", "uuid_3", "uuid_4",
	}
}

// SlotsOf returns the slots of a kind.
func SlotsOf(kind field.Index) []Slot {
	var all []Slot
	for _, s := range AllSlots() {
		if s.Kind() == kind {
			all = append(all, s)
		}
	}

	return all
}

// freeSlot returns the first slot of a kind that is not taken, "" when all are.
func freeSlot(kind field.Index, taken []Slot) Slot {
	for _, s := range SlotsOf(kind) {
		if !slices.Contains(taken, s) {
			return s
		}
	}

	return ""
}

// overflowSlot is the slot of a field, by its number, for which no column is free.
func overflowSlot(kind field.Index, number int) Slot {
	return Slot(string(kind) + inIndex + strconv.Itoa(number))
}

// inIndex is the middle of the name of a slot that is no column.
const inIndex = "_index_"

// Overflows reports whether the values are in rows of custom_modules_index.
func (s Slot) Overflows() bool { return strings.HasPrefix(string(s), string(s.Kind())+inIndex) }

// Kind is the kind of the values that the slot holds.
func (s Slot) Kind() field.Index {
	kind, _, _ := strings.Cut(string(s), "_")

	return field.Index(kind)
}

// Position is where the slot stands among slots(), -1 for one that is no column.
func (s Slot) Position() int {
	all := AllSlots()

	return slices.Index(all[:], s)
}
