package moduletest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/resource"
)

// ownRow is the number of the row that has own fields, for values that are unique.
const ownRow = 6

// ownValue is a field that a company adds: its type and options, a value, and another one; nil is a value that is not set.
type ownValue struct {
	typ        string
	options    map[string]any
	value      any
	other      any
	filterable bool
	searchable bool
}

// ownValues are fields of the types that need nothing but themselves.
func ownValues() map[string]ownValue {
	choices := map[string]any{"options": []any{map[string]any{"id": "a", "label": "A"}, map[string]any{"id": "b", "label": "B"}}}

	return map[string]ownValue{
		"own_text":     {typ: "text", value: "Quokka", other: "Wombat", filterable: true, searchable: true},
		"own_long":     {typ: "long_text", value: "North", other: "South"},
		"own_integer":  {typ: "integer", value: 12, other: 13, filterable: true},
		"own_decimal":  {typ: "decimal", value: "12.50", other: "13.00", filterable: true},
		"own_time":     {typ: "time", value: "10:00:00", other: "11:30:00", filterable: true},
		"own_json":     {typ: "json", value: map[string]any{"bay": 1.0}, other: []any{"bay"}},
		"own_scac":     {typ: "scac", value: "ABCD", other: "WXYZ", filterable: true},
		"own_boolean":  {typ: "boolean", value: true, other: false, filterable: true},
		"own_date":     {typ: "date", value: "2026-11-23", other: "2026-11-24", filterable: true},
		"own_datetime": {typ: "datetime", value: "2026-11-23T10:00:00Z", other: "2026-11-24T10:00:00Z", filterable: true},
		"own_email":    {typ: "email", value: "ann@example.com", other: "bob@example.com", filterable: true},
		"own_phone":    {typ: "phone", value: "+12025550143", other: "+12025550144", filterable: true},
		"own_url":      {typ: "url", value: "https://example.com/a", other: "https://example.com/b"},
		"own_vin":      {typ: "vin", value: "1HGCM82633A004352", other: "1M8GDM9AXKP042788", filterable: true},
		"own_select":   {typ: "select", options: choices, value: "a", other: "b", filterable: true},
		"own_many":     {typ: "multi_select", options: choices, value: []any{"a"}, other: []any{"a", "b"}},
		"own_twice":    {typ: "formula", options: map[string]any{"formula": "own_integer * 2", "result": "integer"}, filterable: true},
		"own_number":   {typ: "auto_number", options: map[string]any{"template": "OWN-{seq:4}"}},
	}
}

// keepsOwnFields proves of a resource, where the area that keeps them is among the modules, that a company adds fields of
// each type to it: rows have their values, lists find and sort by them, q= finds their texts, files and versions have them,
// formulas follow them and the struct, and another company has nothing of them.
func (p player) keepsOwnFields(ctx context.Context, c certified, d resource.Description) error {
	fields := collectionsPath + d.Item + "/fields"
	described, err := p.app.call(ctx, p.app.Owner.Token, http.MethodGet, fields, nil)
	if err != nil || described.Status == http.StatusNotFound || described.Status == http.StatusConflict {
		return err // nobody keeps them, or the area writes its rows by itself
	}
	all := ownValues()
	maps.Copy(all, c.formulasOverStruct(d))
	values, others := map[string]any{}, map[string]any{}
	keys := slices.Sorted(maps.Keys(all)) // a formula is called such that it comes after what it is made of
	for _, key := range keys {
		f := all[key]
		body := map[string]any{"key": key, "type": f.typ, "indexed": f.filterable, "searchable": f.searchable}
		if f.options != nil {
			body["options"] = f.options
		}
		if f.value != nil {
			values[key], others[key] = f.value, f.other
		}
		if _, err := p.mustCall(ctx, http.MethodPost, fields, body); err != nil {
			return err
		}
	}
	row, err := p.ownRow(ctx, c, d, values)
	if err != nil {
		return err
	}
	if err := p.findsOwn(ctx, d, row, all); err != nil {
		return err
	}
	if err := p.changesOwn(ctx, c, d, row, values, others); err != nil {
		return err
	}
	refused, err := p.app.call(ctx, p.other, http.MethodGet, collectionsPath+d.Item, nil)
	if err != nil || refused.Get(`fields.#(key=="custom.own_text")`).Exists() {
		return fmt.Errorf("another company sees the fields: %w: %s", err, refused.Body)
	}

	return nil
}

