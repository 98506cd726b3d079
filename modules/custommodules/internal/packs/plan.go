package packs

import "github.com/google/uuid"

// Action is what an import does, or would do, with a module or a field.
type Action string

// The actions. A module is changed if anything of it or its fields is.
const (
	Create Action = "create"
	Modify Action = "change"
	Equal  Action = "same"
	// Left is for fields that an earlier version of the pack made and this one does not have: they stay.
	Left Action = "left"
	// Removed is for fields that the company has removed since: they do not come back.
	Removed  Action = "removed"
	Conflict Action = "conflict"
)

// PackPlan is what an import does, or would do.
type PackPlan struct {
	Pack    Head           `json:"pack"`
	Applied bool           `json:"applied" doc:"Whether the import was carried out; a plan changes nothing."`
	Summary Summary        `json:"summary"`
	Modules []ModulePlan   `json:"modules" nullable:"false"`
	Outside []OutsideFound `json:"outside" nullable:"false" doc:"The modules that the pack refers to but does not contain."`
}

// Head is which pack something is about.
type Head struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	Title   string `json:"title"`
}

// Summary counts modules and fields by action.
type Summary struct {
	Create   int `json:"create"`
	Change   int `json:"change"`
	Same     int `json:"same"`
	Conflict int `json:"conflict"`
}

// ModulePlan is what becomes of a module.
type ModulePlan struct {
	Key         string              `json:"key"`
	Name        string              `json:"name"`
	ModuleUUID  *uuid.UUID          `json:"module_uuid" doc:"The company's module; null if it does not exist yet."`
	FromVersion *int                `json:"from_version" doc:"The version of the pack that the module has; null if it is not from a pack."`
	Action      Action              `json:"action" enum:"create,change,same,conflict"`
	Changes     []Difference        `json:"changes" nullable:"false"`
	Kept        []Difference        `json:"kept" nullable:"false" doc:"The company's own changes, which stay; see overwrite."`
	Problems    map[string][]string `json:"problems,omitempty" doc:"The reasons for the conflict, by key."`
	Fields      []FieldPlan         `json:"fields" nullable:"false"`
}

// FieldPlan is what becomes of a field.
type FieldPlan struct {
	Key      string              `json:"key" doc:"The key in the pack."`
	Action   Action              `json:"action" enum:"create,change,same,left,removed,conflict"`
	Changes  []Difference        `json:"changes,omitempty"`
	Kept     []Difference        `json:"kept,omitempty"`
	Problems map[string][]string `json:"problems,omitempty"`
}

// OutsideFound is a module that a pack refers to, as the company has it.
type OutsideFound struct {
	Key        string     `json:"key"`
	Name       string     `json:"name"`
	ModuleUUID *uuid.UUID `json:"module_uuid" doc:"null if there is no module with the name: choose one in bind."`
}

// Conclude decides the actions of modules by those of their fields, and counts.
func (p *PackPlan) Conclude() {
	p.Summary = Summary{}
	for i := range p.Modules {
		m := &p.Modules[i]
		for _, f := range m.Fields {
			p.Summary.count(f.Action)
			switch {
			case f.Action == Conflict:
				m.Action = Conflict
			case m.Action == Equal && (f.Action == Create || f.Action == Modify):
				m.Action = Modify
			}
		}
		p.Summary.count(m.Action)
	}
	for _, o := range p.Outside {
		if o.ModuleUUID == nil {
			p.Summary.Conflict++
		}
	}
}

func (s *Summary) count(a Action) {
	switch a {
	case Create:
		s.Create++
	case Modify:
		s.Change++
	case Conflict:
		s.Conflict++
	case Equal, Left, Removed:
		s.Same++
	}
}

// Conflicts are the messages about everything that stands in the way, by path.
func (p *PackPlan) Conflicts() map[string][]string {
	all := map[string][]string{}
	for _, m := range p.Modules {
		for about, messages := range m.Problems {
			all["modules."+m.Key+"."+about] = messages
		}
		for _, f := range m.Fields {
			for about, messages := range f.Problems {
				all["modules."+m.Key+".fields."+f.Key+"."+about] = messages
			}
		}
	}
	for _, o := range p.Outside {
		if o.ModuleUUID == nil {
			all["outside."+o.Key] = []string{"The company has no module " + o.Name + ": choose one in bind."}
		}
	}

	return all
}
