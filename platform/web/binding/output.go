package binding

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Output is a type of output, as far as its tags say how it is written.
type Output struct {
	of      reflect.Type
	headers []header
	// body and status are the numbers of the fields Body and Status, -1 for none.
	body, status int
	// media says that an answer of bytes says of what media type they are.
	media bool
}

// header is a field that is written as a header.
type header struct {
	field reflect.StructField
	index []int
	name  string
}

// OutputOf reads the tags of an output, which is a struct. Its errors are what is not written, all of it.
func OutputOf(t reflect.Type) (*Output, error) {
	out := &Output{of: t, body: -1, status: -1}
	err := out.collect(t, nil)
	if f, ok := t.FieldByName("Status"); ok {
		out.status = f.Index[0]
		if f.Type.Kind() != reflect.Int || len(f.Index) > 1 {
			err = errors.Join(err, errors.New("the Status of its output: want an int of its own"))
		}
	}
	if f, ok := t.FieldByName("Body"); ok {
		out.body = f.Index[0]
		switch {
		case len(f.Index) > 1:
			err = errors.Join(err, errors.New("its output embeds a Body, which is not supported"))
		case f.Type.Kind() == reflect.Func && f.Type != reflect.TypeFor[func(huma.Context)]():
			err = errors.Join(err, errors.New("its output has a function as Body, which is for streams"))
		case out.media && !out.WritesBytes():
			err = errors.Join(err, errors.New("its output has a Content-Type, which is for a Body of bytes"))
		}
	}

	return out, err
}

// WritesBytes reports whether the body is bytes, which are written as they are.
func (out *Output) WritesBytes() bool {
	return out.body >= 0 && out.of.Field(out.body).Type == reflect.TypeFor[[]byte]()
}

func (out *Output) collect(t reflect.Type, index []int) (err error) {
	for i := range t.NumField() {
		f, at := t.Field(i), append(slices.Clone(index), i)
		switch {
		case !f.IsExported() || f.Name == "Body" || f.Name == "Status":
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			err = errors.Join(err, out.collect(f.Type, at))
		case f.Anonymous || !writable(f.Type) || f.Tag.Get("hidden") != "" || f.Tag.Get("timeFormat") != "":
			err = errors.Join(err, fmt.Errorf("the field %s of its output is not supported as a header", f.Name))
		default:
			h := header{f, at, cmp.Or(f.Tag.Get("header"), f.Name)}
			out.media = out.media || h.name == "Content-Type"
			out.headers = append(out.headers, h)
		}
	}

	return err
}

// writable reports whether values of a type are written as headers.
func writable(t reflect.Type) bool {
	return t.Kind() == reflect.String || t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64 || t == reflect.TypeFor[time.Time]()
}

func (out *Output) describe(op *huma.Operation, registry huma.Registry) {
	response := &huma.Response{Description: http.StatusText(op.DefaultStatus)}
	op.Responses = map[string]*huma.Response{strconv.Itoa(op.DefaultStatus): response}
	if out.body >= 0 && out.of.Field(out.body).Type.Kind() != reflect.Func {
		response.Content = map[string]*huma.MediaType{mediaJSON: {}}
	}
	for _, h := range out.headers {
		if response.Headers == nil {
			response.Headers = map[string]*huma.Param{}
		}
		if h.field.Type == reflect.TypeFor[time.Time]() {
			h.field.Type = reflect.TypeFor[string]()
		}
		response.Headers[h.name] = &huma.Header{Schema: huma.SchemaFromField(registry, h.field, "")}
	}
}

// BodySchema describes the body of an operation's answers, nil for none. Schemas that it refers to go to the registry.
func (out *Output) BodySchema(operation string, registry huma.Registry) (schema *huma.Schema, err error) {
	if out.body < 0 {
		return nil, nil
	}
	defer recoverInto(&err)
	f, hint := out.of.Field(out.body), operation+"Response"
	if out.of.Name() != "" {
		hint = out.of.Name() + f.Name
	}

	return huma.SchemaFromField(registry, f, hint), nil
}

// Status is that of success, unless an output says another.
func (out *Output) Status(declared int) int {
	switch {
	case declared != 0:
		return declared
	case out.body >= 0:
		return http.StatusOK
	default:
		return http.StatusNoContent
	}
}

// Begin writes the headers and the status of an answer, and all of it if it is no JSON: an output that is a pointer to a struct.
// If written is false, body is to be written as JSON.
func (p *Plan) Begin(ctx huma.Context, output any) (body any, written bool) {
	out, v := p.output, reflect.ValueOf(output).Elem()
	for i := range out.headers {
		out.headers[i].write(ctx, v)
	}
	status := ctx.Operation().DefaultStatus
	if out.status >= 0 {
		status = int(v.Field(out.status).Int())
	}
	if out.body < 0 {
		ctx.SetStatus(status)

		return nil, true
	}
	body = v.Field(out.body).Interface()
	switch body := body.(type) {
	case func(huma.Context):
		body(ctx) // sets the status too
	case []byte:
		ctx.SetStatus(status)
		_, _ = ctx.BodyWriter().Write(body) //nolint:errcheck // into memory
	default:
		ctx.SetHeader("Content-Type", mediaJSON)
		ctx.SetStatus(status)

		return body, false
	}

	return nil, true
}

// write writes the header, unless its value is an empty text or the zero time.
func (h *header) write(ctx huma.Context, output reflect.Value) {
	f := output.FieldByIndex(h.index)
	var text string
	switch f.Kind() {
	case reflect.String:
		text = f.String()
	case reflect.Struct:
		if at, _ := reflect.TypeAssert[time.Time](f); !at.IsZero() {
			text = at.Format(http.TimeFormat)
		}
	default:
		text = strconv.FormatInt(f.Int(), 10)
	}
	if text != "" {
		ctx.SetHeader(h.name, text)
	}
}
