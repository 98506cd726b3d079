package definition

// alias names the rows of a field in statements that read several fields.
func (f *ModuleField) alias() string { return "x" + f.Number }

// OverflowFields are the fields whose values are in custom_modules_index.
func (d *Definition) OverflowFields() []*ModuleField {
	var all []*ModuleField
	for _, f := range d.Fields {
		if f.Overflow {
			all = append(all, f)
		}
	}

	return all
}

// Overflows reports whether the values of the field are indexed beside the records.
func (f FieldRow) Overflows() bool { return f.Slot != nil && f.Slot.Overflows() }
