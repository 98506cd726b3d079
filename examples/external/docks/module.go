// Package docks keeps doors.
//
// It owns the docks_* tables and every operation under /docks/api/v1.
package docks

import (
	"embed"
	"io/fs"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Module is the docks area. What else a line can be (settings, operations, events, jobs …) is in
// https://github.com/dispatchd/dispatchd/blob/main/docs/areas.md.
var Module = module.New("docks", "Docks",
	identity.Grants(identity.Dispatcher, "write"),
	resource.Of(doorRules()),
	migrate.Files(tables()),
)

//go:embed migrations/*.sql
var migrations embed.FS

// tables are the migrations of this area.
func tables() fs.FS {
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the folder is embedded: cannot happen
	}

	return sub
}
