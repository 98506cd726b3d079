package definition

import (
	"errors"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// program is a formula of a definition, ready to run.
type program struct {
	// at is the position of its field, and uses are those of the fields that it is made of.
	at     int
	field  *ModuleField
	values *formula.Options
	uses   []int
	run    func(e *formula.Evaluation) (any, error)
}

// Computes reports whether the values of the field are made by the service.
func (f *ModuleField) Computes() bool {
	_, computes := f.Values.(field.Computed)

	return computes || f.IsInternal()
}

// IsInternal reports whether the field is none that anybody knows of: its values are the service's to keep.
func (f *ModuleField) IsInternal() bool { return f.Arrival != nil || f.mirror }

// CompileFormulas compiles the formulas among fields, each after those that it uses. What is wrong with one it says
// by the id of its field; the others are there nevertheless.
func CompileFormulas(fields []*ModuleField) (sorted []program, wrong map[*ModuleField]error) {
	wrong = map[*ModuleField]error{}
	byField := map[int]program{}
	for i, f := range fields {
		values, ok := f.Values.(*formula.Options)
		if !ok {
			continue
		}
		p, err := newProgram(i, f, values, fields)
		if err != nil {
			wrong[f] = err
		} else {
			byField[i] = p
		}
	}
	order := arrangement{fields: fields, programs: byField, wrong: wrong, state: map[int]int{}}
	for i := range fields {
		order.visit(i, nil)
	}

	return order.sorted, wrong
}

func newProgram(at int, f *ModuleField, values *formula.Options, fields []*ModuleField) (program, error) {
	p := program{at: at, field: f, values: values}
	compiled, err := values.Compile(func(name string) (formula.Kind, int, error) {
		key, own := strings.CutPrefix(name, formula.Own)
		i := slices.IndexFunc(fields, func(f *ModuleField) bool { return f.Key == key && (!own || !f.mirror) })
		if i < 0 {
			var keys []string
			for _, f := range fields {
				keys = append(keys, f.Key)
			}

			return "", 0, formula.Error("is wrong. " + naming.UnknownKey(name, " here", keys))
		}
		kind := formula.KindOf(fields[i].Typ)
		if kind == "" {
			return "", 0, formula.Error("uses " + name + ", whose type " + fields[i].Typ.Name + " cannot stand in a formula.")
		}
		if scope := fields[i].scope; scope != "" && !strings.HasSuffix(scope, ":"+SensitiveAction) { // own fields have no other scope
			return "", 0, formula.Error("uses " + name + ", whose values require the scope " + scope + ": no formula can use it.")
		}
		if fields[i].Sensitive && !f.Sensitive {
			return "", 0, formula.Error("uses the sensitive field " + name + ": its own field must be sensitive too.")
		}
		if !slices.Contains(p.uses, i) {
			p.uses = append(p.uses, i)
		}

		return kind, i, nil
	})
	p.run = compiled.Run

	return p, err
}

// arrangement sorts formulas by what they use.
type arrangement struct {
	fields   []*ModuleField
	programs map[int]program
	wrong    map[*ModuleField]error
	// state is 1 for a field that is being visited and 2 for one that was.
	state  map[int]int
	sorted []program
}

func (a *arrangement) visit(at int, path []string) {
	p, computes := a.programs[at]
	if !computes || a.state[at] == 2 {
		return
	}
	path = append(slices.Clone(path), p.field.Key)
	if a.state[at] == 1 {
		circle := path[slices.Index(path, p.field.Key):]
		for _, member := range a.programs {
			if slices.Contains(circle, member.field.Key) {
				a.wrong[member.field] = formula.Error("is circular: " + strings.Join(circle, " → ") + ".")
			}
		}

		return
	}
	a.state[at] = 1
	for _, use := range p.uses {
		a.visit(use, path)
	}
	a.state[at] = 2
	if a.wrong[p.field] == nil {
		a.sorted = append(a.sorted, p)
	}
}

// Compute sets the values of the formulas of a record. What cannot be computed is nothing, with a warning.
func (d *Definition) Compute(values []field.Value, made *Draft) {
	if len(d.Programs) == 0 {
		return
	}
	e := formula.Evaluation{Values: make([]any, len(d.Fields))}
	known := make([]bool, len(d.Fields))
	for _, p := range d.Programs {
		for _, use := range p.uses {
			if !known[use] {
				e.Values[use], known[use] = d.Fields[use].FormulaValue(values[use].JSON), true
			}
		}
		result, err := p.run(&e)
		var computed field.Value
		if err == nil {
			computed, err = p.values.Render(result)
		}
		if wrong, ok := errors.AsType[formula.Error](err); ok {
			made.warn(p.field, "could not be computed: "+string(wrong)+".")
		}
		values[p.at] = computed
	}
}

// FormulaValue reads a stored value of a field for formulas, nil for none.
func (f *ModuleField) FormulaValue(raw []byte) any {
	text, ok := f.inner(rawjson.OrNothing(raw))
	if !ok {
		return nil
	}

	return formula.ValueOf(f.Typ, text)
}

// warn notes a doubt about the value of a field.
func (made *Draft) warn(f *ModuleField, warning string) {
	if made.Warnings == nil {
		made.Warnings = map[string][]string{}
	}
	made.Warnings["payload."+f.Key] = []string{"The " + f.Spoken + " " + warning}
}

// WarnFrom notes doubts that are in words already.
func (made *Draft) WarnFrom(path string, messages []string) {
	if made.Warnings == nil {
		made.Warnings = map[string][]string{}
	}
	made.Warnings[path] = messages
}

// Refreshed makes a draft of a document with its formulas and incoming fields as they come out now, with all
// its references.
func (d *Definition) Refreshed(document []byte) Draft { return d.renewed(document, d.arrive) }

// Recomputed is refreshed with the formulas alone.
func (d *Definition) Recomputed(document []byte) Draft {
	return d.renewed(document, func([]field.Value) {})
}

func (d *Definition) renewed(document []byte, arrive func([]field.Value)) Draft {
	if len(d.Programs) == 0 && len(d.arriving) == 0 {
		return d.Reread(document)
	}
	var made Draft
	values := d.KeptAll(document)
	for i, f := range d.Fields {
		if target, ok := f.linked(values[i]); ok {
			made.Links = append(made.Links, target)
		}
	}
	arrive(values)
	d.Compute(values, &made)
	d.Assemble(&made, values)

	return made
}

// KeptAll are the values of a document as they stay.
func (d *Definition) KeptAll(document []byte) []field.Value {
	raw := d.Values(document)
	values := make([]field.Value, len(d.Fields))
	for i, f := range d.Fields {
		values[i] = f.Kept(raw[i])
	}

	return values
}

// WithValues puts a value that the service has made into a draft, and computes the formulas anew.
func (d *Definition) WithValues(made Draft, set map[int]field.Value) Draft {
	values := d.KeptAll(made.Document)
	for i, v := range set {
		values[i] = v
	}
	made.Uniques, made.Keys, made.Overflow = nil, [SlotCount]any{}, nil
	d.arrive(values)
	d.Compute(values, &made)
	d.Assemble(&made, values)

	return made
}
