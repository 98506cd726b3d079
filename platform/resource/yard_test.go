package resource_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// gate is a row of yard_gates: all that the tags can say.
type gate struct {
	resource.Row

	Name     string                `json:"name" field:"required,max=20,unique,sort,search,title" doc:"What people call it." example:"North"`
	Number   string                `json:"number" field:"number=G-{seq:4},sort"`
	Lanes    int64                 `json:"lanes" field:"min=1,max=9,default=2,sort"`
	Kind     string                `json:"kind" field:"default=entry" enum:"entry,exit"`
	Serial   string                `json:"serial" field:"fixed,max=10"`
	Code     *string               `json:"code" field:"sensitive,max=8"`
	Phone    field.Phone           `json:"phone" field:"search"`
	Tested   field.Date            `json:"tested" field:"sort"`
	Guard    *uuid.UUID            `json:"guard_uuid" gorm:"column:guard_id" field:"user"`
	Dock     *uuid.UUID            `json:"dock_uuid" gorm:"column:dock_id" field:"item=yard.dock,on_delete=clear,search"`
	Spare    *uuid.UUID            `json:"spare_uuid" gorm:"column:spare_id" field:"item=yard.dock"`
	Notices  resource.JSON[[]text] `json:"notices" field:"max=3"`
	State    status                `json:"state" enum:"open,shut"`
	Measured int64                 `json:"measured" field:"readonly,nofilter"`
}

// remark is a row of yard_remarks, about an item of any type.
type remark struct {
	resource.Row

	Words string        `json:"words" field:"required,title,unique=folded,sort"`
	Notes string        `json:"notes" field:"verbatim"`
	About resource.Item `json:"about" gorm:"embedded;embeddedPrefix:about_"`
}

func (remark) TableName() string { return "yard_remarks" }

type text struct {
	Words string `json:"words" minLength:"1" maxLength:"40"`
}

func (gate) TableName() string { return "yard_gates" }

type status string

type dock struct {
	resource.Row

	Name string `json:"name" field:"required,title,sort"`
}

func (dock) TableName() string { return "yard_docks" }

// gateShut is published when a gate shuts.
type gateShut struct {
	Gate uuid.UUID `json:"gate"`
}

func (gateShut) EventName() string { return "yard.gate.shut" }

type surveyor struct{ gates *resource.Resource[gate] }

func newSurveyor(gates *resource.Resource[gate]) *surveyor { return &surveyor{gates} }

// measure is a decision that needs a service.
func (s *surveyor) measure(_ context.Context, c resource.Change[gate]) error {
	c.After.Measured = c.After.Lanes * 12
	if c.After.Name == "Forbidden" {
		return s.gates.Invalid().WithField("name", "The name is forbidden.")
	}

	return nil
}

func yard(tables fstest.MapFS, more ...fx.Option) []module.Module {
	return []module.Module{module.New("yard", "Gates and docks", append(more,
		resource.Of(resource.Rules[gate]{
			Item: "yard.gate", About: "A gate of the yard.", Sort: []string{"name"},
			Life: resource.LifeOf(state.Machine[status]{
				Item: "yard.gate", Initial: "open",
				Steps: []state.Step[status]{{From: []status{"open"}, Verb: "shut", To: "shut"}, {From: []status{"shut"}, Verb: "open", To: "open"}},
			}, func(g *gate) *status { return &g.State }),
			Events: resource.Events[gate]{"shut": func(g gate) events.Event { return gateShut{Gate: g.ID} }},
		}),
		resource.Of(resource.Rules[dock]{Item: "yard.dock"}),
		resource.Of(resource.Rules[remark]{Item: "yard.remark", KeepDeleted: true}),
		item.Type("yard.spot", "Spot", (*surveyor).spots, nil, nil),
		item.Hides((*surveyor).hidden),
		fx.Provide(newSurveyor, fx.Private),
		resource.Before((*surveyor).measure),
		migrate.Files(tables),
	)...)}
}

func tables() fstest.MapFS {
	const row = `company_id uuid NOT NULL, id uuid NOT NULL, version bigint NOT NULL,
    created_at timestamptz NOT NULL, created_by uuid, updated_at timestamptz NOT NULL, updated_by uuid, deleted_at timestamptz`

	return fstest.MapFS{"00001_create_gates.sql": {Data: []byte(fmt.Sprintf(`-- +goose Up
CREATE TABLE yard_gates (
    %[1]s,
    name text COLLATE "C" NOT NULL, number text COLLATE "C" NOT NULL, lanes bigint NOT NULL, kind text COLLATE "C" NOT NULL, serial text NOT NULL, code text, phone text COLLATE "C", tested date, guard_id uuid,
    dock_id uuid, spare_id uuid, notices jsonb NOT NULL, state text COLLATE "C" NOT NULL, measured bigint NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX yard_gates_name ON yard_gates (company_id, name) WHERE deleted_at IS NULL;
CREATE TABLE yard_docks (
    %[1]s,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE TABLE yard_remarks (
    %[1]s,
    words text COLLATE "C" NOT NULL, words_key text COLLATE "C" NOT NULL, notes text NOT NULL,
    about_type text COLLATE "C", about_id uuid, about_part text COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX yard_remarks_words ON yard_remarks (company_id, words_key) WHERE deleted_at IS NULL;
-- +goose Down
DROP TABLE yard_remarks;
DROP TABLE yard_docks;
DROP TABLE yard_gates;
`, row))}}
}
