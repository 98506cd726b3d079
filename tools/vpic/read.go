package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	_ "modernc.org/sqlite" // reads the database
)

// The elements of vPIC that are kept, by their ids; the format numbers them in this order.
var elements = []int64{28, 5, 34, 38, 14, 24, 66, 13, 9, 18, 25}

// What an element's values are: the index of a model, of a body class, of a fuel or of a weight class, or a text.
const (
	elementModel = iota
	elementBody
	elementSeries
	elementTrim
	elementDoors
	elementFuel
	elementSecondFuel
	elementDisplacement
	elementCylinders
	elementEngine
	elementWeight
)

const (
	firstYear = 1980
	// lastYear is the last one that a bit of a model's years stands for.
	lastYear = firstYear + 63
)

// source is what is kept of vPIC.
type source struct {
	updated   string // day of the last change
	countries []named
	types     []named
	bodies    []named
	fuels     []named
	weights   []weight
	makes     []named
	models    []*model
	wmis      []*wmi
	schemas   []*schema
}

type named struct {
	id   int64
	name string
}

type weight struct {
	id       int64
	class    string // 2H
	from, to int64  // pounds
}

type model struct {
	id       int64
	name     string
	make     int // index
	years    uint64
	bodies   map[string]int // patterns by load-board type
	patterns int
}

type wmi struct {
	id      int64
	code    string
	kind    int // index of a type, -1 unknown
	country int
	makes   []int
	spans   []span
}

type span struct {
	schema   *schema
	from, to int
}

type schema struct {
	id       int64
	index    int
	wmi      *wmi // the first that uses it
	patterns []pattern
	spans    []span
	kinds    []int
}

type pattern struct {
	element int
	key     string
	value   string // an index in decimal digits, or a text
}

// read reads a database.
func read(ctx context.Context, path string) (*source, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		return nil, err
	}
	r := &reader{ctx: ctx, db: db}
	s := r.all()

	return s, errors.Join(r.err, db.Close())
}

// reader keeps the first error.
type reader struct {
	ctx context.Context //nolint:containedctx // of one run
	db  *sql.DB
	err error
}

// each calls scan with each row.
func (r *reader) each(query string, scan func(row *sql.Rows) error) {
	if r.err != nil {
		return
	}
	rows, err := r.db.QueryContext(r.ctx, query)
	if err != nil {
		r.err = fmt.Errorf("%s: %w", query, err)

		return
	}
	for rows.Next() && err == nil {
		err = scan(rows)
	}
	if err = errors.Join(err, rows.Err(), rows.Close()); err != nil {
		r.err = fmt.Errorf("%s: %w", query, err)
	}
}

// list reads a table of names, and returns the index of each id.
func (r *reader) list(query string) ([]named, map[int64]int) {
	var all []named
	index := map[int64]int{}
	r.each(query, func(row *sql.Rows) error {
		var n named
		if err := row.Scan(&n.id, &n.name); err != nil {
			return err
		}
		n.name = strings.Join(strings.Fields(n.name), " ")
		index[n.id] = len(all)
		all = append(all, n)

		return nil
	})

	return all, index
}

func (r *reader) all() *source {
	s := &source{}
	var countries, types, bodies, fuels, makes map[int64]int
	s.countries, countries = r.list("SELECT Id, Name FROM Country ORDER BY Id")
	s.types, types = r.list("SELECT Id, Name FROM VehicleType ORDER BY Id")
	s.bodies, bodies = r.list("SELECT Id, Name FROM BodyStyle ORDER BY Id")
	s.fuels, fuels = r.list("SELECT Id, Name FROM FuelType ORDER BY Id")
	s.makes, _ = r.list("SELECT Id, Name FROM Make")
	slices.SortFunc(s.makes, func(a, b named) int {
		return cmp.Or(strings.Compare(strings.ToUpper(a.name), strings.ToUpper(b.name)), cmp.Compare(a.id, b.id))
	})
	makes = make(map[int64]int, len(s.makes))
	for i := range s.makes {
		s.makes[i].name = display(s.makes[i].name)
		makes[s.makes[i].id] = i
	}
	weights := r.weights(s)
	models := r.models(s, makes)
	wmis := r.wmis(s, types, countries, makes)
	r.patterns(s, wmis, map[int]map[string]int{
		elementModel: texts(models), elementBody: texts(bodies), elementFuel: texts(fuels), elementSecondFuel: texts(fuels), elementWeight: texts(weights),
	})
	r.each("SELECT substr(max(UpdatedOn), 1, 10) FROM Wmi", func(row *sql.Rows) error { return row.Scan(&s.updated) })

	return s
}

func texts(ids map[int64]int) map[string]int {
	byText := make(map[string]int, len(ids))
	for id, i := range ids {
		byText[strconv.FormatInt(id, 10)] = i
	}

	return byText
}

// weights reads the classes from their names, as the column of the upper limits is wrong for 2H.
func (r *reader) weights(s *source) map[int64]int {
	classes, index := r.list("SELECT Id, Name FROM GrossVehicleWeightRating ORDER BY Id")
	for _, c := range classes {
		w, err := parseWeight(c.name)
		r.err = errors.Join(r.err, err)
		w.id = c.id
		s.weights = append(s.weights, w)
	}

	return index
}

// parseWeight reads "Class 2H: 9,001 - 10,000 lb (4,082 - 4,536 kg)".
func parseWeight(name string) (weight, error) {
	class, limits, ok := strings.Cut(strings.TrimPrefix(name, "Class "), ": ")
	pounds, _, found := strings.Cut(strings.ReplaceAll(limits, ",", ""), " lb")
	if !ok || !found {
		return weight{}, fmt.Errorf("weight class %q is not understood", name)
	}
	w := weight{class: class}
	low, high, ranged := strings.Cut(pounds, " - ")
	first, err := strconv.ParseInt(low, 10, 64)
	switch {
	case ranged:
		w.from = first
		var second error
		w.to, second = strconv.ParseInt(high, 10, 64)
		err = errors.Join(err, second)
	case strings.Contains(limits, "or less"):
		w.to = first
	default:
		w.from = first
	}

	return w, err
}

