package definition

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// presetMe is the default of a user that is who makes the record.
const presetMe = "me"

// Presets are what defaults are worked out of that say no value themselves.
type Presets struct {
	// now is the present where the company is, zero where no default is counted from it.
	Now time.Time
	// user is who makes the record, nil for a program.
	User *uuid.UUID
}

// RelativePreset returns a default that is no value but the word for one: today+7d, or me. It returns false for others.
func RelativePreset(typ field.Type, values field.Values, raw []byte) (rawjson.Object, bool) {
	text := rawjson.Text(raw)
	if _, names := values.(field.UserNamer); names {
		return rawjson.Quote(presetMe), text == presetMe
	}
	if !typ.Filter.Dated() {
		return nil, false
	}
	moment, ok := calendar.Parse(text)

	return rawjson.Quote(moment.String()), ok
}

// CheckPreset says what a default that is meant as a relative one could have been, "" for others.
func CheckPreset(typ field.Type, raw []byte) string {
	if typ.Filter.Dated() && calendar.LooksRelative(rawjson.Text(raw)) {
		return "The default is neither a value of the type nor one of: " + calendar.Grammar + "."
	}

	return ""
}

// presetOf returns the JSON of the field's default for one record, nil for none. A moment outside of the years 1 to 9999 comes
// as the word, which is no value and is refused as such.
func (f *ModuleField) presetOf(by Presets) []byte {
	switch {
	case f.presetMe && by.User == nil:
		return nil
	case f.presetMe:
		return rawjson.Quote(by.User.String())
	case f.presetMoment == nil:
		return f.preset
	}
	at, ok := f.presetMoment.At(by.Now)
	if !ok {
		return f.preset
	}

	return rawjson.Quote(f.Typ.Filter.FormatTime(at))
}

// relate notes that the default of the field is worked out for each record, if it is.
func (f *ModuleField) relate() {
	if f.preset == nil {
		return
	}
	if _, relative := RelativePreset(f.Typ, f.Values, f.preset); !relative {
		return
	}
	if moment, ok := calendar.Parse(rawjson.Text(f.preset)); ok {
		f.presetMoment = &moment

		return
	}
	f.presetMe = true
}
