package scaffold

import (
	"bytes"
	"errors"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// line is an entry of the list in modules.go.
var line = regexp.MustCompile(`^\t\t\w+\.Module,$`)

// addToModuleList adds an area to the list that modules.All returns, one line an area, in order.
func addToModuleList(name, importPath, pkg string) error {
	text, err := os.ReadFile(name) //nolint:gosec // the caller's own repository
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	first := slices.IndexFunc(lines, line.MatchString)
	if first < 0 {
		return errors.New(name + ": no line such as \"\\t\\tsms.Module,\" to put the new area beside")
	}
	at := first
	entry := "\t\t" + pkg + ".Module,"
	for at < len(lines) && line.MatchString(lines[at]) && lines[at] < entry {
		at++
	}
	changed, err := addImport(strings.Join(slices.Insert(lines, at, entry), "\n"), importPath)
	if err != nil {
		return err
	}

	return write(name, changed)
}

// addImport adds an import to Go source and returns it formatted.
func addImport(source, importPath string) ([]byte, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	astutil.AddImport(files, parsed, importPath)
	ast.SortImports(files, parsed)
	var out bytes.Buffer
	if err := format.Node(&out, files, parsed); err != nil {
		return nil, err
	}

	return out.Bytes(), nil
}
