package custommodules

import (
	"time"

	"github.com/dispatchd/dispatchd/platform/list"
)

const errTimeOfDay = valueError("must be a time: HH:MM:SS.")

// timeOfDay is a time as the clock on the wall shows it, on no particular day. No column of times
// holds one without a day, and as text it sorts right.
type timeOfDay struct {
	stringCells
	bounds
}

func timeOfDayType() fieldType {
	return fieldType{
		name:      "time",
		about:     "A time of the day, as HH:MM:SS, from min to max.",
		slot:      textSlot,
		filter:    list.Text,
		operators: ordered(),
		sortable:  true,
		options:   func() valueType { return &timeOfDay{} },
	}
}

func (t *timeOfDay) check() error { return t.checkTimes(time.TimeOnly, errTimeOfDay) }

func (t *timeOfDay) parse(raw []byte) (value, error) {
	return t.parseTime(raw, time.TimeOnly, errTimeOfDay)
}

func (*timeOfDay) comparable(text string) (any, error) {
	return text, checkTime(text, time.TimeOnly, errTimeOfDay)
}

func (*timeOfDay) schema() map[string]any {
	return map[string]any{"type": "string", "pattern": `^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$`}
}
