package modules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/migrate"
)

const self = "github.com/dispatchd/dispatchd"

// source is one Go file of the repository, by its path from the top ("modules/sms/module.go").
type source struct {
	path    string
	file    *ast.File
	imports []string
}

func (s source) dir() string  { return path.Dir(s.path) }
func (s source) base() string { return path.Base(s.path) }

// area returns the folder of the area that the file belongs to ("sms"), "" if it belongs to none.
func (s source) area() string {
	parts := strings.Split(s.path, "/")
	if len(parts) < 3 || parts[0] != "modules" {
		return ""
	}

	return parts[1]
}

// contract reports whether the file is part of a published contract, and of which area's.
func contract(importPath string) (area string, ok bool) {
	parts := strings.Split(strings.TrimPrefix(importPath, self+"/"), "/")
	if len(parts) != 3 || parts[0] != "modules" || parts[2] != parts[1]+"api" {
		return "", false
	}

	return parts[1], true
}

// sources reads every Go file of cmd, modules, platform and migrations; tests only when asked.
func sources(t *testing.T, tests bool) []source {
	t.Helper()
	var all []source
	for _, top := range []string{"cmd", "modules", "platform", "migrations"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", top), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") && !tests {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			s := source{path: strings.TrimPrefix(filepath.ToSlash(name), "../"), file: file}
			for _, spec := range file.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return err
				}
				s.imports = append(s.imports, imported)
			}
			all = append(all, s)

			return nil
		}))
	}
	require.NotEmpty(t, all)

	return all
}

func TestPlatform_NeverImportsAnArea(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t, true) {
		if !strings.HasPrefix(s.path, "platform/") {
			continue
		}
		for _, imported := range s.imports {
			require.Falsef(t, strings.HasPrefix(imported, self+"/modules"), "%s imports %s", s.path, imported)
		}
	}
}

func TestArea_ImportsOfOthersOnlyTheirContract(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t, false) {
		for _, imported := range s.imports {
			rest, inModules := strings.CutPrefix(imported, self+"/modules/")
			if s.area() == "" || !inModules {
				continue
			}
			if folder, _, _ := strings.Cut(rest, "/"); folder == s.area() {
				continue
			}
			_, ok := contract(imported)
			require.Truef(t, ok, "%s imports %s: use its contract", s.path, imported)
		}
	}
}

func TestContract_ImportsOnlyTheStandardLibraryErrorsAndOtherContracts(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t, false) {
		if _, ok := contract(self + "/" + s.dir()); !ok {
			continue
		}
		for _, imported := range s.imports {
			_, isContract := contract(imported)
			standard := !strings.Contains(strings.SplitN(imported, "/", 2)[0], ".")
			require.Truef(t, standard || isContract || imported == self+"/platform/errs", "%s imports %s", s.path, imported)
		}
	}
}

func TestLibraries_StayInTheirRoom(t *testing.T) {
	t.Parallel()
	rooms := []struct {
		library string
		allowed func(s source) bool
	}{
		{"go.uber.org/fx", func(s source) bool {
			return strings.HasPrefix(s.path, "platform/") || s.base() == "module.go"
		}},
		{"gorm.io/", func(s source) bool {
			return s.dir() == "platform/database" || strings.HasPrefix(s.dir(), "platform/database/internal/") || s.dir() == "platform/list" ||
				strings.HasPrefix(s.base(), "repository") || strings.HasPrefix(s.base(), "model")
		}},
		{"github.com/gofiber/fiber", func(s source) bool { return s.dir() == "platform/web" }},
		{"github.com/carlos7ags/folio", func(s source) bool { return s.dir() == "platform/pdfjoin" }},             // ADR 0111
		{"codeberg.org/go-pdf/fpdf", func(s source) bool { return strings.HasPrefix(s.dir(), "platform/paper") }}, // ADR 0110
		{"github.com/phpdave11/gofpdi", func(source) bool { return false }},
		{"codeberg.org/go-pdf/fpdf/contrib/gofpdi", func(source) bool { return false }},
	}
	for _, s := range sources(t, false) {
		for _, room := range rooms {
			for _, imported := range s.imports {
				require.Falsef(t, strings.HasPrefix(imported, room.library) && !room.allowed(s), "%s imports %s", s.path, imported)
			}
		}
	}
}

func TestArea_ExportsModuleAlone(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t, false) {
		if s.dir() != "modules/"+s.area() {
			continue
		}
		for _, decl := range s.file.Decls {
			for _, name := range declared(decl) {
				require.Truef(t, !ast.IsExported(name) || name == "Module", "%s exports %s", s.path, name)
			}
		}
	}
}

var mutableAllowed = regexp.MustCompile(`^(Module|[eE]rr[A-Z]\w*|_)$`)

func TestArea_HasNoHiddenWiring(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t, false) {
		if s.area() == "" {
			continue
		}
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				require.Falsef(t, d.Recv == nil && d.Name.Name == "init", "%s has an init function", s.path)
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					for _, name := range variables(d) {
						require.Truef(t, mutableAllowed.MatchString(name), "%s has the package variable %s", s.path, name)
					}
				}
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if tag, ok := n.(*ast.BasicLit); ok && tag.Kind == token.STRING {
				require.NotRegexpf(t, "`(name|group):\"", tag.Value, "%s wires by name", s.path)
			}

			return true
		})
	}
}

