package modules_test

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What makes a type hard to understand are its neighbours: what has to be known before a line of it can be.
const (
	// mostCollaborators is how many parts a service may be made of that are no data; those of embedded structs count too.
	mostCollaborators = 7
	// mostArguments is how many a constructor may take.
	mostArguments = 5
	// mostNames is how many functions and methods a function may call without an import: those of its package, a name counted once. It is the
	// size of the room as its inhabitant feels it.
	mostNames = 150
)

// crowded are how many places of each package still break a rule. The numbers only fall: a type is split where it has two jobs, and no line and
// no message is made worse to fit.
var crowded = map[string]map[string]int{
	"collaborators": { // ADR 0107, ADR 0109
		"modules/custommodules": 1, "modules/custommodules/internal/fieldchange": 1,
		"modules/custommodules/internal/records": 1, "modules/custommodules/internal/store": 1, "platform/resource": 1,
	},
	"arguments": { // ADR 0107, ADR 0109; the log of deliveries has a seam in inbound
		"modules/custommodules": 1, "modules/custommodules/internal/fieldchange": 1,
		"modules/custommodules/internal/modeling": 1, "modules/custommodules/internal/outside": 1, "modules/custommodules/internal/records": 1,
		"modules/custommodules/internal/rollups": 1, "platform/inbound": 1, "platform/resource": 1,
	},
	"reaching": { // ADR 0107
		"modules/custommodules/internal/ownfields": 21,
		"modules/custommodules/internal/packaging": 11, "modules/custommodules/internal/records": 34, "modules/custommodules/internal/store": 6,
		"modules/custommodules/internal/verify": 21,
	},
	"disguised": { // ADR 0107
		"modules/custommodules": 1,
	},
}

// mostContractMethods is how many methods an interface of a contract has: an area asks for what it uses.
const mostContractMethods = 4

func TestContract_AsksForFewMethods(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t, false) {
		if _, ok := contract(self + "/" + s.dir()); !ok {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			typ, ok := n.(*ast.TypeSpec)
			if !ok || !typ.Name.IsExported() {
				return true
			}
			if of, ok := typ.Type.(*ast.InterfaceType); ok {
				require.LessOrEqualf(t, of.Methods.NumFields(), mostContractMethods, "%s: %s. Split it by who asks for what", s.path, typ.Name.Name)
				for _, method := range of.Methods.List {
					require.NotEmptyf(t, method.Names, "%s: %s is made of other interfaces. Areas ask for those", s.path, typ.Name.Name)
				}
			}

			return true
		})
	}
}

// manyNames are the packages with more names in sight than that, and what would part them. The numbers only fall.
var manyNames = map[string]int{
	"platform/resource":                         314, // ADR 0109
	"platform/web":                              298, // ADR 0109
	"platform/database":                         274, // ADR 0109
	"platform/collection/exchange":              242, // ADR 0109
	"modules/custommodules/internal/definition": 237, // ADR 0107
	"modules/custommodules/internal/records":    222, // ADR 0107
	"modules/custommodules/internal/store":      209, // ADR 0107
	"platform/list":                             186, // ADR 0109
	"platform/moduletest":                       185, // certification has a seam
	"platform/identity":                         171, // counting attempts to log in leaves 149
	"platform/field":                            175, // ADR 0109
}

func TestPackages_HaveFewNamesInSight(t *testing.T) {
	t.Parallel()
	names := map[string]map[string]bool{}
	for _, s := range sources(t, false) {
		if names[s.dir()] == nil {
			names[s.dir()] = map[string]bool{}
		}
		for _, decl := range s.file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				names[s.dir()][fn.Name.Name] = true
			}
		}
	}
	for dir, inSight := range names {
		require.LessOrEqualf(t, len(inSight), max(mostNames, manyNames[dir]), "names in sight in %s: part it", dir)
	}
	for dir, most := range manyNames {
		if has := len(names[dir]); has < most {
			t.Logf("names in sight in %s: %d are left of %d: lower the number", dir, has, most)
		}
	}
}

// neighbourhood is a package as the rules see it.
type neighbourhood struct {
	structs map[string]*ast.StructType
	methods map[string]bool // types with methods
	made    map[string]bool // types with a constructor, which are services rather than data
}

