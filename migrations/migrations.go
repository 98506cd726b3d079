// Package migrations holds the tables of the platform and of the areas in this repository, as SQL:
// one folder an area. The migrate package says how the files are written and applied.
package migrations

import "embed"

// FS has the folders platform and <area>, with the *.sql files in them.
//
//go:embed */*.sql
var FS embed.FS
