package custommodules

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
	field  *moduleField
	values *formula.Options
	uses   []int
	run    func(e *formula.Evaluation) (any, error)
}

// computes reports whether the values of the field are made by the service.
func (f *moduleField) computes() bool {
	_, computes := f.values.(field.Computed)

	return computes || f.unseen()
}

// unseen reports whether the field is none that anybody knows of: its values are the service's to keep.
func (f *moduleField) unseen() bool { return f.arrival != nil || f.mirror }

// programs compiles the formulas among fields, each after those that it uses. What is wrong with one it says
// by the id of its field; the others are there nevertheless.
func programs(fields []*moduleField) (sorted []program, wrong map[*moduleField]error) {
	wrong = map[*moduleField]error{}
	byField := map[int]program{}
	for i, f := range fields {
		values, ok := f.values.(*formula.Options)
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

func newProgram(at int, f *moduleField, values *formula.Options, fields []*moduleField) (program, error) {
	p := program{at: at, field: f, values: values}
	compiled, err := values.Compile(func(name string) (formula.Kind, int, error) {
		key, own := strings.CutPrefix(name, formula.Own)
		i := slices.IndexFunc(fields, func(f *moduleField) bool { return f.key == key && (!own || !f.mirror) })
		if i < 0 {
			var keys []string
			for _, f := range fields {
				keys = append(keys, f.key)
			}

			return "", 0, formula.Error("is wrong. " + naming.Unknown(name, " here", keys))
		}
		kind := formula.KindOf(fields[i].typ)
		if kind == "" {
			return "", 0, formula.Error("uses " + name + ", whose type " + fields[i].typ.Name + " cannot stand in a formula.")
		}
		if fields[i].sensitive && !f.sensitive {
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
	fields   []*moduleField
	programs map[int]program
	wrong    map[*moduleField]error
	// state is 1 for a field that is being visited and 2 for one that was.
	state  map[int]int
	sorted []program
}

func (a *arrangement) visit(at int, path []string) {
	p, computes := a.programs[at]
	if !computes || a.state[at] == 2 {
		return
	}
	path = append(slices.Clone(path), p.field.key)
	if a.state[at] == 1 {
		circle := path[slices.Index(path, p.field.key):]
		for _, member := range a.programs {
			if slices.Contains(circle, member.field.key) {
				a.wrong[member.field] = formula.Error("goes in a circle: " + strings.Join(circle, " → ") + ".")
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

// compute sets the values of the formulas of a record. What cannot be computed is nothing, with a warning.
func (d *definition) compute(values []field.Value, made *draft) {
	if len(d.programs) == 0 {
		return
	}
	e := formula.Evaluation{Values: make([]any, len(d.fields))}
	known := make([]bool, len(d.fields))
	for _, p := range d.programs {
		for _, use := range p.uses {
			if !known[use] {
				e.Values[use], known[use] = d.fields[use].formulaValue(values[use].JSON), true
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

// formulaValue reads a stored value of a field for formulas, nil for none.
func (f *moduleField) formulaValue(raw []byte) any {
	text, ok := f.inner(rawjson.OrNothing(raw))
	if !ok {
		return nil
	}

	return formula.ValueOf(f.typ, text)
}

// warn notes a doubt about the value of a field.
func (made *draft) warn(f *moduleField, warning string) {
	if made.warnings == nil {
		made.warnings = map[string][]string{}
	}
	made.warnings["payload."+f.key] = []string{"The " + f.spoken + " " + warning}
}

// warnFrom notes doubts that are in words already.
func (made *draft) warnFrom(path string, messages []string) {
	if made.warnings == nil {
		made.warnings = map[string][]string{}
	}
	made.warnings[path] = messages
}

// refreshed makes a draft of a document with its formulas and incoming fields as they come out now, with all
// its references.
func (d *definition) refreshed(document []byte) draft { return d.renewed(document, d.arrive) }

// recomputed is refreshed with the formulas alone.
func (d *definition) recomputed(document []byte) draft {
	return d.renewed(document, func([]field.Value) {})
}

func (d *definition) renewed(document []byte, arrive func([]field.Value)) draft {
	if len(d.programs) == 0 && len(d.arriving) == 0 {
		return d.reread(document)
	}
	var made draft
	values := d.keptAll(document)
	for i, f := range d.fields {
		if target, ok := f.linked(values[i]); ok {
			made.links = append(made.links, target)
		}
	}
	arrive(values)
	d.compute(values, &made)
	d.assemble(&made, values)

	return made
}

// keptAll are the values of a document as they stay.
func (d *definition) keptAll(document []byte) []field.Value {
	raw := d.values(document)
	values := make([]field.Value, len(d.fields))
	for i, f := range d.fields {
		values[i] = f.kept(raw[i])
	}

	return values
}

// withValue puts a value that the service has made into a draft, and computes the formulas anew.
func (d *definition) withValues(made draft, set map[int]field.Value) draft {
	values := d.keptAll(made.document)
	for i, v := range set {
		values[i] = v
	}
	made.uniques, made.keys, made.overflow = nil, [slotCount]any{}, nil
	d.arrive(values)
	d.compute(values, &made)
	d.assemble(&made, values)

	return made
}
