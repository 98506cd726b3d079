package custommodules

import (
	"time"

	"github.com/dispatchd/dispatchd/platform/list"
)

const errLocalDatetime = valueError("must be a date and time: YYYY-MM-DD HH:MM:SS.")

// localDatetime is a date and a time as the clock on the wall there shows it, without a zone.
type localDatetime struct {
	stringCells
	bounds
}

func localDatetimeType() fieldType {
	return fieldType{
		name:     "local_datetime",
		about:    "A date and time without a zone, as YYYY-MM-DD HH:MM:SS, from min to max.",
		slot:     timeSlot,
		filter:   list.LocalTime,
		sortable: true,
		options:  func() valueType { return &localDatetime{} },
	}
}

func (l *localDatetime) check() error { return l.checkTimes(time.DateTime, errLocalDatetime) }

func (l *localDatetime) parse(raw []byte) (value, error) {
	return l.parseTime(raw, time.DateTime, errLocalDatetime)
}

func (*localDatetime) comparable(text string) (any, error) {
	return text, checkTime(text, time.DateTime, errLocalDatetime)
}

func (*localDatetime) schema() map[string]any {
	return map[string]any{
		"type": "string", "pattern": `^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$`,
	}
}