func TestTypes_HaveFewNeighbours(t *testing.T) {
	t.Parallel()
	packages := map[string][]source{}
	for _, s := range sources(t, false) {
		packages[s.dir()] = append(packages[s.dir()], s)
	}
	found := map[string]map[string][]string{"collaborators": {}, "arguments": {}, "reaching": {}, "disguised": {}}
	note := func(rule, dir, what string) { found[rule][dir] = append(found[rule][dir], what) }
	for dir, files := range packages {
		n := neighbourhoodOf(files)
		for _, s := range files {
			for _, decl := range s.file.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if made := constructed(fn); made != "" && !n.shelf(made) {
					if args := fn.Type.Params.NumFields(); args > mostArguments {
						note("arguments", dir, fmt.Sprintf("%s takes %d", fn.Name.Name, args))
					}
					if has := n.collaborators(made); has > mostCollaborators {
						note("collaborators", dir, fmt.Sprintf("%s has %d", made, has))
					}
				}
				if typ := n.disguised(fn); typ != "" {
					note("disguised", dir, fn.Name.Name+" is a method of "+typ)
				}
				for _, through := range n.reaching(fn) {
					if strings.HasPrefix(dir, "modules/") {
						note("reaching", dir, through)
					}
				}
			}
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(found)) {
		for _, dir := range slices.Sorted(maps.Keys(found[rule])) {
			places := found[rule][dir]
			require.LessOrEqualf(t, len(places), crowded[rule][dir], "%s of %s: %s", rule, dir, strings.Join(places, "; "))
		}
		for dir, most := range crowded[rule] {
			if len(found[rule][dir]) < most {
				t.Logf("%s of %s: %d are left of %d: lower the number", rule, dir, len(found[rule][dir]), most)
			}
		}
	}
}

func neighbourhoodOf(files []source) neighbourhood {
	n := neighbourhood{map[string]*ast.StructType{}, map[string]bool{}, map[string]bool{}}
	for _, s := range files {
		for _, decl := range s.file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv != nil {
					n.methods[receiver(decl)] = true
				}
				n.made[constructed(decl)] = true
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok {
						if fields, ok := typ.Type.(*ast.StructType); ok {
							n.structs[typ.Name.Name] = fields
						}
					}
				}
			}
		}
	}

	return n
}

var constructor = regexp.MustCompile(`^(new|New)([A-Z]|$)`)

// constructed is the type of the package that a function makes, "" if it is no constructor.
func constructed(fn *ast.FuncDecl) string {
	if fn.Recv != nil || !constructor.MatchString(fn.Name.Name) || fn.Type.Results == nil || fn.Type.Results.NumFields() == 0 {
		return ""
	}

	return ownType(fn.Type.Results.List[0].Type)
}

// ownType is the name of a type of the package itself, or of a pointer to one.
func ownType(e ast.Expr) string {
	if name, ok := bare(e).(*ast.Ident); ok {
		return name.Name
	}

	return ""
}

// bare is a type without a pointer and type arguments.
func bare(e ast.Expr) ast.Expr {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	switch generic := e.(type) {
	case *ast.IndexExpr:
		return generic.X
	case *ast.IndexListExpr:
		return generic.X
	default:
		return e
	}
}

// data are packages whose types are values: a struct that holds them depends on nothing.
var data = []string{
	"uuid", "time", "field", "money", "errs", "json", "rawjson", "atomic", "sync", "netip", "url", "regexp", "big", "slog", "database/sql", "template", "reflect", "damage",
}

// collaborators counts the fields of a struct that are no data.
func (n neighbourhood) collaborators(name string) (count int) {
	fields, known := n.structs[name]
	if !known {
		return 0
	}
	for _, f := range fields.Fields.List {
		if len(f.Names) == 0 { // embedded: its parts are as near as its own
			count += max(n.collaborators(ownType(f.Type)), 1)

			continue
		}
		if n.isPart(f.Type) {
			count += len(f.Names)
		}
	}

	return count
}

// isPart reports whether a field is something that is asked, and no value.
func (n neighbourhood) isPart(e ast.Expr) bool {
	_, pointed := e.(*ast.StarExpr)
	switch typ := bare(e).(type) {
	case *ast.FuncType:
		return true
	case *ast.SelectorExpr:
		pkg, ok := typ.X.(*ast.Ident)

		return ok && !slices.Contains(data, pkg.Name) && !strings.HasSuffix(typ.Sel.Name, "Settings")
	case *ast.Ident:
		return pointed && n.methods[typ.Name]
	default:
		return false
	}
}

