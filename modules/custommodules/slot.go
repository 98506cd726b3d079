package custommodules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/field"
)

// slot names one of the typed columns, or the rows of custom_modules_index for the values of one field; ""
// is none.
type slot string

// slotCount is how many slot columns the table of records has.
const slotCount = 26

// slots are all slot columns in the order of the table. They are fixed: each has one index of its
// own, whatever the number of modules is.
func slots() [slotCount]slot {
	return [slotCount]slot{
		"text_1", "text_2", "text_3", "text_4", "text_5", "text_6", "text_7", "text_8",
		"numeric_1", "numeric_2", "numeric_3", "numeric_4", "numeric_5", "numeric_6",
		"time_1", "time_2", "time_3", "time_4",
		"bool_1", "bool_2", "bool_3", "bool_4",
		"uuid_1", "uuid_2", "uuid_3", "uuid_4",
	}
}

// slotsOf returns the slots of a kind.
func slotsOf(kind field.Index) []slot {
	var all []slot
	for _, s := range slots() {
		if s.kind() == kind {
			all = append(all, s)
		}
	}

	return all
}

// freeSlot returns the first slot of a kind that is not taken, "" when all are.
func freeSlot(kind field.Index, taken []slot) slot {
	for _, s := range slotsOf(kind) {
		if !slices.Contains(taken, s) {
			return s
		}
	}

	return ""
}

// overflowSlot is the slot of a field, by its number, for which no column is free.
func overflowSlot(kind field.Index, number int) slot {
	return slot(string(kind) + inIndex + strconv.Itoa(number))
}

// inIndex is the middle of the name of a slot that is no column.
const inIndex = "_index_"

// overflows reports whether the values are in rows of custom_modules_index.
func (s slot) overflows() bool { return strings.HasPrefix(string(s), string(s.kind())+inIndex) }

func (s slot) kind() field.Index {
	kind, _, _ := strings.Cut(string(s), "_")

	return field.Index(kind)
}

// position is where the slot stands among slots(), -1 for one that is no column.
func (s slot) position() int {
	all := slots()

	return slices.Index(all[:], s)
}
