package resource_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
)

type noRow struct{ Name string }

type wrongWord struct {
	resource.Row

	Name string `json:"name" field:"requierd"`
}

type wrongBound struct {
	resource.Row

	Seen bool `json:"seen" field:"max=3"`
}

type noKey struct {
	resource.Row

	Name string
}

type wrongType struct {
	resource.Row

	Share float64 `json:"share"`
}

type openSecret struct {
	resource.Row

	Code string `json:"code" field:"sensitive"`
}

type wrongReference struct {
	resource.Row

	Driver *uuid.UUID `json:"driver" field:"item=drivers.driver"`
}

type wordless struct {
	resource.Row

	Kind string `json:"kind" enum:"a,b"`
}

func (noRow) TableName() string          { return "x" }
func (wrongWord) TableName() string      { return "x" }
func (wrongBound) TableName() string     { return "x" }
func (noKey) TableName() string          { return "x" }
func (wrongType) TableName() string      { return "x" }
func (openSecret) TableName() string     { return "x" }
func (wrongReference) TableName() string { return "x" }
func (wordless) TableName() string       { return "x" }

func TestOf_RefusesAWrongStructWhenTheServiceStarts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		line fx.Option
		want string
	}{
		"no row":            {resource.Of(resource.Rules[noRow]{Item: "yard.x"}), `area "yard": struct resource_test.noRow: want a struct that embeds resource.Row`},
		"a wrong word":      {resource.Of(resource.Rules[wrongWord]{Item: "yard.x"}), `struct resource_test.wrongWord: field Name: field:"requierd": "requierd" is no word of it`},
		"a wrong bound":     {resource.Of(resource.Rules[wrongBound]{Item: "yard.x"}), `struct resource_test.wrongBound: field Seen: field:"max=3": min and max need a number, a text or a list`},
		"no key":            {resource.Of(resource.Rules[noKey]{Item: "yard.x"}), `struct resource_test.noKey: field Name: want a tag json`},
		"a wrong type":      {resource.Of(resource.Rules[wrongType]{Item: "yard.x"}), `struct resource_test.wrongType: field Share: a float64 cannot be stored in the database`},
		"a secret for all":  {resource.Of(resource.Rules[openSecret]{Item: "yard.x"}), `struct resource_test.openSecret: field Code: a sensitive field is null for those who may not see it`},
		"a wrong reference": {resource.Of(resource.Rules[wrongReference]{Item: "yard.x"}), `struct resource_test.wrongReference: field Driver: a reference has a key that ends in _uuid`},
		"no word at all":    {resource.Of(resource.Rules[wordless]{Item: "yard.x"}), `struct resource_test.wordless: field Kind: an enumeration is required`},
		"another's area":    {resource.Of(resource.Rules[dock]{Item: "loads.dock"}), `area "yard": the resource "loads.dock" is another area's`},
		"an event of values": {
			resource.Of(resource.Rules[dock]{Item: "yard.dock", Events: resource.Events[dock]{
				"create": func(d dock) events.Event { return gateShut{Gate: *d.CreatedBy} },
			}}),
			`the event of the verb "create" of yard.dock cannot be made of a row without values`,
		},
		"two of a name": {
			module.Lines(resource.Of(resource.Rules[dock]{Item: "yard.dock"}), resource.Of(resource.Rules[ramp]{Item: "yard.dock", Plural: "ramps"})),
			`the resource "yard.dock" is declared twice`,
		},
	} {
		modules := []module.Module{module.New("yard", "Gates", test.line)}
		cfg, err := app.Load(config.LoadOptions{Modules: modules, Set: []string{"data_dir=" + t.TempDir(), "log.level=error"}})
		require.NoError(t, err)
		_, err = app.New(cfg, modules)
		require.ErrorContains(t, err, test.want, name)
	}
}

// ramp is a row of a table of which a column is missing.
type ramp struct {
	resource.Row

	Slope int64 `json:"slope"`
}

func (ramp) TableName() string { return "yard_ramps" }

func TestOf_RefusesATableThatLacksAColumnWhenTheServiceStarts(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		modules := []module.Module{module.New("yard", "Gates", resource.Of(resource.Rules[ramp]{Item: "yard.ramp"}),
			migrate.Files(fstest.MapFS{"00001_create_ramps.sql": {Data: []byte(`-- +goose Up
CREATE TABLE yard_ramps (company_id uuid NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created_at timestamptz NOT NULL, created_by uuid,
    updated_at timestamptz NOT NULL, updated_by uuid, deleted_at timestamptz, PRIMARY KEY (company_id, id));
-- +goose Down
DROP TABLE yard_ramps;
`)}}))}
		cfg, err := app.Load(config.LoadOptions{Modules: modules, Set: []string{
			"secret.key=dsk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "database.url=" + url, "data_dir=" + t.TempDir(), "log.level=error",
		}})
		require.NoError(t, err)
		service, err := app.New(cfg, modules, app.Serving())
		require.NoError(t, err)
		require.ErrorContains(t, service.Start(t.Context()),
			`area "yard": struct resource_test.ramp: field Slope: the table yard_ramps has no column slope`)
	})
}