// changesOwn changes the values of a row's own fields, and its struct, and reverts that.
func (p player) changesOwn(ctx context.Context, c certified, d resource.Description, row string, values, others map[string]any) error {
	path := "/" + d.Area + "/api/v1" + d.Path + "/" + row
	patch := p.filled(c.patchOf(d))
	patch[resource.OwnKey] = others
	steps := []struct {
		what         string
		do           func() error
		values, gone map[string]any
		doubled      int64
	}{
		{"created", func() error { return nil }, values, others, 24},
		{"changed", func() error { _, err := p.mustCall(ctx, http.MethodPatch, path, patch); return err }, others, values, 26},
		{"reverted", func() error {
			_, err := p.mustCall(ctx, http.MethodPost, collectionsPath+d.Item+"/items/"+row+"/revert", map[string]any{"version": 1})

			return err
		}, values, others, 24},
		{"moved on", func() error { return p.movesOn(ctx, c, d, path) }, values, others, 24},
	}
	for _, step := range steps {
		err := step.do()
		if err == nil {
			err = p.hasOwn(ctx, path, step.values, step.doubled)
		}
		if err == nil {
			err = p.followsStruct(ctx, c, d, path)
		}
		if err == nil {
			err = p.findsOwnText(ctx, d, row, fmt.Sprint(step.values["own_text"]), fmt.Sprint(step.gone["own_text"]))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}

	return nil
}

// filled is a body with what was kept of answers.
func (p player) filled(body map[string]any) map[string]any {
	made, _ := fillBody(body, func(text string) string {
		return os.Expand(text, func(name string) string { return p.saved[name] })
	}).(map[string]any)

	return made
}

// ownRow makes a row with values of own fields, of which one is wrong at first.
func (p player) ownRow(ctx context.Context, c certified, d resource.Description, values map[string]any) (string, error) {
	calls, err := c.creating(d, "own", ownRow)
	if err != nil {
		return "", err
	}
	for _, before := range calls[:len(calls)-1] {
		if err := p.create(ctx, before); err != nil {
			return "", err
		}
	}
	given, ok := calls[len(calls)-1].Body.(map[string]any)
	if !ok {
		return "", errors.New("a row can be created with a body that is not an object")
	}
	body := p.filled(given)
	body[resource.OwnKey] = map[string]any{"own_integer": "twelve", "own_unknown": 1}
	rows := "/" + d.Area + "/api/v1" + d.Path
	refused, err := p.app.call(ctx, p.app.Owner.Token, http.MethodPost, rows, body)
	if err != nil || refused.Status != http.StatusUnprocessableEntity ||
		!refused.Get(`errors.custom\.own_integer`).Exists() || !refused.Get(`errors.custom\.own_unknown`).Exists() {
		return "", fmt.Errorf("wrong values are answered with %d, want 422 that names custom.own_integer and custom.own_unknown: %w: %s", refused.Status, err, refused.Body)
	}
	body[resource.OwnKey] = values
	made, err := p.mustCall(ctx, http.MethodPost, rows, body)

	return made.Get("uuid").String(), err
}

// findsOwn finds a row by each value of its own fields, and in the order of each.
func (p player) findsOwn(ctx context.Context, d resource.Description, row string, all map[string]ownValue) error {
	list := "/" + d.Area + "/api/v1" + d.Path + "?fields=uuid&filter[uuid]=" + row
	for key, f := range all {
		if !f.filterable || f.value == nil {
			continue
		}
		found, err := p.mustCall(ctx, http.MethodGet, list+"&filter[custom."+key+"]="+url.QueryEscape(fmt.Sprint(f.value))+"&sort=custom."+key, nil)
		if err == nil && found.Get("data.#").Int() != 1 {
			err = fmt.Errorf("the filter by custom.%s does not find the row: %s", key, found.Body)
		}
		if err != nil {
			return err
		}
		none, err := p.mustCall(ctx, http.MethodGet, list+"&filter[custom."+key+"]="+url.QueryEscape(fmt.Sprint(f.other)), nil)
		if err == nil && none.Get("data.#").Int() != 0 {
			err = fmt.Errorf("the filter by custom.%s finds a row with another value: %s", key, none.Body)
		}
		if err != nil {
			return err
		}
	}

	return nil
}

// hasOwn compares the own fields of a row with values; doubled is the value of the formula.
func (p player) hasOwn(ctx context.Context, path string, values map[string]any, doubled int64) error {
	read, err := p.mustCall(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	for key, value := range values {
		want, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if got := read.Get(resource.OwnKey + "." + key); !reflect.DeepEqual(got.Value(), gjson.ParseBytes(want).Value()) {
			return fmt.Errorf("the value of custom.%s is %s, want %s", key, got.Raw, want)
		}
	}
	if read.Get(resource.OwnKey+".own_twice").Int() != doubled || read.Get(resource.OwnKey+".own_number").String() != "OWN-0001" {
		return fmt.Errorf("the formula or the number is wrong: %s", read.Body)
	}

	return nil
}
