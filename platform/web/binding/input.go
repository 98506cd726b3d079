package binding

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Input is a type of input, as far as its tags say how it is read. Many operations may have the same one.
type Input struct {
	of         reflect.Type
	parameters []parameter
	// body is the field Body, and raw RawBody; they have no Index if there is none.
	body, raw reflect.StructField
}

// parameter is a field that is read from a part of the path, a key of the query, or a header.
type parameter struct {
	field    reflect.StructField
	index    []int // from the input
	in, name string
	fallback string // the text of its default
	required bool
	// repeated keys of the query may be given several times, deep ones have further names in brackets.
	repeated, deep bool
	parse          parser
}

// InputOf reads the tags of an input, which is a struct. Its errors are what a plan does not read, all of it.
func InputOf(t reflect.Type) (*Input, error) {
	in := &Input{of: t}
	err := in.collect(t, nil)
	in.body, _ = t.FieldByName("Body")
	in.raw, _ = t.FieldByName("RawBody")
	switch {
	case in.body.Index != nil && in.raw.Index != nil:
		err = errors.Join(err, errors.New("its input has a Body and a RawBody"))
	case in.raw.Index != nil && in.raw.Type != reflect.TypeFor[[]byte]():
		err = errors.Join(err, errors.New("the RawBody of its input: want []byte"))
	}

	return in, err
}

// Names returns the names of the parameters in a place: "path", "query" or "header".
func (in *Input) Names(place string) []string {
	var names []string
	for _, p := range in.parameters {
		if p.in == place {
			names = append(names, p.name)
		}
	}

	return names
}

// collect adds the parameters of a struct at index of the input.
func (in *Input) collect(t reflect.Type, index []int) (err error) {
	for i := range t.NumField() {
		f, at := t.Field(i), append(slices.Clone(index), i)
		switch {
		case !f.IsExported() || f.Name == "Body":
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			err = errors.Join(err, in.collect(f.Type, at), in.checkResolver(f.Type))
		case f.Anonymous && f.Type.Kind() == reflect.Pointer:
			err = errors.Join(err, fmt.Errorf("its input embeds a pointer to %s, which is not supported", f.Type.Elem()))
		case !f.Anonymous:
			p, wrong := parameterOf(f)
			if p.in != "" {
				p.index = at
				in.parameters = append(in.parameters, p)
			}
			err = errors.Join(err, wrong)
		}
	}

	return err
}

var (
	resolver         = reflect.TypeFor[huma.Resolver]()
	resolverWithPath = reflect.TypeFor[huma.ResolverWithPath]()
)

// checkResolver refuses an embedded Resolve that is not the input's.
func (in *Input) checkResolver(embedded reflect.Type) error {
	if reflect.PointerTo(embedded).Implements(resolver) && !reflect.PointerTo(in.of).Implements(resolver) {
		return fmt.Errorf("its input embeds %s, whose Resolve is hidden by another: give the input one that calls both", embedded)
	}

	return nil
}

// parameterOf reads the tags of a field. What is in no place is no parameter.
func parameterOf(f reflect.StructField) (parameter, error) {
	p := parameter{field: f, fallback: f.Tag.Get("default")}
	for _, place := range []string{"path", "query", "header", "form", "cookie"} {
		if p.name = f.Tag.Get(place); p.name != "" {
			p.in = place

			break
		}
	}
	if p.in == "" {
		return p, nil
	}
	if f.Type.Kind() == reflect.Pointer {
		return p, fmt.Errorf("its input has a pointer for %s of the %s, which are not supported", p.name, p.in)
	}
	if p.in == "form" || p.in == "cookie" {
		return p, fmt.Errorf("its input has %s of a %s, which is not supported", p.name, p.in)
	}
	if pointer := reflect.PointerTo(f.Type); f.Type.PkgPath() != "" && (pointer.Implements(resolver) || pointer.Implements(resolverWithPath)) {
		return p, fmt.Errorf("its input has a %s for %s of the %s, whose Resolve is not supported: give the input one", f.Type, p.name, p.in)
	}
	for _, tag := range []string{"timeFormat", "hidden"} {
		if f.Tag.Get(tag) != "" {
			return p, fmt.Errorf("its input has the tag %s for %s of the %s, which is not supported", tag, p.name, p.in)
		}
	}
	var options []string
	if p.in == "query" {
		options = strings.Split(p.name, ",")
		p.name, options = options[0], options[1:]
	}
	for _, option := range options {
		switch option {
		case "explode":
			p.repeated = true
		case "deepObject":
			p.deep = true
		default:
			return p, fmt.Errorf("its input has the option %s for %s of the query, which is not supported", option, p.name)
		}
	}
	p.required = p.in == "path" || f.Tag.Get("required") == "true"

	return p, p.chooseParser()
}

// parser reads text into a field, and returns the value as it is checked against the schema. Its problem is what is wrong with the
// text, in the words that Huma has for it, which jsonbody translates.
type parser func(f reflect.Value, text string) (checked any, problem string)

func (p *parameter) chooseParser() error {
	t := p.field.Type
	switch kind := t.Kind(); {
	case p.deep:
		if t == reflect.TypeFor[map[string]string]() {
			return nil
		}
	case kind == reflect.String:
		p.parse = parseText
	case kind >= reflect.Int && kind <= reflect.Int64 && t != reflect.TypeFor[time.Duration]():
		p.parse = parseInteger
	case kind == reflect.Bool:
		p.parse = parseBoolean
	case t == reflect.TypeFor[[]string]() && p.in == "query":
		p.parse = parseList
	case t == reflect.TypeFor[time.Time]():
		if p.in == "query" {
			p.parse = parseTime
		}
	case kind != reflect.Slice && reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		p.parse = parseUnmarshaler
	}
	if p.parse == nil || p.repeated && t.Kind() != reflect.Slice {
		return fmt.Errorf("its input has a %s for %s of the %s, which is not supported", t, p.name, p.in)
	}

	return nil
}

func parseText(f reflect.Value, text string) (checked any, problem string) {
	f.SetString(text)

	return text, ""
}

func parseInteger(f reflect.Value, text string) (checked any, problem string) {
	number, err := strconv.ParseInt(text, 10, f.Type().Bits())
	if err != nil {
		return nil, "invalid integer"
	}
	f.SetInt(number)

	return number, ""
}

func parseBoolean(f reflect.Value, text string) (checked any, problem string) {
	is, err := strconv.ParseBool(text)
	if err != nil {
		return nil, "invalid boolean"
	}
	f.SetBool(is)

	return is, ""
}

func parseList(f reflect.Value, text string) (checked any, problem string) {
	return setList(f, strings.Split(text, ",")), ""
}

func setList(f reflect.Value, list []string) any {
	f.Set(reflect.ValueOf(list))

	return list
}

func parseTime(f reflect.Value, text string) (checked any, problem string) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil, "invalid date/time"
	}
	f.Set(reflect.ValueOf(t))

	return text, ""
}

func parseUnmarshaler(f reflect.Value, text string) (checked any, problem string) {
	value, _ := reflect.TypeAssert[encoding.TextUnmarshaler](f.Addr())
	if err := value.UnmarshalText([]byte(text)); err != nil {
		return nil, "invalid value: " + err.Error()
	}

	return text, ""
}
