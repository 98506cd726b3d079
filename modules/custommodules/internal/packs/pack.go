// Package packs is the format in which definitions of modules travel between companies, and the packs that
// come with the service.
//
// A pack names modules and fields by keys alone: ids stay in the company that they are of. See docs/packs.md.
package packs

import "encoding/json"

// Format is the newest version of the format that is understood.
const Format = 1

// Bounds on what a pack may hold. What a module may hold is up to the company that it comes to.
const (
	MostModules = 50
	MostOutside = 200
	MostFields  = 1_000
	mostName    = 64
	mostText    = 1_000
)

// Pack is a set of modules that belong together.
type Pack struct {
	Format      int       `json:"format"`
	Name        string    `json:"name"`
	Version     int       `json:"version"`
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	Modules     []Module  `json:"modules"`
	Outside     []Outside `json:"outside,omitempty"`
}

// Module is a module of a pack.
type Module struct {
	// Key names the module inside the pack, for good: by it a later version finds what an earlier one made.
	Key         string `json:"key"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// TitleField is the key of the field whose value people call a record by, "" for the first text.
	TitleField string `json:"title_field,omitempty"`
	// Permissions are roles by action; an action that is not there is open to everybody.
	Permissions map[string][]string `json:"permissions,omitempty"`
	Fields      []Field             `json:"fields,omitempty"`
}

// Field is a field of a module. Its options are those of the definition, but that they name modules and
// fields by their keys: see ReferenceOptions.
type Field struct {
	Key        string                     `json:"key"`
	Label      string                     `json:"label,omitempty"`
	Type       string                     `json:"type"`
	Help       string                     `json:"help,omitempty"`
	Section    string                     `json:"section,omitempty"`
	Required   bool                       `json:"required,omitempty"`
	Unique     bool                       `json:"unique,omitempty"`
	ReadOnly   bool                       `json:"read_only,omitempty"`
	Sensitive  bool                       `json:"sensitive,omitempty"`
	Indexed    bool                       `json:"indexed,omitempty"`
	Searchable bool                       `json:"searchable,omitempty"`
	Default    json.RawMessage            `json:"default,omitempty"`
	Options    map[string]json.RawMessage `json:"options,omitempty"`
}

// Outside is a module that fields of the pack refer to and that the pack does not bring along.
type Outside struct {
	Key string `json:"key"`
	// Name is what the module is called where the pack comes from, and by which it is looked for.
	Name string `json:"name"`
}

// Module returns a module by its key, nil if there is none.
func (p *Pack) Module(key string) *Module {
	for i := range p.Modules {
		if p.Modules[i].Key == key {
			return &p.Modules[i]
		}
	}

	return nil
}

// Names reports whether a key is of a module of the pack, or of one outside that it refers to.
func (p *Pack) Names(key string) bool {
	for _, o := range p.Outside {
		if o.Key == key {
			return true
		}
	}

	return p.Module(key) != nil
}

// Field returns a field by its key, nil if there is none.
func (m *Module) Field(key string) *Field {
	for i := range m.Fields {
		if m.Fields[i].Key == key {
			return &m.Fields[i]
		}
	}

	return nil
}
