package moduletest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/resource"
)

// certified are the resources of an area under certification, and what is needed to make rows of them.
type certified struct {
	all     []resource.Description // of all areas
	own     []resource.Description // of the area
	samples map[string]map[string]any
	// called are the operations that the area's fixture calls by itself.
	called []string
}

func (s subject) certified(a *App) certified {
	c := certified{all: a.Resources.Resources(), samples: s.fixture.Resources}
	for _, d := range c.all {
		if d.Area == s.id {
			c.own = append(c.own, d)
		}
	}
	for _, call := range s.fixture.Calls {
		c.called = append(c.called, call.Operation)
	}

	return c
}

// calls are the calls of the operations that resources have, but those that the fixture has itself.
func (c certified) calls() ([]FixtureCall, error) {
	var all []FixtureCall
	for _, d := range c.own {
		calls, err := c.callsOf(d)
		if err != nil {
			return nil, fmt.Errorf("resource %s: %w", d.Item, err)
		}
		all = append(all, calls...)
	}

	return all, nil
}

func (c certified) callsOf(d resource.Description) ([]FixtureCall, error) {
	name := "certified_" + d.Noun
	if c.owned(d, d.Area+"_create_"+d.Noun) { // and with it, what it takes to make one
		return slices.DeleteFunc([]FixtureCall{{Operation: d.Area + "_list_" + d.Plural, Query: expandQuery(d)}}, func(call FixtureCall) bool {
			return slices.Contains(c.called, call.Operation) || c.owned(d, call.Operation)
		}), nil
	}
	all, err := c.creating(d, name, 1)
	if err != nil {
		return nil, err
	}
	one := func(operation string) FixtureCall {
		return FixtureCall{Operation: d.Area + "_" + operation, Path: map[string]string{"uuid": "${" + name + "}"}}
	}
	patch := one("update_" + d.Noun)
	patch.Body = c.patchOf(d)
	all = append(all,
		FixtureCall{Operation: d.Area + "_list_" + d.Plural, Query: expandQuery(d)},
		one("read_"+d.Noun), patch, one("delete_"+d.Noun), one("restore_"+d.Noun),
	)
	if d.Steps != nil {
		all = append(all, one("list_"+d.Noun+"_transitions"))
	}
	for i, walk := range c.walks(d) {
		lived := name
		if i > 0 {
			lived = name + "_" + strconv.Itoa(i)
			created, err := c.creating(d, lived, i+1)
			if err != nil {
				return nil, err
			}
			all = append(all, created...)
		}
		for _, verb := range walk {
			all = append(all, FixtureCall{
				Operation: d.Area + "_" + verb + "_" + d.Noun, Path: map[string]string{"uuid": "${" + lived + "}"},
				Body: map[string]any{"reason": "Certification takes every step."},
			})
		}
	}

	return slices.DeleteFunc(all, func(call FixtureCall) bool {
		return call.Save == nil && slices.Contains(c.called, call.Operation) || c.owned(d, call.Operation)
	}), nil
}

// owned reports whether an operation is none of the given ones, since the area serves it by itself.
func (c certified) owned(d resource.Description, operation string) bool {
	return slices.ContainsFunc(d.Own, func(verb resource.Verb) bool {
		noun := d.Noun
		if verb == resource.List {
			noun = d.Plural
		}

		return operation == d.Area+"_"+string(verb)+"_"+noun
	})
}

// creating are the calls that create the n-th row of a resource and keep its UUID under a name; those of what it must refer to
// come first.
func (c certified) creating(d resource.Description, name string, n int) ([]FixtureCall, error) {
	var before []FixtureCall
	body, refers := map[string]any{}, false
	sample, given := c.samples[d.Item]
	for _, f := range d.Fields {
		value, has := sample[f.Key]
		switch {
		case has && f.Unique && n > 1:
			value = secondSample(value, n)
		case has:
		case given || !slices.Contains(d.Body.Required, f.Key):
			continue
		case f.AnyItem:
			value = map[string]any{"type": thingType, "uuid": thingID}
		case f.Item != "":
			target := slices.IndexFunc(c.all, func(other resource.Description) bool { return other.Item == f.Item })
			if target < 0 {
				return nil, fmt.Errorf("field %s names a %s, which is no resource: give certify.yaml a sample (resources: %s)", f.Key, f.Item, d.Item)
			}
			made, err := c.creating(c.all[target], name+"_"+f.Key, n)
			if err != nil {
				return nil, err
			}
			before, value = append(before, made...), "${"+name+"_"+f.Key+"}"
		default:
			var ok bool
			if value, ok = sampleOf(d.Body.Properties[f.Key], f, n); !ok {
				return nil, fmt.Errorf("field %s: no value is known: add the tag example, or a sample to certify.yaml (resources: %s)", f.Key, d.Item)
			}
		}
		text, _ := value.(string)
		refers = refers || strings.HasPrefix(text, "${")
		body[f.Key] = value
	}

	return append(before, FixtureCall{Operation: d.Area + "_create_" + d.Noun, Body: body, Save: map[string]string{name: "uuid"}, refers: refers}), nil
}

