package main

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// migrations are those of letters and cards.
//
//go:embed migrations
var migrations embed.FS

// letters are a table by hand, as text templates were before there were resources.
func letters() module.Module {
	return module.New("letters", "Letters, by hand",
		migrate.Files(in("letters")), fx.Provide(newWriter, fx.Private), web.Routes(letterRoutes))
}

// cards are letters as a resource.
func cards() module.Module {
	return module.New("cards", "Cards, as a resource",
		migrate.Files(in("cards")),
		resource.Of(resource.Rules[card]{Item: "cards.card", About: "A letter as a resource.", Sort: []string{"name"}}),
	)
}

// in returns the migrations of an area.
func in(area string) fs.FS {
	folder, err := fs.Sub(migrations, "migrations/"+area)
	if err != nil {
		panic(err) // the name is wrong
	}

	return folder
}

// part is what one of the resources adds to the area: its line, and its table.
type part struct {
	line  fx.Option
	table string
}

func partOf[A, B digit]() part {
	return part{
		resource.Of(resource.Rules[thing[A, B]]{Item: "wide." + noun[A, B](), About: "A thing among many.", Sort: []string{"name"}}),
		thing[A, B]{}.TableName(),
	}
}

func row[A digit]() []part {
	return []part{
		partOf[A, d0](), partOf[A, d1](), partOf[A, d2](), partOf[A, d3](), partOf[A, d4](), partOf[A, d5](), partOf[A, d6](),
		partOf[A, d7](), partOf[A, d8](), partOf[A, d9](), partOf[A, da](), partOf[A, db](), partOf[A, dc](),
	}
}

// wide is an area of some resources, none if count is 0.
func wide(count int) []module.Module {
	if count == 0 {
		return nil
	}
	var parts []part
	for _, some := range [][]part{
		row[d0](), row[d1](), row[d2](), row[d3](), row[d4](), row[d5](), row[d6](), row[d7](), row[d8](), row[d9](), row[da](), row[db](), row[dc](),
	} {
		parts = append(parts, some...)
	}
	var options []fx.Option
	var up strings.Builder
	for i, k := range parts {
		fmt.Fprintf(&up, wideTable, k.table)
		if i < count {
			options = append(options, k.line)
		}
	}
	files := fstest.MapFS{"00001_create_things.sql": {Data: []byte("-- +goose Up\n" + up.String() + "\n-- +goose Down\nSELECT 1;\n")}}

	return []module.Module{module.New("wide", "Many things", append(options, migrate.Files(files))...)}
}

const wideTable = `CREATE TABLE %[1]s (
    company_id uuid NOT NULL REFERENCES identity_companies (id),
    id uuid NOT NULL, version bigint NOT NULL, created_at timestamptz NOT NULL, created_by uuid,
    updated_at timestamptz NOT NULL, updated_by uuid, deleted_at timestamptz,
    name text COLLATE "C" NOT NULL, city text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, weight bigint,
    open boolean NOT NULL, comment text,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX %[1]s_name ON %[1]s (company_id, name) WHERE deleted_at IS NULL;
CREATE INDEX %[1]s_deleted ON %[1]s (deleted_at) WHERE deleted_at IS NOT NULL;
`
