// Package scaffold writes the files of a new area.
package scaffold

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"golang.org/x/mod/modfile"
)

//go:embed *.tmpl
var templates embed.FS

// home is the module path of this repository, whose areas live in modules/.
const home = "github.com/dispatchd/dispatchd"

// Area is what to write.
type Area struct {
	// Dir is the top of the repository that gets the area.
	Dir string
	// ID is the area's id, Noun what it keeps (lower case, singular), Title one line on what it is;
	// without a title one is made from the id.
	ID, Noun, Title string
	// Fields are those of the items, separated by spaces: keys with types, an exclamation mark behind what is required, such as
	// "code:text! odometer:integer spot:yard.spot"; DefaultFields if "".
	Fields string
}

var (
	validID   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
	validNoun = regexp.MustCompile(`^[a-z][a-z0-9]{0,29}$`)
)

// reserved are nouns that would hide a name in the written code.
const reserved = " resource module new append len string error type func map package import var const range row "

func isReserved(noun string) bool { return strings.Contains(reserved, " "+noun+" ") }

// Write writes the area and returns the names of the files, relative to Dir. It overwrites nothing:
// if the area's folder is there already, it is an error and nothing is written.
func (a Area) Write() ([]string, error) {
	plan, err := a.plan()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(a.Dir, plan.folder)); !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is there already", plan.folder)
	}

	written := make([]string, 0, len(plan.files)+1)
	for _, file := range plan.files {
		text, err := plan.render(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.template, err)
		}
		if err := write(filepath.Join(a.Dir, file.name), text); err != nil {
			return nil, err
		}
		written = append(written, file.name)
	}
	if plan.External {
		return written, nil
	}

	list := path.Join("modules", "modules.go")

	return append(written, list), addToModuleList(filepath.Join(a.Dir, list), plan.Import, plan.Package)
}

// plan is an area with all names settled; its exported fields are for the templates.
type plan struct {
	Area, Title, Package, Import   string
	Noun, Plural, Article, Capital string
	External                       bool
	Fields                         []field

	folder string
	files  []file
}

type file struct{ template, name string }

func (a Area) plan() (plan, error) {
	if !validID.MatchString(a.ID) {
		return plan{}, fmt.Errorf("area id %q: want lower case letters, digits and underscores, a letter first", a.ID)
	}
	switch {
	case !validNoun.MatchString(a.Noun):
		return plan{}, fmt.Errorf("noun %q: want one lower case word in the singular, as in \"door\"", a.Noun)
	case isReserved(a.Noun):
		return plan{}, fmt.Errorf("noun %q: the generated code already uses that name; choose another word", a.Noun)
	}
	fields, err := parseFields(cmp.Or(a.Fields, DefaultFields))
	if err != nil {
		return plan{}, err
	}
	modulePath, err := readModulePath(a.Dir)
	if err != nil {
		return plan{}, err
	}

	p := plan{
		Area: a.ID, Title: a.Title, Package: strings.ReplaceAll(a.ID, "_", ""),
		Noun: a.Noun, Plural: plural(a.Noun), Article: indefiniteArticle(a.Noun),
		External: modulePath != home, Fields: fields,
	}
	p.Capital = strings.ToUpper(p.Article[:1]) + p.Article[1:]
	if p.Title == "" {
		words := strings.ReplaceAll(a.ID, "_", " ")
		p.Title = strings.ToUpper(words[:1]) + words[1:]
	}
	p.place(modulePath)

	return p, nil
}

// place settles where each file goes.
func (p *plan) place(modulePath string) {
	p.folder = path.Join("modules", p.Package)
	migrations, page := path.Join("migrations", p.Area), path.Join("docs", p.Area+".md")
	if p.External {
		p.folder = p.Package
		migrations, page = path.Join(p.folder, "migrations"), path.Join(p.folder, "README.md")
	}
	p.Import = path.Join(modulePath, p.folder)
	p.files = append(p.files,
		file{"module.go.tmpl", path.Join(p.folder, "module.go")},
		file{"noun.go.tmpl", path.Join(p.folder, p.Noun+".go")},
		file{"http_test.go.tmpl", path.Join(p.folder, p.Package+"_test.go")},
		file{"migration.sql.tmpl", path.Join(migrations, "00001_create_"+p.Plural+".sql")},
		file{"page.md.tmpl", page},
	)
}

func (p plan) render(f file) ([]byte, error) {
	t, err := template.ParseFS(templates, f.template)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, p); err != nil {
		return nil, err
	}
	if path.Ext(f.name) != ".go" {
		return out.Bytes(), nil
	}

	return format.Source(out.Bytes())
}

func write(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		return err
	}

	return os.WriteFile(name, text, 0o644) //nolint:gosec // source code is for everybody to read
}

// readModulePath returns the module path of the repository at dir.
func readModulePath(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod")) //nolint:gosec // the caller's own repository
	if err != nil {
		return "", fmt.Errorf("run this at the top of a Go repository: %w", err)
	}
	modulePath := modfile.ModulePath(text)
	if modulePath == "" {
		return "", errors.New("go.mod names no module")
	}

	return modulePath, nil
}
