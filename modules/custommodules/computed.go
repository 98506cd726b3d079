package custommodules

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// program is a formula of a definition, ready to run.
type program struct {
	// at is the position of its field, and uses are those of the fields that it is made of.
	at     int
	field  *field
	values *formula
	uses   []int
	run    func(e *evaluation) (any, error)
}

// computes reports whether the values of the field are made by the service.
func (f *field) computes() bool {
	_, computes := f.values.(computing)

	return computes || f.arrival != nil
}

// programs compiles the formulas among fields, each after those that it uses. What is wrong with one it says
// by the id of its field; the others are there nevertheless.
func programs(fields []*field) (sorted []program, wrong map[*field]error) {
	wrong = map[*field]error{}
	byField := map[int]program{}
	for i, f := range fields {
		values, ok := f.values.(*formula)
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

func newProgram(at int, f *field, values *formula, fields []*field) (program, error) {
	p := program{at: at, field: f, values: values}
	compiled, err := compileFormula(values.Formula, func(name string) (formulaKind, int, error) {
		i := slices.IndexFunc(fields, func(f *field) bool { return f.key == name })
		if i < 0 {
			var keys []string
			for _, f := range fields {
				keys = append(keys, f.key)
			}

			return "", 0, formulaError("is wrong. " + unknownKey(name, " in this module", keys))
		}
		kind := formulaKindOf(fields[i].typ)
		if kind == "" {
			return "", 0, formulaError("uses " + name + ", whose type " + string(fields[i].typ.name) + " cannot stand in a formula.")
		}
		if fields[i].sensitive && !f.sensitive {
			return "", 0, formulaError("uses the sensitive field " + name + ": its own field must be sensitive too.")
		}
		if !slices.Contains(p.uses, i) {
			p.uses = append(p.uses, i)
		}

		return kind, i, nil
	})
	if err == nil && compiled.kind != values.wants() && compiled.kind != nilKind {
		err = formulaError(fmt.Sprintf("comes to a %s, and the result is to be %s.", compiled.kind, values.Result))
	}
	p.run = compiled.run

	return p, err
}

// arrangement sorts formulas by what they use.
type arrangement struct {
	fields   []*field
	programs map[int]program
	wrong    map[*field]error
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
				a.wrong[member.field] = formulaError("goes in a circle: " + strings.Join(circle, " → ") + ".")
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
func (d *definition) compute(values []value, made *draft) {
	if len(d.programs) == 0 {
		return
	}
	e := evaluation{values: make([]any, len(d.fields))}
	known := make([]bool, len(d.fields))
	for _, p := range d.programs {
		for _, use := range p.uses {
			if !known[use] {
				e.values[use], known[use] = d.fields[use].formulaValue(values[use].json), true
			}
		}
		result, err := p.run(&e)
		var computed value
		if err == nil {
			computed, err = p.values.render(result)
		}
		if wrong, ok := errors.AsType[formulaError](err); ok {
			made.warn(p.field, "could not be computed: "+string(wrong)+".")
		}
		values[p.at] = computed
	}
}

// warn notes a doubt about the value of a field.
func (made *draft) warn(f *field, warning string) {
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
func (d *definition) recomputed(document []byte) draft { return d.renewed(document, func([]value) {}) }

func (d *definition) renewed(document []byte, arrive func([]value)) draft {
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
func (d *definition) keptAll(document []byte) []value {
	raw := d.values(document)
	values := make([]value, len(d.fields))
	for i, f := range d.fields {
		values[i] = f.kept(raw[i])
	}

	return values
}

// withValue puts a value that the service has made into a draft, and computes the formulas anew.
func (d *definition) withValues(made draft, set map[int]value) draft {
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
