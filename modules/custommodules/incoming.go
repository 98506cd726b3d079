package custommodules

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
)

// arrival is how an incoming field gets its values: from the field whose place it is to take.
type arrival struct {
	field.Converter

	from *moduleField
	// failing says what becomes of values that do not convert; fallback is the one that they become.
	failing  onFailure
	fallback field.Value
}

// former is a field whose place another one has taken, and how its values become those of the one after it.
type former struct {
	field.Converter

	field *moduleField
	// next is the one after it, nil for the field that is there now.
	next *former
}

// trace finds out, for fields that replace others, from where they have their values. The fields are in the
// order of the rows; formerRows are those that are gone.
func (t types) trace(rows []fieldRow, fields []*moduleField, formerRows []fieldRow) error {
	at := map[uuid.UUID]*moduleField{}
	byID := map[uuid.UUID]fieldRow{}
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
func (f *moduleField) arriveFrom(from *moduleField, row fieldRow) error {
	if from == nil {
		return fmt.Errorf("field %s: what it is to replace is gone", row.ID)
	}
	how, known := field.ConversionOf(from.typ.Name, f.typ.Name)
	if !known {
		return fmt.Errorf("field %s: this version does not know the conversion from %s to %s", row.ID, from.typ.Name, f.typ.Name)
	}
	f.arrival = &arrival{Converter: field.Converter{Conversion: how, Old: from.values, New: f.values}, from: from, failing: row.OnFailure}
	f.key, f.spoken = from.key, from.spoken
	if row.OnFailure == defaultFailing && row.Fallback != nil {
		fallback, err := f.values.Parse(*row.Fallback)
		if err != nil {
			return fmt.Errorf("field %s: default: %w", row.ID, err)
		}
		f.arrival.fallback = fallback
	}

	return nil
}

// formers follows a field back through those that it replaced, the latest first.
func (t types) formers(f *moduleField, row fieldRow, byID map[uuid.UUID]fieldRow) error {
	next, made := (*former)(nil), f.values
	madeType := f.typ.Name
	for row.Replaces != nil {
		before, there := byID[*row.Replaces]
		if !there {
			return nil
		}
		old, err := t.compile(before)
		if err != nil {
			return fmt.Errorf("field %s: %w", before.ID, err)
		}
		how, known := field.ConversionOf(string(before.Type), madeType)
		if !known {
			return nil
		}
		one := &former{Converter: field.Converter{Conversion: how, Old: old.values, New: made}, field: old, next: next}
		f.formers = append(f.formers, one)
		next, made, madeType, row = one, old.values, string(before.Type), before
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
func (d *definition) arrive(values []field.Value) {
	for _, i := range d.arriving {
		f := d.fields[i]
		v, _, err := f.arrival.Convert(values[d.byNumber[f.arrival.from.number]].JSON)
		if err != nil {
			v = f.arrival.instead()
		}
		values[i] = v
	}
}

// instead is what becomes of a value that does not convert; without JSON, nothing is decided.
func (a *arrival) instead() field.Value {
	switch a.failing {
	case clearFailing:
		return field.Value{JSON: []byte("null")}
	case defaultFailing:
		return a.fallback
	case refuseFailing:
	}

	return field.Value{}
}

// checkArriving finds new values that would not be right when the incoming field takes the place of theirs.
func (d *definition) checkArriving(values []field.Value, changed func(i int) bool, found *problems) {
	for _, i := range d.arriving {
		f := d.fields[i]
		source := d.byNumber[f.arrival.from.number]
		if !changed(source) {
			continue
		}
		if _, _, err := f.arrival.Convert(values[source].JSON); err != nil {
			found.add("payload."+f.key, fmt.Sprintf("The %s is being changed to the type %s, so it %s", f.spoken, f.typ.Name, err))
		}
	}
}

// refuseUndecided finds values that do not convert, and about which nothing was decided.
func (d *definition) refuseUndecided(document []byte) error {
	if len(d.arriving) == 0 {
		return nil
	}
	var found problems
	values := d.keptAll(document)
	d.checkArriving(values, func(i int) bool {
		return d.undecided(i)
	}, &found)

	return found.as(errInvalidPayload, "payload")
}

func (d *definition) undecided(source int) bool {
	for _, i := range d.arriving {
		if a := d.fields[i].arrival; a.failing == refuseFailing && a.from == d.fields[source] {
			return true
		}
	}

	return false
}

// withFormer reads the fields that those of a module have replaced, however long ago.
func (d *definitions) withFormer(ctx context.Context, rows []fieldRow) (all []fieldRow, err error) {
	next := rows
	for {
		var ids []uuid.UUID
		for _, row := range next {
			if row.Replaces != nil && !row.Incoming {
				ids = append(ids, *row.Replaces)
			}
		}
		if len(ids) == 0 {
			return all, nil
		}
		if next, err = d.repo.replacedFields(ctx, ids); err != nil || len(next) == 0 {
			return all, err
		}
		all = append(all, next...)
	}
}
