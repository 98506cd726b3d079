package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/module"
)

// Keys that are there without being in anybody's settings.
const (
	modulesKey        = "modules"
	modulesDefaultKey = "modules_default"
	enabledName       = "enabled"
)

var nameOfKey = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// node is a name of the configuration: a section with names below it, or a key with a value.
type node struct {
	name, path, doc string
	// children are what a section has, in order; nil for a key.
	children []*node
	// kind is what a key takes; nil for a section.
	kind *kind
	// fallback is the default of a key.
	fallback any
	// index finds the field in the struct of its section; nil for a name without a field.
	index []int
}

// section is a struct of settings and the keys that fill it.
type section struct {
	key      string
	area     string // "" for a section of the platform
	defaults reflect.Value
	keys     []*node
	parts    []*node // the structs inside
}

// schema is every name that the configuration may have.
type schema struct {
	root     *node
	sections []*section
	problems []error
}

// newSchema reads the names and defaults of the platform's sections and of every area. Its error
// is a defect of the program, not of a configuration.
func newSchema(specs []Spec, modules []module.Module) (*schema, error) {
	s := &schema{root: &node{}}
	for _, spec := range specs {
		s.addSection(&section{key: spec.key, defaults: spec.defaults})
	}
	s.addBool(s.root, modulesDefaultKey, "Whether areas are on whose 'enabled' is not set.")
	areas := s.descend(modulesKey)

	byID := func(a, b module.Module) int { return cmp.Compare(a.ID(), b.ID()) }
	sorted := slices.SortedStableFunc(slices.Values(modules), byID)
	// An id that is used twice is module.Select's to report.
	all := slices.CompactFunc(sorted, func(a, b module.Module) bool { return a.ID() == b.ID() })
	for _, m := range all {
		area := s.addChild(areas, &node{name: m.ID(), doc: m.Title()})
		s.addBool(area, enabledName, "Whether the area is on.")
	}
	for _, m := range all {
		for _, values := range module.Values[areaSection](m) {
			s.addSection(&section{key: areaKey(m.Prefix()), area: m.ID(), defaults: values.defaults})
		}
	}
	s.root.arrange()

	return s, errors.Join(s.problems...)
}

// addBool adds a key that no struct has a field for, and whose default is true.
func (s *schema) addBool(parent *node, name, doc string) {
	k, _ := kindOf(reflect.TypeFor[bool]())
	s.addChild(parent, &node{name: name, doc: doc, kind: &k, fallback: true})
}

func (s *schema) addSection(sec *section) {
	if sec.defaults.Kind() != reflect.Struct {
		s.complain("section %q: want a struct of settings, got %s", sec.key, sec.defaults.Type())

		return
	}
	s.sections = append(s.sections, sec)
	s.addFields(sec, s.descend(sec.key), sec.defaults, nil)
}

// addFields adds the fields of a struct below parent; index is the way to the struct.
func (s *schema) addFields(sec *section, parent *node, fields reflect.Value, index []int) {
	for field, value := range fields.Fields() {
		name := field.Tag.Get("config")
		if !field.IsExported() || name == "-" {
			continue
		}
		if !nameOfKey.MatchString(name) {
			s.complain(`section %q: field %s: want a tag such as config:"max_length", or config:"-"`, sec.key, field.Name)

			continue
		}
		child := &node{name: name, doc: field.Tag.Get("doc"), index: append(slices.Clone(index), field.Index...)}
		s.addField(sec, parent, child, value)
	}
}

func (s *schema) addField(sec *section, parent, child *node, value reflect.Value) {
	if k, ok := kindOf(value.Type()); ok {
		child.kind = &k
		child.fallback = value.Interface()
		if value.Kind() == reflect.Slice && value.Len() == 0 {
			child.fallback = reflect.Zero(value.Type()).Interface()
		}
		sec.keys = append(sec.keys, s.addChild(parent, child))

		return
	}
	if value.Kind() != reflect.Struct {
		s.complain("section %q: field %s: a %s cannot be configured", sec.key, child.name, value.Type())

		return
	}
	sec.parts = append(sec.parts, s.addChild(parent, child))
	s.addFields(sec, child, value, child.index)
	if len(child.children) == 0 {
		s.complain("section %q: field %s: a %s cannot be configured", sec.key, child.name, value.Type())
	}
}

// addChild adds child below parent and returns it.
func (s *schema) addChild(parent, child *node) *node {
	child.path = joinPath(parent.path, child.name)
	if parent.child(child.name) != nil {
		s.complain("key %q is declared twice", child.path)
	}
	parent.children = append(parent.children, child)

	return child
}

// descend returns the section at key, adding what is missing on the way.
func (s *schema) descend(key string) *node {
	at := s.root
	if key == "" {
		return at
	}
	for name := range strings.SplitSeq(key, ".") {
		next := at.child(name)
		if next == nil {
			next = s.addChild(at, &node{name: name})
		}
		at = next
	}

	return at
}

func (s *schema) complain(format string, args ...any) {
	s.problems = append(s.problems, fmt.Errorf("configuration: "+format, args...))
}