// variables lists the package variables of a declaration, but those that hold a compiled regular
// expression, or a table that its package leaves as it is, made at once or when it is first asked for.
func variables(d *ast.GenDecl) []string {
	var names []string
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || len(v.Values) == 1 && isRegexp(v.Values[0]) || isEmbedded(v) {
			continue
		}
		for i, name := range v.Names {
			if i >= len(v.Values) || !isTable(v.Values[i]) {
				names = append(names, name.Name)
			}
		}
	}

	return names
}

func isTable(value ast.Expr) bool {
	if call, ok := value.(*ast.CallExpr); ok {
		made, ok := call.Fun.(*ast.SelectorExpr)

		return ok && made.Sel.Name == "OnceValue"
	}
	_, ok := value.(*ast.CompositeLit)

	return ok
}

// isEmbedded reports whether a variable is a folder of files that the compiler has put in, which never changes.
func isEmbedded(v *ast.ValueSpec) bool {
	selector, ok := v.Type.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := selector.X.(*ast.Ident)

	return ok && pkg.Name == "embed" && selector.Sel.Name == "FS"
}

func isRegexp(value ast.Expr) bool {
	call, ok := value.(*ast.CallExpr)
	if !ok {
		return false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := selector.X.(*ast.Ident)

	return ok && pkg.Name == "regexp"
}

// declared lists the names that a declaration adds to its package.
func declared(decl ast.Decl) []string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		var names []string
		for _, spec := range d.Specs {
			switch v := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, v.Name.Name)
			case *ast.ValueSpec:
				for _, name := range v.Names {
					names = append(names, name.Name)
				}
			}
		}

		return names
	}

	return nil
}

func TestManifest_DeclaresTheContractsThatTheAreaImports(t *testing.T) {
	t.Parallel()
	all := sources(t, false)
	for _, m := range modules.All() {
		folder := strings.ReplaceAll(m.ID(), "_", "")
		var imports []string
		for _, s := range all {
			if s.area() != folder {
				continue
			}
			for _, imported := range s.imports {
				if other, ok := contract(imported); ok && other != folder {
					imports = append(imports, other)
				}
			}
		}
		said := slices.Concat(m.NeededAreas(), m.ListenedAreas())
		for i := range said {
			said[i] = strings.ReplaceAll(said[i], "_", "")
		}
		slices.Sort(said)
		slices.Sort(imports)
		require.Equalf(t, slices.Compact(said), slices.Compact(imports),
			"area %q: Needs and Listens on the left, imported contracts on the right", m.ID())
	}
}

func TestMigrations_NameOnlyTablesOfTheirArea(t *testing.T) {
	t.Parallel()
	folders, err := os.ReadDir(filepath.Join("..", "migrations"))
	require.NoError(t, err)
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join("..", "migrations", folder.Name(), "*.sql"))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoErrorf(t, migrate.CheckTableNames(folder.Name(), string(text)), "%s", file)
		}
	}
}

func TestPackage_HasOneComment(t *testing.T) {
	t.Parallel()
	comments := map[string][]string{}
	for _, s := range sources(t, false) {
		comments[s.dir()] = append(comments[s.dir()], "")
		if s.file.Doc != nil {
			comments[s.dir()][0] += s.base() + " "
		}
	}
	for dir, files := range comments {
		require.Lenf(t, strings.Fields(files[0]), 1, "package %s: want one file with a package comment, have %q", dir, files[0])
	}
}

func TestArea_HasAPageInTheDocs(t *testing.T) {
	t.Parallel()
	for _, m := range modules.All() {
		require.FileExists(t, filepath.Join("..", "docs", m.ID()+".md"),
			"write it: what the area does, an example with curl, its configuration, its limits")
	}
}

// Areas that are the operations of a part of the platform, whose name the part has: its tables, settings and paths have it too.
var operationsOf = map[string]string{"audit": "audit", "collections": "collection", "companies": "identity", "inbound": "inbound"}

// Errors of the platform whose codes the interface names after an area.
var interfaceCodes = []string{"billing.limit_reached"}

func TestPlatform_NamesNoArea(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, m := range modules.All() {
		if part, ok := operationsOf[m.ID()]; ok {
			require.DirExists(t, filepath.Join("..", "platform", part))

			continue
		}
		ids = append(ids, regexp.QuoteMeta(m.ID()))
	}
	named := regexp.MustCompile(`(^|[^a-z_.])(` + strings.Join(ids, "|") + `)([.:][a-z*]|/api/)`)
	for _, s := range sources(t, false) {
		if !strings.HasPrefix(s.path, "platform/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && !slices.Contains(interfaceCodes, strings.Trim(text.Value, `"`)) {
				require.NotRegexpf(t, named, strings.Trim(text.Value, "\"`"), "%s names an area: it is to say so in its manifest", s.path)
			}

			return true
		})
	}
}

func TestMessages_SayInWordsWhatAPatternTakes(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t, false) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok || field.Tag == nil {
				return true
			}
			tag := reflect.StructTag(strings.Trim(field.Tag.Value, "`"))
			if tag.Get("pattern") != "" {
				require.NotEmptyf(t, tag.Get("patternDescription"), "%s: a field with %s has no patternDescription", s.path, field.Tag.Value)
			}

			return true
		})
	}
}
