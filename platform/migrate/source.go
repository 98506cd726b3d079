package migrate

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
)

// platformArea is the name under which the platform's own migrations run. No area may have it.
const platformArea = "platform"

// Source is the migrations of one area.
type Source struct {
	// Area is the area's id, "platform" for the platform's own.
	Area string
	// FS has the area's *.sql files at its top.
	FS fs.FS
}

// Files is the manifest line of an area that brings its own migrations along, because it lives
// outside this repository. The *.sql files are at the top of fsys:
//
//	//go:embed migrations/*.sql
//	var files embed.FS
//
//	migrate.Files(must(fs.Sub(files, "migrations")))
func Files(fsys fs.FS) fx.Option {
	return module.Contribute("migrations", "files", broughtFiles{fsys}, nil)
}

// broughtFiles is the value of a Files contribution.
type broughtFiles struct{ fs.FS }

// Sources returns the migrations of the platform and of those modules that have any: those of the
// folder <platform>/<area>, or those that the manifest brings along. Areas with the same names share
// a folder. platform is migrations.FS.
func Sources(platform fs.FS, modules []module.Module) ([]Source, error) {
	own, err := fs.Sub(platform, platformArea)
	if err != nil {
		return nil, fmt.Errorf("migrations of the platform: %w", err)
	}
	sources := []Source{{Area: platformArea, FS: own}}
	var problems []error
	for _, m := range modules {
		source, err := sourceOf(platform, m)
		if err != nil {
			problems = append(problems, fmt.Errorf("migrations of area %q: %w", m.ID(), err))
		}
		there := slices.ContainsFunc(sources, func(s Source) bool { return s.Area == source.Area })
		if source.FS != nil && !there {
			sources = append(sources, source)
		}
	}

	return sources, errors.Join(problems...)
}

// sourceOf returns the migrations of one module; FS is nil if it has none.
func sourceOf(platform fs.FS, m module.Module) (Source, error) {
	if m.ID() == platformArea {
		return Source{}, errors.New("the id is reserved")
	}
	source := Source{Area: m.Prefix()}
	inTree, err := fs.Glob(platform, source.Area+"/*.sql")
	if err != nil {
		return Source{}, err
	}
	all := module.Values[broughtFiles](m)
	switch {
	case len(all)+min(len(inTree), 1) > 1:
		return Source{}, errors.New("there are two sets: want one migrate.Files, or a folder in this repository")
	case len(all) == 1:
		source.FS = all[0].FS
	case len(inTree) > 0:
		source.FS, err = fs.Sub(platform, source.Area)
	}

	return source, err
}

var areaName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// table is the name of the area's version table.
func (s Source) table() string { return "goose_" + s.Area }

// sortSources returns the sources in the order in which they are applied: the platform first, because
// areas have foreign keys to identity's tables, then by id.
func sortSources(sources []Source) []Source {
	return slices.SortedFunc(slices.Values(sources), func(a, b Source) int {
		if (a.Area == platformArea) != (b.Area == platformArea) {
			if a.Area == platformArea {
				return -1
			}

			return 1
		}

		return cmp.Compare(a.Area, b.Area)
	})
}
