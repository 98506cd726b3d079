package custommodules

import (
	"slices"
	"strings"
)

// slotKind is a sort of typed column, beside the document of a record, that an indexed value is
// copied to.
type slotKind string

const (
	// textSlot compares bytes, which for UTF-8 is the order of code points.
	textSlot slotKind = "text"
	// numericSlot is exact: numeric on PostgreSQL, text in the order of numbers on SQLite.
	numericSlot slotKind = "numeric"
	// timeSlot holds a date, or a date and time, without a zone.
	timeSlot slotKind = "time"
	boolSlot slotKind = "bool"
	uuidSlot slotKind = "uuid"
)

// slot names one of the typed columns; "" is none.
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

// all returns the slots of a kind.
func (k slotKind) all() []slot {
	var all []slot
	for _, s := range slots() {
		if s.kind() == k {
			all = append(all, s)
		}
	}

	return all
}

// free returns the first slot of a kind that is not taken, "" when all are.
func (k slotKind) free(taken []slot) slot {
	for _, s := range k.all() {
		if !slices.Contains(taken, s) {
			return s
		}
	}

	return ""
}

func (s slot) kind() slotKind {
	kind, _, _ := strings.Cut(string(s), "_")

	return slotKind(kind)
}

// position is where the slot stands among slots(), -1 for none.
func (s slot) position() int {
	all := slots()

	return slices.Index(all[:], s)
}
