package custommodules

import (
	"slices"
	"strconv"
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

// overflow is the slot of a field, by its number, for which no column is free.
func (k slotKind) overflow(number int) slot {
	return slot(string(k) + inIndex + strconv.Itoa(number))
}

// inIndex is the middle of the name of a slot that is no column.
const inIndex = "_index_"

// overflows reports whether the values are in rows of custom_modules_index.
func (s slot) overflows() bool { return strings.HasPrefix(string(s), string(s.kind())+inIndex) }

// value is the column of custom_modules_index for values of the kind.
func (k slotKind) value() string { return string(k) + "_value" }

// slotKinds are all kinds, in the order of the columns of custom_modules_index.
func slotKinds() []slotKind { return []slotKind{textSlot, numericSlot, timeSlot, boolSlot, uuidSlot} }

func (s slot) kind() slotKind {
	kind, _, _ := strings.Cut(string(s), "_")

	return slotKind(kind)
}

// position is where the slot stands among slots(), -1 for one that is no column.
func (s slot) position() int {
	all := slots()

	return slices.Index(all[:], s)
}
