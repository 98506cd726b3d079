package columns

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

// Explain says of fields that are known and not for callers what they are; path is that of a row.
func (p *Plan) Explain(err error, create bool, path string) error {
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return err
	}
	for key := range e.Fields {
		if f := p.ByKey[key]; f != nil && (f.ReadOnly || (f.Fixed && !create)) {
			words := jsonbody.Sentence(key, "is set by the service. Please leave it out.")
			switch {
			case f.Fixed:
				words = jsonbody.Sentence(key, "cannot be changed.")
			case f.By != "":
				words = jsonbody.Sentence(key, "is set by "+strings.ReplaceAll(f.By, "…", path)+". Please leave it out here.")
			}
			e = e.WithoutField(key).WithField(key, words)
		}
	}

	return e
}

// ApplyPresets gives a new row the defaults of its fields.
func (p *Plan) ApplyPresets(row reflect.Value) error {
	for _, f := range p.Fields {
		if err := f.ApplyPreset(row); err != nil {
			return err
		}
	}

	return nil
}

// ApplyPreset gives a field its default, if it has one.
func (f *Field) ApplyPreset(row reflect.Value) error {
	if f.preset == nil {
		return nil
	}

	return json.Unmarshal(f.preset, f.Of(row).Addr().Interface())
}

// FillCurrency gives a row the usual currency where it has none and the company's is the default.
func (p *Plan) FillCurrency(row reflect.Value, usual func() (string, error)) error {
	for _, f := range p.Fields {
		if !f.usual || !f.Empty(row) {
			continue
		}
		code, err := usual()
		if err != nil {
			return err
		}
		f.Of(row).SetString(code)
	}

	return nil
}

// bodySchema is the body of a create, or of a merge patch: of that, no key is required, and null takes a value away.
func (p *Plan) bodySchema(create bool) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: false}
	for _, f := range p.Fields {
		if !f.Writable() || (f.Fixed && !create) {
			continue
		}
		property := *f.Schema()
		property.Nullable = !f.Required
		if property.Nullable && len(property.Enum) > 0 {
			property.Enum = append(slices.Clone(property.Enum), nil)
		}
		if !create {
			property.Default = nil
		}
		if f.Required && create && f.preset == nil {
			s.Required = append(s.Required, f.Key)
		}
		s.Properties[f.Key] = &property
	}
	s.Properties[OwnKey] = &huma.Schema{
		Type: huma.TypeObject, Nullable: true, AdditionalProperties: true,
		Description: "Values of the fields that the company has added, by their keys: a merge patch.",
	}
	jsonbody.PrecomputeMessages(s)

	return s
}
