package binding

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// fill sets the defaults in a value that was read from JSON: where the zero value is.
type fill func(v reflect.Value)

// fillOf returns what sets the defaults of a type; nil if there are none. A type that is inside of itself has those of its first level.
// It refuses what is not carried: resolvers of values, and defaults of values that are not text, numbers or booleans.
func fillOf(t reflect.Type, around map[reflect.Type]bool) (fill, error) {
	if pointer := reflect.PointerTo(t); pointer.Implements(resolver) || pointer.Implements(resolverWithPath) {
		return nil, fmt.Errorf("%s has a method Resolve, which is for inputs", t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		inner, err := fillOf(t.Elem(), around)

		return inner.ofPointer(), err
	case reflect.Slice:
		inner, err := fillOf(t.Elem(), around)

		return inner.ofSlice(), err
	case reflect.Map:
		inner, err := fillOf(t.Elem(), around)
		if inner != nil {
			return nil, fmt.Errorf("%s has defaults in the values of a map, which are not supported", t)
		}

		return nil, err
	case reflect.Struct:
		if around[t] {
			return nil, nil
		}
		around[t] = true
		defer delete(around, t)

		return fillOfStruct(t, around)
	default:
		return nil, nil
	}
}

func (inner fill) ofPointer() fill {
	if inner == nil {
		return nil
	}

	return func(v reflect.Value) {
		if !v.IsNil() {
			inner(v.Elem())
		}
	}
}

func (inner fill) ofSlice() fill {
	if inner == nil {
		return nil
	}

	return func(v reflect.Value) {
		for i := range v.Len() {
			inner(v.Index(i))
		}
	}
}

func fillOfStruct(t reflect.Type, around map[reflect.Type]bool) (fill, error) {
	type step struct {
		field int
		fill  fill
	}
	var steps []step
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		if text := f.Tag.Get("default"); text != "" {
			own, err := fillWith(f, text)
			if err != nil {
				return nil, err
			}
			steps = append(steps, step{i, own})
		}
		inner, err := fillOf(f.Type, around)
		if err != nil {
			return nil, err
		}
		if inner != nil {
			steps = append(steps, step{i, inner})
		}
	}
	if len(steps) == 0 {
		return nil, nil
	}

	return func(v reflect.Value) {
		for _, s := range steps {
			s.fill(v.Field(s.field))
		}
	}, nil
}

// fillWith returns what sets the default of a field.
func fillWith(f reflect.StructField, text string) (fill, error) {
	t, isPointer := f.Type, f.Type.Kind() == reflect.Pointer
	if isPointer {
		t = t.Elem()
	}
	value := reflect.New(t).Elem()
	switch kind := t.Kind(); {
	case kind == reflect.String:
		value.SetString(text)
	case kind >= reflect.Bool && kind <= reflect.Float64 && kind != reflect.Uintptr:
		if err := json.Unmarshal([]byte(text), value.Addr().Interface()); err != nil {
			return nil, fmt.Errorf("the default of %s: %w", f.Name, err)
		}
	default:
		return nil, fmt.Errorf("%s has a default and is a %s, which is not supported", f.Name, f.Type)
	}

	return func(v reflect.Value) {
		if !v.IsZero() {
			return
		}
		if isPointer {
			v.Set(reflect.New(t))
			v = v.Elem()
		}
		v.Set(value)
	}, nil
}