// models reads the models with the make of each, ordered by make and name.
func (r *reader) models(s *source, makes map[int64]int) map[int64]int {
	r.each("SELECT o.Id, o.Name, m.MakeId FROM Model o JOIN Make_Model m ON m.ModelId = o.Id", func(row *sql.Rows) error {
		m, of := &model{bodies: map[string]int{}}, int64(0)
		if err := row.Scan(&m.id, &m.name, &of); err != nil {
			return err
		}
		m.name = strings.Join(strings.Fields(m.name), " ")
		i, ok := makes[of]
		if !ok {
			return nil
		}
		m.make = i
		s.models = append(s.models, m)

		return nil
	})
	slices.SortFunc(s.models, func(a, b *model) int {
		return cmp.Or(cmp.Compare(a.make, b.make), strings.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	index := make(map[int64]int, len(s.models))
	for i, m := range s.models {
		index[m.id] = i
	}

	return index
}

func (r *reader) wmis(s *source, types, countries, makes map[int64]int) map[int64]*wmi {
	byID := map[int64]*wmi{}
	r.each("SELECT Id, upper(trim(Wmi)), coalesce(VehicleTypeId, 0), coalesce(CountryId, 0) FROM Wmi", func(row *sql.Rows) error {
		w := &wmi{kind: -1, country: -1}
		var kind, country int64
		if err := row.Scan(&w.id, &w.code, &kind, &country); err != nil {
			return err
		}
		if len(w.code) != 3 && len(w.code) != 6 {
			return nil
		}
		if i, ok := types[kind]; ok {
			w.kind = i
		}
		if i, ok := countries[country]; ok {
			w.country = i
		}
		byID[w.id] = w
		s.wmis = append(s.wmis, w)

		return nil
	})
	slices.SortFunc(s.wmis, func(a, b *wmi) int { return cmp.Or(strings.Compare(a.code, b.code), cmp.Compare(a.id, b.id)) })
	r.each("SELECT WmiId, MakeId FROM Wmi_Make ORDER BY WmiId, MakeId", func(row *sql.Rows) error {
		var of, id int64
		if err := row.Scan(&of, &id); err != nil {
			return err
		}
		i, ok := makes[id]
		if w := byID[of]; w != nil && ok && !slices.Contains(w.makes, i) {
			w.makes = append(w.makes, i)
		}

		return nil
	})

	return byID
}

// patterns reads the schemas that a WMI uses, with their patterns.
func (r *reader) patterns(s *source, wmis map[int64]*wmi, lookups map[int]map[string]int) {
	byID := map[int64]*schema{}
	r.each("SELECT WmiId, VinSchemaId, YearFrom, coalesce(YearTo, 9999) FROM Wmi_VinSchema ORDER BY WmiId, VinSchemaId, YearFrom", func(row *sql.Rows) error {
		var of, id int64
		var x span
		if err := row.Scan(&of, &id, &x.from, &x.to); err != nil {
			return err
		}
		w := wmis[of]
		x.from, x.to = max(x.from, firstYear), min(x.to, lastYear)
		if w == nil || x.from > x.to {
			return nil
		}
		if byID[id] == nil {
			byID[id] = &schema{id: id}
		}
		x.schema = byID[id]
		if x.schema.wmi == nil || w.code < x.schema.wmi.code {
			x.schema.wmi = w
		}
		if w.kind >= 0 && !slices.Contains(x.schema.kinds, w.kind) {
			x.schema.kinds = append(x.schema.kinds, w.kind)
		}
		x.schema.spans = append(x.schema.spans, x)
		w.spans = append(w.spans, x)

		return nil
	})
	of := map[int64]int{}
	for i, id := range elements {
		of[id] = i
	}
	r.each("SELECT VinSchemaId, upper(trim(Keys)), ElementId, trim(AttributeId) FROM Pattern", func(row *sql.Rows) error {
		var id, element int64
		var p pattern
		if err := row.Scan(&id, &p.key, &element, &p.value); err != nil {
			return err
		}
		i, kept := of[element]
		if byID[id] == nil || !kept || p.value == "" {
			return nil
		}
		if p.element = i; lookups[i] != nil {
			at, known := lookups[i][p.value]
			if !known {
				return nil
			}
			p.value = strconv.Itoa(at)
		}
		byID[id].patterns = append(byID[id].patterns, p)

		return nil
	})
	for _, x := range byID {
		if len(x.patterns) > 0 {
			slices.SortFunc(x.patterns, func(a, b pattern) int {
				return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.element, b.element), strings.Compare(a.value, b.value))
			})
			x.patterns = slices.Compact(x.patterns)
			s.schemas = append(s.schemas, x)
		}
	}
	s.order()
}

// order puts schemas of one maker side by side, so that decoding a VIN needs few blocks, and numbers them.
func (s *source) order() {
	maker := func(x *schema) int {
		if len(x.wmi.makes) == 0 {
			return len(s.makes)
		}

		return x.wmi.makes[0]
	}
	slices.SortFunc(s.schemas, func(a, b *schema) int {
		return cmp.Or(cmp.Compare(maker(a), maker(b)), strings.Compare(a.wmi.code, b.wmi.code), cmp.Compare(a.spans[0].from, b.spans[0].from), cmp.Compare(a.id, b.id))
	})
	for i, x := range s.schemas {
		x.index = i
	}
}
