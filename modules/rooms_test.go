package modules_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Beyond these sizes a package or a type often has two things in it. They are worth a look, not a failure: what makes a room hard to live in are
// its neighbours, not its lines. Tests are not counted.
const (
	mostFiles   = 40
	mostLines   = 5000
	mostMethods = 40
)

func TestPackage_NamesLargeRooms(t *testing.T) {
	t.Parallel()
	files, lines, methods := map[string]int{}, map[string]int{}, map[string]int{}
	for _, s := range sources(t, false) {
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(s.path)))
		require.NoError(t, err)
		files[s.dir()]++
		lines[s.dir()] += strings.Count(string(text), "\n")
		for _, decl := range s.file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
				methods[s.dir()+"."+receiver(fn)]++
			}
		}
	}
	warn := func(what string, size, most int) {
		if size > most {
			t.Logf("%s: %d, more than %d", what, size, most)
		}
	}
	for dir := range files {
		warn("files of "+dir, files[dir], mostFiles)
		warn("lines of "+dir, lines[dir], mostLines)
	}
	for typ, n := range methods {
		warn("methods of "+typ, n, mostMethods)
	}
}

// receiver returns the name of the type that a method belongs to.
func receiver(fn *ast.FuncDecl) string { return ownType(fn.Recv.List[0].Type) }

// A reader must see whose method a call is: a part that a struct needs is a field with a name.
func TestStruct_EmbedsNoPartForItsMethods(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t, false) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			fields, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range fields.Fields.List {
				if len(field.Names) > 0 {
					continue
				}
				star, ok := field.Type.(*ast.StarExpr)
				if !ok {
					continue
				}
				if part, ok := star.X.(*ast.Ident); ok {
					require.Truef(t, part.IsExported(), "%s embeds *%s: make it a field", s.path, part.Name)
				}
			}

			return true
		})
	}
}

// Tables are package variables that hold what they were declared with: nothing assigns them, or a part of them, later.
func TestVariables_AreNeverAssigned(t *testing.T) {
	t.Parallel()
	byFolder := map[string][]source{}
	for _, s := range sources(t, false) {
		if !strings.HasSuffix(s.dir(), "test") { // what tests use keeps its templates for all tests of a process
			byFolder[s.dir()] = append(byFolder[s.dir()], s)
		}
	}
	for _, files := range byFolder {
		tables := map[string]bool{}
		for _, s := range files {
			for _, decl := range s.file.Decls {
				if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
					for _, name := range declared(d) {
						tables[name] = name != "_"
					}
				}
			}
		}
		for _, s := range files {
			for _, line := range assigned(s.file, tables) {
				t.Errorf("%s: %s", s.path, line)
			}
		}
	}
}

// assigned lists what a file does to package variables: assignments to them or inside of them, and pointers to them.
func assigned(file *ast.File, tables map[string]bool) []string {
	var found []string
	change := func(target ast.Expr, how string) {
		if name := tableOf(target); name != nil && tables[name.Name] && !local(name, file) {
			found = append(found, "the package variable "+name.Name+" "+how)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, target := range n.Lhs {
					change(target, "is assigned")
				}
			}
		case *ast.IncDecStmt:
			change(n.X, "is assigned")
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				change(n.Key, "is assigned")
				change(n.Value, "is assigned")
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				change(n.X, "is handed out as a pointer")
			}
		case *ast.CallExpr:
			if len(n.Args) > 0 && changing(n.Fun) {
				change(n.Args[0], "is changed in place")
			}
		}

		return true
	})

	return found
}

// tableOf returns the variable that an expression is, or is a part of.
func tableOf(e ast.Expr) *ast.Ident {
	for {
		switch of := e.(type) {
		case *ast.Ident:
			return of
		case *ast.IndexExpr:
			e = of.X
		case *ast.SelectorExpr:
			e = of.X
		case *ast.StarExpr:
			e = of.X
		case *ast.ParenExpr:
			e = of.X
		case *ast.SliceExpr:
			e = of.X
		default:
			return nil
		}
	}
}

// changing reports whether a function changes what its first argument holds.
func changing(fun ast.Expr) bool {
	switch of := fun.(type) {
	case *ast.Ident:
		return of.Name == "delete" || of.Name == "clear" || of.Name == "copy"
	case *ast.SelectorExpr:
		pkg, ok := of.X.(*ast.Ident)

		return ok && (pkg.Name == "slices" && (strings.HasPrefix(of.Sel.Name, "Sort") || slices.Contains([]string{
			"Reverse", "Compact", "CompactFunc", "Delete", "DeleteFunc", "Insert", "Replace",
		}, of.Sel.Name)) || pkg.Name == "maps" && slices.Contains([]string{"Copy", "DeleteFunc", "Insert"}, of.Sel.Name))
	default:
		return false
	}
}

// local reports whether a name is one that a function of the file has declared.
func local(name *ast.Ident, file *ast.File) bool {
	if name.Obj == nil {
		return false
	}
	at, ok := name.Obj.Decl.(ast.Node)
	if !ok {
		return false
	}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Pos() <= at.Pos() && at.Pos() < fn.End() {
			return true
		}
	}

	return false
}
