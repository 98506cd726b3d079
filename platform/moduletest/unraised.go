package moduletest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// raisedNames are the names of the events that the services of this process published, and the codes of the errors that they answered.
type raisedNames struct {
	mu    sync.Mutex
	names map[string]bool
}

// raisedHere is filled by every service that a test of this process boots.
var raisedHere = &raisedNames{names: map[string]bool{}} //nolint:gochecknoglobals // as long as the process: what all of its tests raised

func (r *raisedNames) add(names ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		r.names[name] = true
	}
}

// without returns those of the names that were not raised.
func (r *raisedNames) without(names []string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()

	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return r.names[name] })
}

// noteTimeout bounds the reading of the event log of a service that stops.
const noteTimeout = 10 * time.Second

// noteEvents reads which events the service published, and committed. A database that cannot be read any longer has none.
func (r *raisedNames) noteEvents(ctx context.Context, a *App) {
	ctx, cancel := context.WithTimeout(ctx, noteTimeout)
	defer cancel()
	db := a.DB.SQL()
	if db == nil {
		return
	}
	rows, err := db.QueryContext(ctx, "SELECT DISTINCT name FROM events_log")
	if err != nil {
		return
	}
	defer func() { _ = rows.Close() }() //nolint:errcheck // what was not read is reported as not raised
	var name string
	for rows.Next() && rows.Scan(&name) == nil {
		r.add(name)
	}
	_ = rows.Err() //nolint:errcheck // as above
}

// codeValue matches a code in a body: of an error, of the failure of one line of many, or of one that is kept with what failed.
var codeValue = regexp.MustCompile(`code":\s*"([a-z_]+\.[a-z_]+)"`)

// noteCodes reads the error codes of an answer. The OpenAPI document has all of them as examples.
func (r *raisedNames) noteCodes(path string, body []byte) {
	if !bytes.Contains(body, []byte(`code":`)) || strings.Contains(path, "openapi") {
		return
	}
	for _, match := range codeValue.FindAllSubmatch(body, -1) {
		r.add(string(match[1]))
	}
}

// refusals has the metric of a service that counts its error answers by their codes: those of pages, which do not show the code, and those
// to callers that are no App.
type refusals struct {
	registry *prometheus.Registry
	next     prometheus.Registerer // nil while metrics are off
}

func newRefusals() *refusals { return &refusals{registry: prometheus.NewRegistry()} }

func (r *refusals) option() fx.Option {
	return fx.Decorate(func(o telemetry.Observer) telemetry.Observer {
		r.next, o.Metrics = o.Metrics, r

		return o
	})
}

// Register implements prometheus.Registerer.
func (r *refusals) Register(c prometheus.Collector) error {
	if counter, is := c.(*prometheus.CounterVec); is && describes(counter, telemetry.MetricName("http_refusals_total")) {
		if err := r.registry.Register(counter); err != nil {
			return err
		}
	}
	if r.next == nil {
		return nil
	}

	return r.next.Register(c)
}

// MustRegister implements prometheus.Registerer.
func (r *refusals) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		if err := r.Register(c); err != nil {
			panic(err)
		}
	}
}

// Unregister implements prometheus.Registerer.
func (r *refusals) Unregister(c prometheus.Collector) bool {
	return r.next != nil && r.next.Unregister(c)
}

func describes(counter *prometheus.CounterVec, name string) bool {
	described := make(chan *prometheus.Desc, 1)
	counter.Describe(described)

	return strings.Contains((<-described).String(), strconv.Quote(name))
}

// note reads the codes that the service answered with so far.
func (r *refusals) note(into *raisedNames) {
	families, err := r.registry.Gather()
	if err != nil {
		return
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				into.add(label.GetValue())
			}
		}
	}
}

// unraised says which events and error codes of the area the tests did not raise, or do not name, "" if there are none. The code of the area
// is in the working folder. The events and errors that the platform derives for every resource are certified with it, and do not count.
func unraised(area module.Module) (string, error) {
	codes, err := declaredCodes(".", area.ID())
	if err != nil {
		return "", err
	}
	names := codes
	for _, event := range module.Values[events.Event](area) {
		if !strings.HasSuffix(event.EventName(), resource.WrittenEvent) {
			names = append(names, event.EventName())
		}
	}
	named, err := namesInTests(".")
	if err != nil {
		return "", err
	}
	missing := map[string]string{}
	for _, name := range names {
		if !named[name] {
			missing[name] = "is declared, and no test of this area names it: assert where it is raised"
		}
	}
	for _, name := range raisedHere.without(names) {
		missing[name] = "is declared, and no test of this package raises it"
	}
	var report strings.Builder
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		fmt.Fprintf(&report, "%s %s\n", name, missing[name])
	}

	return report.String(), nil
}

// declaredCodes are the error codes that the code below a folder declares for an area: those of errs.New.
func declaredCodes(dir, area string) (codes []string, err error) {
	err = eachFile(dir, func(path string) error {
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if code, is := declaredCode(n); is && strings.HasPrefix(code, area+".") {
				codes = append(codes, code)
			}

			return true
		})

		return nil
	})

	return codes, err
}

// dotted matches names of events and error codes.
var dotted = regexp.MustCompile(`[a-z_]+(?:\.[a-z_]+)+`)

// namesInTests are the names of events and errors, and whatever else looks like one, in the tests below a folder.
func namesInTests(dir string) (map[string]bool, error) {
	names := map[string]bool{}
	err := eachFile(dir, func(path string) error {
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path) //nolint:gosec // of the repository
		for _, name := range dotted.FindAll(text, -1) {
			names[string(name)] = true
		}

		return err
	})

	return names, err
}

// eachFile calls do with the path of each Go file below a folder, but for those of test data.
func eachFile(dir string, do func(path string) error) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testdata":
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		default:
			return do(path)
		}
	})
}

// declaredCode returns the code of errs.New(kind, "area.what", "…").
func declaredCode(n ast.Node) (string, bool) {
	call, is := n.(*ast.CallExpr)
	if !is || len(call.Args) < 2 { //nolint:mnd // the code is the second
		return "", false
	}
	function, is := call.Fun.(*ast.SelectorExpr)
	if !is || function.Sel.Name != "New" {
		return "", false
	}
	if from, is := function.X.(*ast.Ident); !is || from.Name != "errs" {
		return "", false
	}
	literal, is := call.Args[1].(*ast.BasicLit)
	if !is {
		return "", false
	}
	code, err := strconv.Unquote(literal.Value)

	return code, err == nil
}

// isWhole reports whether the process runs all tests of its package, or all but those of a -skip, by which CI leaves out tests of other packages:
// on PostgreSQL at least, where transactions that write meet each other.
func isWhole() bool {
	return databasetest.HasPostgres() && !slices.ContainsFunc([]string{"test.run", "test.list", "test.fuzz"}, func(name string) bool {
		f := flag.Lookup(name)

		return f != nil && f.Value.String() != ""
	})
}
