package modules_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// contributes reports whether a function makes a line of a manifest.
func contributes(f *ast.FuncDecl) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch callee := call.Fun.(type) {
		case *ast.Ident:
			found = found || callee.Name == "Contribute"
		case *ast.SelectorExpr:
			pkg, ok := callee.X.(*ast.Ident)
			found = found || ok && pkg.Name == "module" && callee.Sel.Name == "Contribute"
		}

		return true
	})

	return found
}

// manifestLines are the functions of the platform that make a line of a manifest: "web.Routes".
func manifestLines(t *testing.T) []string {
	t.Helper()
	var lines []string
	for _, s := range sources(t, false) {
		if !strings.HasPrefix(s.path, "platform/") {
			continue
		}
		for _, declared := range s.file.Decls {
			f, ok := declared.(*ast.FuncDecl)
			if ok && f.Recv == nil && f.Name.IsExported() && contributes(f) {
				lines = append(lines, s.file.Name.Name+"."+f.Name.Name)
			}
		}
	}
	slices.Sort(lines)

	return slices.Compact(lines)
}

// documented are the lines in the table of docs/areas.md, whose rows begin with the call.
var documented = regexp.MustCompile("(?m)^\\| `(\\w+\\.\\w+)[(\\[]")

func TestManifest_LinesAreAllInTheDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "areas.md"))
	require.NoError(t, err)
	var rows []string
	for _, match := range documented.FindAllStringSubmatch(string(page), -1) {
		if match[1] != "fx.Provide" {
			rows = append(rows, match[1])
		}
	}
	slices.Sort(rows)
	require.Equal(t, manifestLines(t), rows, "docs/areas.md: want a row for each function that makes a line of a manifest")
}
