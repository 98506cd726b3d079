package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/dispatchd/dispatchd/modules"
)

const (
	// resourceSection is resources beside the same by hand, and starts with many of them, as --only names it.
	resourceSection = "resource"
	// resourceClients is how many ask at a time.
	resourceClients = 8
	// rowsBefore is how many rows of each kind are there before.
	rowsBefore = 1000
)

// kept is a kind of rows that are compared: their path, and how a body is written.
type kept struct {
	name, path, query string
	body              func(name string) []byte
	ids               []string
	// turns are what was measured, by operation.
	turns map[operation][]measured
}

// startTimes are how long starts took with some operations.
type startTimes struct {
	name  string
	times []time.Duration
}

// besideHand is what the section found. The first kind is the one by hand.
type besideHand struct {
	kinds  []*kept
	starts []*startTimes
}

// resources measures them through a dispatchd of its own areas.
func (t *trial) resources(ctx context.Context) (*besideHand, error) {
	if !t.options.asks(resourceSection) {
		return nil, nil //nolint:nilnil // not asked for
	}
	p := t.product
	p.binary = filepath.Join(p.dir, "areas")
	if _, err := output(command(ctx, "go", "build", "-o", p.binary, "github.com/dispatchd/dispatchd/bench/areas")); err != nil {
		return nil, err
	}
	url, err := t.db.fresh(ctx)
	if err != nil {
		return nil, err
	}
	company, err := p.company(ctx, url, "Cards")
	if err != nil {
		return nil, err
	}
	found := &besideHand{}
	err = p.serving(ctx, url, func(run *process) error {
		calls := api{base: "http://" + p.address, token: company.Token}
		if found.kinds, err = kinds(ctx, calls); err != nil {
			return err
		}

		return t.compareKinds(ctx, calls, run.cmd.Process.Pid, found.kinds)
	}, "DISPATCHD_WEB__OVERLOAD__COMPANY_PERCENT=100")
	if err != nil {
		return nil, err
	}
	found.starts, err = t.starts(ctx, p, url)

	return found, err
}

// kinds are the same thing by hand, as a resource, and as records of a custom module.
func kinds(ctx context.Context, calls api) ([]*kept, error) {
	module, err := calls.createModule(ctx, "Cards", []field{
		{Key: "name", Label: "Name", Type: "text", Required: true, Indexed: true}, {Key: "body", Label: "Body", Type: "text"},
	})
	if err != nil {
		return nil, err
	}
	plain := func(name string) []byte { return fmt.Appendf(nil, `{"name":%q,"body":"Your driver is near"}`, name) }
	record := func(name string) []byte {
		return fmt.Appendf(nil, `{"module_uuid":%q,"payload":%s}`, module, plain(name))
	}
	all := []*kept{
		{name: "by hand", path: "/letters/api/v1/letters", body: plain},
		{name: "resource", path: "/cards/api/v1/cards", body: plain},
		{name: "custom record", path: recordsPath, query: "&module_uuid=" + module, body: record},
	}
	for _, k := range all {
		k.turns = map[operation][]measured{}
		for i := range rowsBefore {
			var answer created
			if err := calls.call(ctx, http.MethodPost, k.path, k.body("row "+strconv.Itoa(i)), &answer); err != nil {
				return nil, err
			}
			k.ids = append(k.ids, answer.UUID)
		}
	}

	return all, nil
}

// compareKinds asks the same of each kind, in turns.
func (t *trial) compareKinds(ctx context.Context, calls api, pid int, all []*kept) error {
	for turn := range pieceTurns * t.options.rounds {
		if err := t.say("resources, turn %d", turn+1); err != nil {
			return err
		}
		for _, what := range []operation{opGet, opPage, opPatch, opCreate} {
			for i := range all {
				k := all[(i+turn)%len(all)]
				m, err := withCPU(ctx, pid, load{
					address: t.product.address, clients: resourceClients, duration: t.options.duration() / pieceTurns,
					client: func(client int) func(*fasthttp.Request) { return k.client(calls, what, turn, client) },
				})
				if err != nil {
					return fmt.Errorf("%s, %s: %w", k.name, what, err)
				}
				k.turns[what] = append(k.turns[what], m)
			}
		}
	}

	return nil
}

// client returns what makes the requests of a client. Each patches rows of its own.
func (k *kept) client(calls api, what operation, turn, client int) func(*fasthttp.Request) {
	n := 0

	return func(r *fasthttp.Request) {
		n++
		id := k.ids[(client+resourceClients*n)%len(k.ids)]
		r.Header.SetMethod(http.MethodGet)
		r.Header.Set("Authorization", "Bearer "+calls.token)
		switch what {
		case opCreate:
			r.Header.SetMethod(http.MethodPost)
			r.Header.SetContentType("application/json")
			r.SetRequestURI(calls.base + k.path)
			r.SetBody(k.body(fmt.Sprintf("row %d-%d-%d", turn, client, n)))
		case opPatch:
			r.Header.SetMethod(http.MethodPatch)
			r.Header.SetContentType("application/json")
			r.SetRequestURI(calls.base + k.path + "/" + id)
			r.SetBody(k.patch(n))
		case opPage:
			r.SetRequestURI(calls.base + k.path + "?per_page=20" + k.query)
		default:
			r.SetRequestURI(calls.base + k.path + "/" + id)
		}
	}
}

func (k *kept) patch(n int) []byte {
	body := fmt.Appendf(nil, `{"body":"Your driver is near, %d"}`, n)
	if k.query == "" {
		return body
	}

	return fmt.Appendf(nil, `{"payload":%s}`, body)
}

// wideCounts are resources that make 250, 500 and 1,000 operations, with the others of that program.
var wideCounts = []int{28, 70, 154}

// starts times the start with that many resources, and of the product with all of its areas and with two.
func (t *trial) starts(ctx context.Context, p product, url string) ([]*startTimes, error) {
	off := []string{}
	for _, m := range modules.All() {
		if !slices.Contains([]string{"tags", "fleets"}, m.ID()) {
			off = append(off, "DISPATCHD_MODULES__"+strings.ToUpper(m.ID())+"__ENABLED=false")
		}
	}
	type way struct {
		found    *startTimes
		product  product
		settings []string
	}
	var ways []way
	for _, count := range wideCounts {
		name := fmt.Sprintf("%d resources of six operations more", count)
		ways = append(ways, way{&startTimes{name: name}, p, []string{"AREAS_WIDE=" + strconv.Itoa(count)}})
	}
	ways = append(ways, way{&startTimes{name: "all areas"}, t.product, nil}, way{&startTimes{name: "two areas"}, t.product, off})
	var all []*startTimes
	for _, w := range ways {
		all = append(all, w.found)
	}
	for turn := range t.options.boots() + 1 {
		for _, w := range ways {
			err := w.product.serving(ctx, url, func(run *process) error {
				if turn > 0 { // the first one makes the tables
					w.found.times = append(w.found.times, run.boot)
				}

				return nil
			}, w.settings...)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.found.name, err)
			}
		}
	}

	return all, nil
}
