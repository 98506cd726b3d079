package columns

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/audit"
)

// Detach gives a row that was copied pointers, lists and objects of its own, so that what is written to them leaves the other one alone.
func (p *Plan) Detach(row reflect.Value) {
	for _, f := range p.Stored {
		v := f.Of(row)
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			v.Set(own)
		}
		if v.CanAddr() {
			if shared, ok := reflect.TypeAssert[interface{ detach() }](v.Addr()); ok {
				shared.detach()
			}
		}
	}
}

// Changes are the fields that differ between two versions of a row. Of sensitive and personal ones there are no values.
func (p *Plan) Changes(created bool, before, after reflect.Value) map[string]audit.Change {
	all := map[string]audit.Change{}
	for _, f := range p.Changed(before, after) {
		change := audit.Change{Before: f.Shown(before), After: f.Shown(after)}
		if created {
			change.Before = nil
		}
		if f.Sensitive || f.Personal {
			change = audit.Change{}
		}
		all[f.Key] = change
	}

	return all
}

// Changed are the fields that differ between two versions of a row, but for those that say who changed it and when.
func (p *Plan) Changed(before, after reflect.Value) []*Field {
	return slices.DeleteFunc(slices.Clone(p.Fields), func(f *Field) bool {
		return strings.HasPrefix(f.Key, "updated_") || strings.HasPrefix(f.Key, "created_") || f.Key == "version" || f.Key == "uuid" ||
			f.Same(before, after)
	})
}

// Same reports whether two versions of a row have the same values.
func (p *Plan) Same(a, b reflect.Value) bool {
	for _, f := range p.Stored {
		if !f.Same(a, b) {
			return false
		}
	}

	return true
}

// Same reports whether two rows have the same value of the field.
func (f *Field) Same(a, b reflect.Value) bool {
	x, y := f.Plain(a), f.Plain(b)
	if at, is := x.(time.Time); is {
		other, same := y.(time.Time)

		return same && at.Equal(other)
	}

	return reflect.DeepEqual(x, y)
}