// shelf reports whether a struct is data access and nothing else (ADR 0106): its fields are exported, some are tables, and the others are
// repositories, the database, or the clock by which rows are stamped.
func (n neighbourhood) shelf(name string) bool {
	fields, known := n.structs[name]
	if !known {
		return false
	}
	tables := 0
	for _, f := range fields.Fields.List {
		if len(f.Names) == 0 || !ast.IsExported(f.Names[0].Name) {
			return false
		}
		typ, _ := bare(f.Type).(*ast.SelectorExpr)
		if typ == nil {
			return false
		}
		pkg, _ := typ.X.(*ast.Ident)
		switch {
		case pkg == nil:
			return false
		case pkg.Name == "resource" && typ.Sel.Name == "Resource":
			tables++
		case typ.Sel.Name == "Repository", pkg.Name == "database" && typ.Sel.Name == "DB", pkg.Name == "clock" && typ.Sel.Name == "Clock":
		default:
			return false
		}
	}

	return tables > 0
}

// disguised is the service of which a function is a method in disguise: it takes it first, or second. Those that declare the operations of a
// service are not, which a manifest names, nor are generic ones, since Go has no generic methods.
func (n neighbourhood) disguised(fn *ast.FuncDecl) string {
	if fn.Recv != nil || fn.Type.TypeParams != nil || keepsInContext(fn) || constructor.MatchString(fn.Name.Name) || strings.HasSuffix(strings.ToLower(fn.Name.Name), "routes") {
		return ""
	}
	seen := 0
	for _, p := range fn.Type.Params.List {
		for range max(len(p.Names), 1) {
			if seen++; seen > 2 { //nolint:mnd // the first two
				return ""
			}
			star, pointed := p.Type.(*ast.StarExpr)
			if !pointed {
				continue
			}
			name, own := star.X.(*ast.Ident)
			if own && n.methods[name.Name] && n.made[name.Name] && n.collaborators(name.Name) > 1 {
				return name.Name
			}
		}
	}

	return ""
}

// keepsInContext reports whether a function puts a value into a context, which is a function in the standard library too (ADR 0108).
func keepsInContext(fn *ast.FuncDecl) bool {
	if fn.Type.Results == nil || fn.Type.Results.NumFields() != 1 {
		return false
	}
	result, _ := fn.Type.Results.List[0].Type.(*ast.SelectorExpr)
	if result == nil || result.Sel.Name != "Context" {
		return false
	}
	pkg, _ := result.X.(*ast.Ident)

	return pkg != nil && pkg.Name == "context"
}

// reaching lists the calls of a method that go through one part of its type into a part of that: d.book.links.Enter.
func (n neighbourhood) reaching(fn *ast.FuncDecl) (found []string) {
	if fn.Recv == nil || len(fn.Recv.List[0].Names) == 0 || fn.Body == nil {
		return nil
	}
	self, fields := fn.Recv.List[0].Names[0].Name, n.structs[receiver(fn)]
	if fields == nil {
		return nil
	}
	ast.Inspect(fn.Body, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		part, ok := method.X.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		through, ok := part.X.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		root, ok := through.X.(*ast.Ident)
		if ok && root.Name == self && n.partOf(fields, through.Sel.Name, part.Sel.Name) {
			found = append(found, self+"."+through.Sel.Name+"."+part.Sel.Name+"."+method.Sel.Name)
		}

		return true
	})

	return found
}

// partOf reports whether a field of a struct is of another type of the package, and that type has the part.
func (n neighbourhood) partOf(fields *ast.StructType, through, part string) bool {
	f := fieldOf(fields, through)
	if f == nil {
		return false
	}
	inner := fieldOf(n.structs[ownType(f.Type)], part)

	return inner != nil && n.isPart(inner.Type) && !n.shelf(ownType(f.Type))
}

// fieldOf is the field of a name, nil for none.
func fieldOf(fields *ast.StructType, name string) *ast.Field {
	if fields == nil {
		return nil
	}
	at := slices.IndexFunc(fields.Fields.List, func(f *ast.Field) bool {
		return slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Name == name })
	})
	if at < 0 {
		return nil
	}

	return fields.Fields.List[at]
}
