package modules_test

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// uses are the names that the files of an area select, or declare as methods, and the contracts of other areas that they import.
type uses struct{ names, contracts map[string]bool }

// usesByArea reads what each area, and what is no area by "", uses.
func usesByArea(t *testing.T) map[string]uses {
	t.Helper()
	all := map[string]uses{}
	for _, s := range sources(t, false) {
		of, known := all[s.area()]
		if !known {
			of = uses{map[string]bool{}, map[string]bool{}}
			all[s.area()] = of
		}
		for _, imported := range s.imports {
			if area, ok := contract(imported); ok {
				of.contracts[area] = true
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				of.names[n.Sel.Name] = true
			case *ast.FuncDecl:
				of.names[n.Name.Name] = of.names[n.Name.Name] || n.Recv != nil // of a port, which the area of the contract calls
			}

			return true
		})
	}

	return all
}

// ofThePlatform are methods that parts of the platform, or the standard library, call by their interfaces.
var ofThePlatform = []string{"EventName", "EventItem", "SchemaName", "Schema", "String", "GoString", "Unwrap", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "Kind"}

// forOthers are types of contracts that areas outside of this repository use or provide (examples/external), by what they are for.
var forOthers = map[string]string{
	"billing.Entitlements":       "what the plan of a company grants",
	"carriers.BankAccount":       "files of payments to carriers",
	"carriers.Board":             "load boards that know carriers",
	"carriers.Payees":            "payments to carriers",
	"custommodules.RecordSaving": "what else is written to records",
	"dispatches.PriceBoard":      "load boards that know prices",
	"esign.Envelopes":            "envelopes of other items",
	"sms.OptOuts":                "other ways to write to people",
	"sms.Sender":                 "text messages with templates, at a time",
}

// promises lists the methods that a file of a contract promises, as "Type.Method".
func promises(file *ast.File) (all []string) {
	add := func(of string, names ...*ast.Ident) {
		for _, name := range names {
			if ast.IsExported(of) && name.IsExported() && !slices.Contains(ofThePlatform, name.Name) {
				all = append(all, of+"."+name.Name)
			}
		}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				add(receiver(d), d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				typ, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				if of, ok := typ.Type.(*ast.InterfaceType); ok {
					for _, method := range of.Methods.List {
						add(typ.Name.Name, method.Names...)
					}
				}
			}
		}
	}

	return all
}

// A term that is stored and that nobody asks for is a promise that does not hold. The check goes by names, so a common name hides another one: it finds
// most, not all.
func TestContract_PromisesNothingThatNobodyAsks(t *testing.T) {
	t.Parallel()
	byArea, unused := usesByArea(t), map[string]bool{}
	for _, s := range sources(t, false) {
		owner, ok := contract(self + "/" + s.dir())
		if !ok {
			continue
		}
		asked := map[string]bool{}
		for area, of := range byArea {
			if area != owner && of.contracts[owner] {
				maps.Copy(asked, of.names)
			}
		}
		for _, promise := range promises(s.file) {
			typ, name, _ := strings.Cut(promise, ".")
			if _, published := forOthers[owner+"."+typ]; published && !asked[name] {
				unused[owner+"."+typ] = true

				continue
			}
			require.Truef(t, asked[name], "%s: no other area calls %s. Have it called where it promises something, or remove it", s.path, promise)
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(forOthers)), slices.Sorted(maps.Keys(unused)), "what is used here needs no exception")
}
