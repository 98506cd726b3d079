package migrate

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/database"
)

var fileName = regexp.MustCompile(`^([0-9]{5})_([a-z0-9_]+)(?:\.(postgres|sqlite))?\.sql$`)

// file is a migration as its name tells it.
type file struct {
	version int64
	// name is the file's name without folder.
	name string
	// only is the database that the file is for, "" if it is for both.
	only database.Dialect
}

func parseFile(name string) (file, error) {
	part := fileName.FindStringSubmatch(name)
	if part == nil {
		return file{}, fmt.Errorf("%s: want NNNNN_verb_noun.sql, or .postgres.sql or .sqlite.sql at the end", name)
	}
	version, err := strconv.ParseInt(part[1], 10, 64)
	if err != nil || version == 0 {
		return file{}, fmt.Errorf("%s: versions begin at 00001", name)
	}

	return file{version: version, name: name, only: dialectOf(part[3])}, nil
}

// dialectOf returns the database that a file name ends with.
func dialectOf(suffix string) database.Dialect {
	switch suffix {
	case "postgres":
		return database.Postgres
	case "sqlite":
		return database.SQLite
	default:
		return ""
	}
}

// area is the migrations of one area for one database.
type area struct {
	Source

	// files are in the order of their versions.
	files []file
	// skipped are the names of files for the other database.
	skipped []string
}

// listAreas lists the migrations of all sources for one database, in the order of application.
func listAreas(sources []Source, on database.Dialect) ([]area, error) {
	all := make([]area, 0, len(sources))
	var problems []error
	for _, source := range sortSources(sources) {
		a, err := readArea(source, on)
		if err != nil {
			problems = append(problems, fmt.Errorf("migrations of area %q: %w", source.Area, err))
		}
		all = append(all, a)
	}

	return all, errors.Join(problems...)
}

func readArea(source Source, on database.Dialect) (area, error) {
	a := area{Source: source}
	if !areaName.MatchString(source.Area) {
		return a, errors.New("the id is not the id of an area")
	}
	names, err := fs.Glob(source.FS, "*.sql")
	if err != nil {
		return a, err
	}
	if len(names) == 0 {
		return a, errors.New("no *.sql at the top of the file system; fs.Sub gives a folder of it")
	}
	var problems []error
	for _, name := range names {
		f, err := parseFile(name)
		switch {
		case err != nil:
			problems = append(problems, err)
		case f.only != "" && f.only != on:
			a.skipped = append(a.skipped, f.name)
		default:
			a.files = append(a.files, f)
		}
	}
	slices.SortFunc(a.files, func(x, y file) int { return int(x.version - y.version) })
	for i := range a.files[:max(len(a.files)-1, 0)] {
		if a.files[i].version == a.files[i+1].version {
			problems = append(problems, fmt.Errorf("%s and %s have the same version", a.files[i].name, a.files[i+1].name))
		}
	}

	return a, errors.Join(problems...)
}

// render returns what the files say to the database, by their names, or what is wrong with any of them, before one is applied.
func (a area) render(on database.Dialect) (map[string]string, error) {
	texts := make(map[string]string, len(a.files))
	var problems []error
	for _, f := range a.files {
		written, err := fs.ReadFile(a.FS, f.name)
		if err == nil {
			texts[f.name], err = f.sql(a.Area, string(written), on)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", f.name, err))
		}
	}

	return texts, errors.Join(problems...)
}

// sql returns what the file says to the database it is applied to.
func (f file) sql(area, written string, on database.Dialect) (string, error) {
	if err := CheckTableNames(area, written); err != nil {
		return "", err
	}
	if err := f.checkSections(written); err != nil {
		return "", err
	}
	if on == database.SQLite && f.only != database.SQLite {
		return translate(written)
	}

	return written, nil
}

const noTransaction = "-- +goose NO TRANSACTION"

// checkSections reports a migration that could not be taken back, or that could be left half done.
func (f file) checkSections(written string) error {
	up, down, _ := strings.Cut(written, "-- +goose Down")
	if len(statements(tokenize(down))) == 0 {
		return errors.New(`there is no statement after "-- +goose Down"`)
	}
	if !strings.Contains(written, noTransaction) {
		return nil
	}
	if f.only != database.Postgres || len(statements(tokenize(up))) > 1 || len(statements(tokenize(down))) > 1 {
		return errors.New("NO TRANSACTION is for a single statement each way in a .postgres.sql file")
	}

	return nil
}
