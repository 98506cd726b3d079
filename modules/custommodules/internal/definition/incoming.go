package definition

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
)

// arrival is how an incoming field gets its values: from the field whose place it is to take.
type arrival struct {
	field.Converter

	From *ModuleField
	// failing says what becomes of values that do not convert; fallback is the one that they become.
	failing  OnFailure
	fallback field.Value
}

// former is a field whose place another one has taken, and how its values become those of the one after it.
type former struct {
	field.Converter

	field *ModuleField
	// next is the one after it, nil for the field that is there now.
	next *former
}

// Trace finds out, for fields that replace others, from where they have their values. The fields are in the
// order of the rows; formerRows are those that are gone.
func (t Types) Trace(rows []FieldRow, fields []*ModuleField, formerRows []FieldRow) error {
	at := map[uuid.UUID]*ModuleField{}
	byID := map[uuid.UUID]FieldRow{}
	for i, row := range rows {
		at[row.ID] = fields[i]
	}
	for _, row := range formerRows {
		byID[row.ID] = row
	}
	for i, row := range rows {
		switch {
		case row.Replaces == nil:
		case row.Incoming:
			if err := fields[i].arriveFrom(at[*row.Replaces], row); err != nil {
				return err
			}
		default:
			if err := t.formers(fields[i], row, byID); err != nil {
				return err
			}
		}
	}

	return nil
}

// arriveFrom lets an incoming field have its values from another one, under whose name it goes.
func (f *ModuleField) arriveFrom(from *ModuleField, row FieldRow) error {
	if from == nil {
		return fmt.Errorf("field %s: the field that it replaces is missing", row.ID)
	}
	how, known := field.ConversionOf(from.Typ.Name, f.Typ.Name)
	if !known {
		return fmt.Errorf("field %s: this version does not know the conversion from %s to %s", row.ID, from.Typ.Name, f.Typ.Name)
	}
	f.Arrival = &arrival{Converter: field.Converter{Conversion: how, Old: from.Values, New: f.Values}, From: from, failing: row.OnFailure}
	f.Key, f.Spoken = from.Key, from.Spoken
	if row.OnFailure == DefaultFailing && row.Fallback != nil {
		fallback, err := f.Values.Parse(*row.Fallback)
		if err != nil {
			return fmt.Errorf("field %s: default: %w", row.ID, err)
		}
		f.Arrival.fallback = fallback
	}

	return nil
}

// formers follows a field back through those that it replaced, the latest first.
func (t Types) formers(f *ModuleField, row FieldRow, byID map[uuid.UUID]FieldRow) error {
	next, made := (*former)(nil), f.Values
	madeType := f.Typ.Name
	for row.Replaces != nil {
		before, there := byID[*row.Replaces]
		if !there {
			return nil
		}
		old, err := t.Compile(before)
		if err != nil {
			return fmt.Errorf("field %s: %w", before.ID, err)
		}
		how, known := field.ConversionOf(string(before.Type), madeType)
		if !known {
			return nil
		}
		one := &former{Converter: field.Converter{Conversion: how, Old: old.Values, New: made}, field: old, next: next}
		f.formers = append(f.formers, one)
		next, made, madeType, row = one, old.Values, string(before.Type), before
	}

	return nil
}

// value converts a value of a field that is gone into one of the field that is there now.
func (f *former) value(raw []byte) (field.Value, error) {
	v, _, err := f.Convert(raw)
	if err != nil || f.next == nil {
		return v, err
	}

	return f.next.value(v.JSON)
}

// arrive sets the values of incoming fields. One that does not convert and is not decided about is left out.
func (d *Definition) arrive(values []field.Value) {
	for _, i := range d.arriving {
		f := d.Fields[i]
		v, _, err := f.Arrival.Convert(values[d.ByNumber[f.Arrival.From.Number]].JSON)
		if err != nil {
			v = f.Arrival.replacement()
		}
		values[i] = v
	}
}

// replacement is what becomes of a value that does not convert; without JSON, nothing is decided.
func (a *arrival) replacement() field.Value {
	switch a.failing {
	case ClearFailing:
		return field.Value{JSON: []byte("null")}
	case DefaultFailing:
		return a.fallback
	case RefuseFailing:
	}

	return field.Value{}
}

// checkArriving finds new values that would not be right when the incoming field takes the place of theirs.
func (d *Definition) checkArriving(values []field.Value, changed func(i int) bool, found *Problems) {
	for _, i := range d.arriving {
		f := d.Fields[i]
		source := d.ByNumber[f.Arrival.From.Number]
		if !changed(source) {
			continue
		}
		if _, _, err := f.Arrival.Convert(values[source].JSON); err != nil {
			found.Add("payload."+f.Key, fmt.Sprintf("The %s is being changed to the type %s, so it %s", f.Spoken, f.Typ.Name, err))
		}
	}
}

// RefuseUndecided finds values that do not convert, and about which nothing was decided.
func (d *Definition) RefuseUndecided(document []byte) error {
	if len(d.arriving) == 0 {
		return nil
	}
	var found Problems
	values := d.KeptAll(document)
	d.checkArriving(values, func(i int) bool {
		return d.undecided(i)
	}, &found)

	return found.ErrorAs(ErrInvalidPayload, "payload")
}

func (d *Definition) undecided(source int) bool {
	for _, i := range d.arriving {
		if a := d.Fields[i].Arrival; a.failing == RefuseFailing && a.From == d.Fields[source] {
			return true
		}
	}

	return false
}