// expandQuery asks for everything that the rows refer to.
func expandQuery(d resource.Description) map[string]string {
	var names []string
	for _, f := range d.Fields {
		if f.Item != "" || f.AnyItem {
			names = append(names, strings.TrimSuffix(f.Key, "_uuid"))
		}
	}
	if names == nil {
		return nil
	}

	return map[string]string{"expand": strings.Join(names, ",")}
}

// patchOf changes one field to what a row may have.
func (c certified) patchOf(d resource.Description) map[string]any {
	for _, f := range d.Fields {
		if f.ReadOnly || f.Fixed || f.Unique || f.Item != "" || f.User {
			continue
		}
		if value, has := c.samples[d.Item][f.Key]; has {
			return map[string]any{f.Key: value}
		}
		if value, ok := sampleOf(d.Body.Properties[f.Key], f, 2); ok && c.samples[d.Item] == nil {
			return map[string]any{f.Key: value}
		}
	}

	return map[string]any{}
}

// walks are verbs one after the other, from a new row each, that together take every verb of a life but those of the
// fixture.
func (c certified) walks(d resource.Description) [][]string {
	var walks [][]string
	taken := map[string]bool{}
	for _, step := range d.Steps {
		taken[step.Verb] = slices.Contains(c.called, d.Area+"_"+step.Verb+"_"+d.Noun)
	}
	for {
		at, walk, more := d.Initial, []string(nil), false
		for {
			path, end := shortestPath(d.Steps, at, taken)
			if path == nil {
				break
			}
			for _, verb := range path {
				taken[verb] = true
			}
			walk, at, more = append(walk, path...), end, true
		}
		if !more {
			return walks
		}
		walks = append(walks, walk)
	}
}

// shortestPath is the shortest way from a state that ends with a verb which was not taken, and where it ends.
func shortestPath(steps []resource.Step, from string, taken map[string]bool) (path []string, end string) {
	type place struct {
		state string
		path  []string
	}
	seen, queue := map[string]bool{from: true}, []place{{state: from}}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, step := range steps {
			if step.From != at.state {
				continue
			}
			on := append(slices.Clone(at.path), step.Verb)
			if !taken[step.Verb] {
				return on, step.To
			}
			if !seen[step.To] {
				seen[step.To] = true
				queue = append(queue, place{step.To, on})
			}
		}
	}

	return nil, ""
}

// sampleOf is a value that a schema allows, the n-th of a field whose values are unique.
func sampleOf(s *huma.Schema, f resource.FieldDescription, n int) (value any, ok bool) {
	switch {
	case s == nil:
		return nil, false
	case len(s.Enum) > 0:
		return s.Enum[0], true
	case len(s.Examples) > 0:
		if f.Unique && n > 1 {
			return secondSample(s.Examples[0], n), true
		}

		return s.Examples[0], true
	case f.User, s.Pattern != "":
		return nil, false
	case s.Type == huma.TypeInteger:
		return integerOf(s, n), true
	case s.Type == huma.TypeBoolean:
		return true, true
	case s.Type == huma.TypeArray:
		return []any{}, s.MinItems == nil
	case s.Type != huma.TypeString:
		return nil, false
	}
	text, known := map[string]string{"": "Sample", "date": "2026-12-24", "date-time": "2026-12-24T12:00:00Z", "decimal": "12.50", "email": "somebody@example.com"}[s.Format]
	if f.Unique {
		text += " " + strconv.Itoa(n)
	}
	if s.MaxLength != nil {
		text = text[:min(len(text), *s.MaxLength)]
	}

	return text, known
}

func integerOf(s *huma.Schema, n int) int {
	value := n
	if s.Minimum != nil {
		value = max(value, int(*s.Minimum))
	}
	if s.Maximum != nil {
		value = min(value, int(*s.Maximum))
	}

	return value
}

// secondSample is a sample that differs from the first one.
func secondSample(value any, n int) any {
	if text, ok := value.(string); ok && text != "" {
		number := strconv.Itoa(n)

		return text[:max(0, len(text)-len(number))] + number
	}

	return value
}

// keepResourceRules proves what every resource of the area promises: a body that is wrong in each way that its fields know is
// refused by the name of the field, of two who change the same version one is told so, and a row is found by its title.
func (p player) keepResourceRules(ctx context.Context, c certified) error {
	for _, d := range c.own {
		if c.owned(d, d.Area+"_create_"+d.Noun) || c.owned(d, d.Area+"_update_"+d.Noun) {
			if err := p.keepsViews(ctx, d, ""); err != nil {
				return fmt.Errorf("resource %s: %w", d.Item, err)
			}

			continue
		}
		calls, err := c.creating(d, "row", lastRow)
		for _, call := range calls {
			err = errors.Join(err, p.create(ctx, call))
		}
		if err == nil {
			at := "/" + d.Area + "/api/v1" + d.Path + "/" + p.saved["row"]
			err = errors.Join(p.findsByTitle(ctx, d, at), p.refusesWrongValues(ctx, d, at), p.checkStaleVersion(ctx, d, at), p.keepsViews(ctx, d, p.saved["row"]))
		}
		if err != nil {
			return fmt.Errorf("resource %s: %w", d.Item, err)
		}
	}

	return nil
}

