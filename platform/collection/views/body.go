package views

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/list"
)

// NewView is the body of a view that is saved, anew or for the first time.
type NewView struct {
	Name    string      `json:"name"`
	Shared  bool        `json:"shared,omitempty" doc:"Whether the view is shared with everyone who may read the rows, which requires a further permission. Otherwise it is private to you."`
	Filter  []Condition `json:"filter,omitempty" maxItems:"20"`
	Sort    []Order     `json:"sort,omitempty" maxItems:"4"`
	Columns []string    `json:"columns,omitempty" maxItems:"100" doc:"Keys of fields and of common columns such as uuid and created_at; an empty list selects all."`
}

// all is the patch that replaces everything.
func (n NewView) all() Patch {
	p := Patch{Name: &n.Name, Shared: &n.Shared, Filter: n.Filter, Sort: n.Sort, Columns: n.Columns}
	if p.Filter == nil {
		p.Filter = []Condition{}
	}
	if p.Sort == nil {
		p.Sort = []Order{}
	}
	if p.Columns == nil {
		p.Columns = []string{}
	}

	return p
}

// Patch is the body of a change: what it does not have stays.
type Patch struct {
	Name    *string     `json:"name,omitempty"`
	Shared  *bool       `json:"shared,omitempty" doc:"Whether the view is shared with everyone who may read the rows. A view that you stop sharing becomes yours."`
	Filter  []Condition `json:"filter,omitempty" maxItems:"20" nullable:"false"`
	Sort    []Order     `json:"sort,omitempty" maxItems:"4" nullable:"false"`
	Columns []string    `json:"columns,omitempty" maxItems:"100" nullable:"false"`
}

// replaces reports whether the patch has anything that decides which rows a list by the view has, and how.
func (p Patch) replaces() bool { return p.Filter != nil || p.Sort != nil || p.Columns != nil }

// View is a view as answers show it, but for the parts that are broken.
type View struct {
	UUID      uuid.UUID      `json:"uuid"`
	Name      string         `json:"name"`
	Shared    bool           `json:"shared"`
	Filter    []Condition    `json:"filter" nullable:"false"`
	Sort      []Order        `json:"sort" nullable:"false"`
	Columns   []string       `json:"columns" nullable:"false"`
	Warnings  []list.Warning `json:"warnings,omitempty" doc:"Parts of the view that make its lists fail now, or once there are more rows, and what to do."`
	Version   int64          `json:"version"`
	CreatedAt time.Time      `json:"created_at"`
	UpdatedAt time.Time      `json:"updated_at"`

	broken     []Part
	collection collection.Name
}

// Broken are the parts that are left out, since the field is gone, or not for the caller.
func (v View) Broken() []Part { return v.broken }

// Collection is the collection whose lists the view is of.
func (v View) Collection() collection.Name { return v.collection }
