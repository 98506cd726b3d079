// Package docks keeps doors.
//
// It owns the docks_* tables and every operation under /docks/api/v1.
package docks

import (
	"embed"
	"io/fs"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the docks area.
var Module = module.New("docks", "Dock doors of a yard",
	config.Section(defaults()),
	fx.Provide(newRepository, newService, fx.Private),
	web.Routes(doorRoutes),
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