// lastRow is the number of a row, for values that are unique, after all that walks may make.
const lastRow = 9

// create plays a call that creates something, as the owner.
func (p player) create(ctx context.Context, call FixtureCall) error {
	for _, o := range p.app.API.Operations() {
		if o.ID != call.Operation {
			continue
		}
		response, err := p.send(ctx, o, call, p.app.Owner.Token)
		if err == nil && !response.succeeded() {
			err = refusedError{response}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", call.Operation, err)
		}
		for name, path := range call.Save {
			p.saved[name] = response.Get(path).String()
		}

		return nil
	}

	return fmt.Errorf("%s is not served", call.Operation)
}

// refusesWrongValues changes each field to what it cannot be.
func (p player) refusesWrongValues(ctx context.Context, d resource.Description, at string) error {
	wrong := map[string][]any{"no_such_key": {"x"}}
	for _, f := range d.Fields {
		switch {
		case f.ReadOnly || f.Fixed:
			wrong[f.Key] = []any{"x"}
		default:
			wrong[f.Key] = wrongValues(d.Body.Properties[f.Key])
		}
		if f.Required {
			wrong[f.Key] = append(wrong[f.Key], nil)
		}
	}
	var problems []error
	for _, key := range slices.Sorted(maps.Keys(wrong)) {
		for _, value := range wrong[key] {
			response, err := p.app.call(ctx, p.app.Owner.Token, http.MethodPatch, at, map[string]any{key: value})
			named := slices.ContainsFunc(slices.Collect(maps.Keys(response.Get("errors").Map())), func(field string) bool {
				return field == key || strings.HasPrefix(field, key+".")
			})
			if err != nil || response.Status != http.StatusUnprocessableEntity || !named {
				problems = append(problems, fmt.Errorf("%s: %v is answered with %d, want 422 that names it: %s %w", key, value, response.Status, response.Body, err))
			}
		}
	}

	return errors.Join(problems...)
}

// wrongValues are values that a schema refuses.
func wrongValues(s *huma.Schema) []any {
	var wrong []any
	if s.Type != huma.TypeObject {
		wrong = append(wrong, map[string]any{"a": 1})
	}
	if s.Type != huma.TypeString {
		wrong = append(wrong, "text")
	} else {
		wrong = append(wrong, 12.5)
	}
	if s.MaxLength != nil {
		wrong = append(wrong, strings.Repeat("x", *s.MaxLength+1))
	}
	if s.Maximum != nil {
		wrong = append(wrong, int64(*s.Maximum)+1)
	}
	if s.Minimum != nil {
		wrong = append(wrong, int64(*s.Minimum)-1)
	}
	if len(s.Enum) > 0 || s.Format != "" {
		wrong = append(wrong, "none of these")
	}

	return wrong
}

// checkStaleVersion has two change the same version at once.
func (p player) checkStaleVersion(ctx context.Context, d resource.Description, at string) error {
	read, err := p.app.call(ctx, p.app.Owner.Token, http.MethodGet, at, nil)
	if err != nil {
		return err
	}
	body := changeOf(d, read)
	if body == nil {
		return nil
	}
	var statuses [2]int
	var together sync.WaitGroup
	for i := range statuses {
		together.Go(func() {
			response, err := p.app.call(ctx, p.app.Owner.Token, http.MethodPatch, at, body, "If-Match", read.Header.Get("ETag"))
			if statuses[i] = response.Status; err != nil {
				statuses[i] = 0
			}
		})
	}
	together.Wait()
	slices.Sort(statuses[:])
	if statuses != [2]int{http.StatusOK, http.StatusPreconditionFailed} {
		return fmt.Errorf("two concurrent changes of a version with %v got %v, want 200 and 412", body, statuses)
	}

	return nil
}

// changeOf changes a plain field of a row to something else; nil where there is none.
func changeOf(d resource.Description, row Response) map[string]any {
	for _, f := range d.Fields {
		s := d.Body.Properties[f.Key]
		if f.ReadOnly || f.Fixed || s == nil || s.Pattern != "" || s.Format != "" || len(s.Enum) > 0 {
			continue
		}
		switch now := row.Get(f.Key); s.Type {
		case huma.TypeString:
			if s.MaxLength != nil && len(now.String()) < *s.MaxLength {
				text := now.String() + "x"
				if id := row.Get("uuid").String(); text == "x" && *s.MaxLength >= len(id) { // it may be unique
					text = id
				}

				return map[string]any{f.Key: text}
			}
		case huma.TypeBoolean:
			return map[string]any{f.Key: !now.Bool()}
		case huma.TypeInteger:
			for _, n := range []int{1, 2, 3} {
				if value := integerOf(s, n); int64(value) != now.Int() {
					return map[string]any{f.Key: value}
				}
			}
		}
	}

	return nil
}
