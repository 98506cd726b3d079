package config

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// kind is what sort of value a key takes.
type kind struct {
	// name is for the documentation ("integer"), want for messages ("a whole number").
	name, want string
	// parse makes the typed value of what somebody wrote.
	parse func(written) (any, bool)
	// plain makes a value that JSON and YAML show as one would write it.
	plain func(reflect.Value) any
}

// secretKind is the name of the kind whose values are never quoted.
const secretKind = "secret"

// kindOf returns the kind of a field of type t; false if there is none, as for a struct.
func kindOf(t reflect.Type) (kind, bool) {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return durationKind(), true
	case t == reflect.TypeFor[Size]():
		return sizeKind(), true
	case t == reflect.TypeFor[Secret]():
		return kind{secretKind, "text", scalar(textOf(t), text), secretText}, true
	case t.Kind() == reflect.String:
		return kind{"text", "text", scalar(textOf(t), text), func(v reflect.Value) any { return v.String() }}, true
	case t.Kind() == reflect.Bool:
		return boolKind(t), true
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String && t.Elem() != reflect.TypeFor[Secret]():
		return listKind(t), true
	default:
		return numberKind(t)
	}
}

func numberKind(t reflect.Type) (kind, bool) {
	switch {
	case reflect.Zero(t).CanInt():
		return intKind(t), true
	case reflect.Zero(t).CanUint() && t.Kind() != reflect.Uintptr:
		return uintKind(t), true
	case reflect.Zero(t).CanFloat():
		return floatKind(t), true
	default:
		return kind{}, false
	}
}

func secretText(v reflect.Value) any { return Secret(v.String()).String() }

func textOf(t reflect.Type) func(string) (any, bool) {
	return func(s string) (any, bool) { return reflect.ValueOf(s).Convert(t).Interface(), true }
}

func boolKind(t reflect.Type) kind {
	read := func(s string) (any, bool) {
		s = strings.ToLower(s)

		return reflect.ValueOf(s == "true").Convert(t).Interface(), s == "true" || s == "false"
	}

	return kind{"boolean", "true or false", scalar(read, boolean), func(v reflect.Value) any { return v.Bool() }}
}

func intKind(t reflect.Type) kind {
	want := "a whole number"
	if t.Bits() < 64 {
		low := strconv.FormatInt(math.MinInt64>>(64-t.Bits()), 10)
		want += " from " + low + " to " + strconv.FormatInt(math.MaxInt64>>(64-t.Bits()), 10)
	}
	read := func(s string) (any, bool) {
		n, err := strconv.ParseInt(s, 10, t.Bits())

		return reflect.ValueOf(n).Convert(t).Interface(), err == nil
	}

	return kind{"integer", want, scalar(read, integer), func(v reflect.Value) any { return v.Int() }}
}

func uintKind(t reflect.Type) kind {
	want := "a whole number, 0 or more"
	if t.Bits() < 64 {
		want = "a whole number from 0 to " + strconv.FormatUint(math.MaxUint64>>(64-t.Bits()), 10)
	}
	read := func(s string) (any, bool) {
		n, err := strconv.ParseUint(s, 10, t.Bits())

		return reflect.ValueOf(n).Convert(t).Interface(), err == nil
	}

	return kind{"integer", want, scalar(read, integer), func(v reflect.Value) any { return v.Uint() }}
}

func floatKind(t reflect.Type) kind {
	read := func(s string) (any, bool) {
		n, err := strconv.ParseFloat(s, t.Bits())
		finite := !math.IsNaN(n) && !math.IsInf(n, 0)

		return reflect.ValueOf(n).Convert(t).Interface(), err == nil && finite
	}

	return kind{"number", "a number", scalar(read, integer, number), func(v reflect.Value) any { return v.Float() }}
}

func durationKind() kind {
	read := func(s string) (any, bool) {
		d, err := time.ParseDuration(s)

		return d, err == nil
	}

	return kind{"duration", "a duration such as 30s or 5m", scalar(read, text, integer), func(v reflect.Value) any {
		return durationText(time.Duration(v.Int()))
	}}
}

// durationText is Duration.String without units that are zero: "1h", not "1h0m0s".
func durationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}

	return s
}

func sizeKind() kind {
	read := func(s string) (any, bool) {
		size, ok := parseSize(s)

		return size, ok
	}

	return kind{"size", "a size such as 512KiB or 10MiB", scalar(read, text, integer), func(v reflect.Value) any {
		return Size(v.Int()).String()
	}}
}

func listKind(t reflect.Type) kind {
	read := func(w written) (any, bool) {
		items, ok := w.texts()
		list := reflect.Zero(t) // an empty list is nil, however it came about
		for _, item := range items {
			list = reflect.Append(list, reflect.ValueOf(item).Convert(t.Elem()))
		}

		return list.Interface(), ok
	}

	return kind{"list", "a list of texts", read, func(v reflect.Value) any {
		list := make([]string, 0, v.Len())
		for _, item := range v.Seq2() {
			list = append(list, item.String())
		}

		return list
	}}
}
