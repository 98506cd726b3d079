//go:build functions

package walks_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	// functionsFile has what a request of each kind runs, as it was when somebody last looked.
	functionsFile = "testdata/functions.txt"
	// slack is the part of them by which it may differ: what a process does by the clock falls into some turns and not into others.
	slack = 20
	// few and many are how often a program makes a request: what a request runs has run more often in the second by the difference.
	few, many = 5, 25
	// requestKey and timesKey are the variables that say what TestRequest_Made makes, and how often.
	requestKey, timesKey = "WALKS_REQUEST", "WALKS_TIMES"
)

var load = object{
	"available_from": day(1),
	"stops":          []object{{"kind": "pickup", "venue": object{"postal_code": "75201"}}, {"kind": "delivery", "venue": object{"postal_code": "33101"}}},
	"vehicles":       []object{{"vin": "1HGCM82633A004352", "tariff": "1000.00", "carrier_pay": "800.00"}},
}

// requests are what is counted. Each makes what requests of a kind need, and returns one request for each turn.
var requests = map[string]func(t *testing.T, o office) func(turn int){
	"create a contact": func(t *testing.T, o office) func(int) {
		return func(int) { o.contact(t, "Bo Ray", nil) }
	},
	"read a contact": func(t *testing.T, o office) func(int) {
		ann := o.contact(t, "Ann Lee", nil)

		return func(int) { o.get(t, contacts+"/"+ann) }
	},
	"create a record": func(t *testing.T, o office) func(int) {
		module := o.post(t, "/custom_modules/api/v1/modules", object{
			"name": "Gate passes", "fields": []object{{"key": "code", "type": "text", "required": true, "indexed": true}, {"key": "day", "type": "date"}},
		}).Get("uuid").String()

		return func(int) {
			o.post(t, "/custom_modules/api/v1/records", object{"module_uuid": module, "payload": object{"code": "GP-1", "day": day(1)}})
		}
	},
	"create a load": func(t *testing.T, o office) func(int) {
		body := maps.Clone(load)
		body["customer_uuid"] = o.contact(t, "Ann Lee", nil)

		return func(int) { o.load(t, body) }
	},
	"accept an offer by its link": func(t *testing.T, o office) func(int) {
		body := maps.Clone(load)
		body["customer_uuid"] = o.contact(t, "Ann Lee", nil)
		links, accepted := make([]string, many), make([]object, many)
		for turn := range many {
			at := o.load(t, body)
			o.post(t, at+"/payment_plan/propose", object{"template": "deposit_cod"})
			o.ready(t, at)
			links[turn] = linkOf(o.offer(t, at, nil, o.carrier(t, fmt.Sprintf("Haul %d", turn)))[0])
			shown := o.by(t, links[turn], "", nil).OK(t)
			accepted[turn] = object{"shown": shown.Get("offer.shown").Int(), "shown_key": shown.Get("offer.shown_key").String(), "name": "Bo Hauler", "accepted": true}
		}

		return func(turn int) { o.by(t, links[turn], "/accept", accepted[turn]).OK(t) }
	},
}

// TestRequest_Made makes the requests that are counted, in a program of its own, which runs no jobs.
func TestRequest_Made(t *testing.T) {
	request := requests[os.Getenv(requestKey)]
	if request == nil {
		t.Skip("TestFunctions_OfARequestDoNotGrowUnseen runs it")
	}
	times, err := strconv.Atoi(os.Getenv(timesKey))
	require.NoError(t, err)
	moduletest.BootEach(t, modules.All(), func(t *testing.T, a *moduletest.App) {
		turn := request(t, newOffice(t, a))
		for n := range times {
			turn(n)
		}
	}, moduletest.Set("roles=api"))
}

// The plain way of a request does not become longer unseen: what it runs more than functionsFile says is written there, where a reviewer
// sees it. It needs a program that counts: `make functions`.
func TestFunctions_OfARequestDoNotGrowUnseen(t *testing.T) {
	var got strings.Builder
	counted := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		run := map[string]bool{}
		once, often := made(t, name, few), made(t, name, many)
		for function, times := range often {
			if times-once[function] >= many-few {
				run[function] = true
			}
		}
		files, packages := map[string]bool{}, map[string]bool{}
		for function := range run {
			file, _, _ := strings.Cut(function, ":")
			files[file], packages[path.Dir(file)] = true, true
		}
		counted[name] = len(run)
		fmt.Fprintf(&got, "%s: %d functions in %d files of %d packages\n", name, len(run), len(files), len(packages))
	}
	kept, err := os.ReadFile(functionsFile)
	if err == nil && within(t, string(kept), counted) {
		t.Log("\n" + got.String())

		return
	}
	require.NoError(t, os.WriteFile(functionsFile, []byte(got.String()), 0o600))
	require.Failf(t, "requests run other functions than "+functionsFile+" says", "it is written anew: say in the commit why\n%s", got.String())
}

func within(t *testing.T, kept string, counted map[string]int) bool {
	t.Helper()
	seen := 0
	for line := range strings.Lines(kept) {
		name, rest, _ := strings.Cut(line, ": ")
		n, err := strconv.Atoi(strings.Fields(rest)[0])
		require.NoError(t, err)
		if off := counted[name] - n; off > n/slack || off < -n/slack {
			return false
		}
		seen++
	}

	return seen == len(counted)
}

// made is how often each function of a program ran that made a request some times, by where it begins.
func made(t *testing.T, request string, times int) map[string]int {
	t.Helper()
	dir := t.TempDir()
	program := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRequest_Made$", "-test.gocoverdir="+dir)
	program.Env = append(os.Environ(), requestKey+"="+request, fmt.Sprintf("%s=%d", timesKey, times), "DISPATCHD_TEST_DATABASES=sqlite")
	out, err := program.CombinedOutput()
	require.NoError(t, err, "%s", out)
	starts := map[string][]int{}
	for line := range strings.Lines(covdata(t, "func", "-i="+dir)) {
		if file, at, ok := place(line); ok {
			starts[file] = append(starts[file], at)
		}
	}
	for _, lines := range starts {
		slices.Sort(lines)
	}
	blocks := filepath.Join(t.TempDir(), "blocks")
	covdata(t, "textfmt", "-i="+dir, "-o="+blocks)
	text, err := os.ReadFile(blocks)
	require.NoError(t, err)
	ran := map[string]int{}
	for line := range strings.Lines(string(text)) {
		file, at, ok := place(line)
		if !ok || strings.HasSuffix(path.Dir(file), "test") {
			continue
		}
		after, exact := slices.BinarySearch(starts[file], at)
		if exact {
			after++
		}
		n, err := strconv.Atoi(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]))
		require.NoError(t, err)
		if after > 0 {
			function := fmt.Sprintf("%s:%d", file, starts[file][after-1])
			ran[function] = max(ran[function], n)
		}
	}
	require.NotEmpty(t, ran, "the program counts nothing: run make functions")

	return ran
}

// place is the file and the line with which a line of covdata begins.
func place(line string) (file string, at int, ok bool) {
	file, rest, found := strings.Cut(line, ":")
	if !found || !strings.HasPrefix(file, "github.com/") {
		return "", 0, false
	}
	digits := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	n, err := strconv.Atoi(rest[:max(digits, 0)])

	return file, n, err == nil
}

func covdata(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"tool", "covdata"}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)

	return string(out)
}
