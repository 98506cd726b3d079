package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	// loadsSection is transports created, listed, counted and made of mails, as --only names it.
	loadsSection = "loads"
	loadsPath    = "/loads/api/v1/loads"
	// loadsClients is how many ask at a time.
	loadsClients = 8
	// fewLoads is how many the smaller company has.
	fewLoads = 10_000
)

// loadsFound is what the section found.
type loadsFound struct {
	creates     []*createdLoad
	few, many   int
	reads       []*readLoads
	mails, cpus []float64 // requests that were made into loads a second, and the processor time of one in µs
}

// createdLoad is creating loads of some vehicles.
type createdLoad struct {
	vehicles int
	turns    []measured
	bare     []float64 // of the same rows a second, by pgbench
}

// readLoads is a question to the company with few loads and to the one with many.
type readLoads struct {
	name, query string
	path        string
	few, many   []time.Duration // p50
	rows        bool            // whether it finds some
}

func loadReads() []*readLoads {
	filtered := "?per_page=1&filter[state]=ready&filter[origin_state]=TX&filter[destination_state]=FL&filter[transport_type]=open"

	return []*readLoads{
		{name: "the first page", path: loadsPath, query: "?per_page=20", rows: true},
		{name: "four filters", path: loadsPath, query: filtered, rows: true},
		{name: "four filters, q= of one load", path: loadsPath, query: filtered + "&q=zx7q9k"},
		{name: "q= of one load", path: loadsPath, query: "?q=zx7q9k", rows: true},
		{name: "q= of all loads", path: loadsPath, query: "?q=accord", rows: true},
		{name: "the dashboard", path: "/loads/api/v1/dashboard"},
	}
}

// loadOffice is a company with loads.
type loadOffice struct {
	calls    api
	company  newCompany
	customer string
	source   string
	first    string // a load
}

// loads measures them in a database of its own.
func (t *trial) loads(ctx context.Context) (found *loadsFound, err error) {
	if !t.options.asks(loadsSection) {
		return nil, nil //nolint:nilnil // not asked for
	}
	db, err := t.db.beside(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.close(context.WithoutCancel(ctx))) }()
	p := t.product
	p.dir = filepath.Join(t.product.dir, loadsSection)
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, err
	}
	found = &loadsFound{creates: []*createdLoad{{vehicles: 1}, {vehicles: 9}}, few: fewLoads, many: t.options.million, reads: loadReads()} //nolint:mnd // a car, and a full trailer
	var offices []*loadOffice
	for _, name := range []string{"Few", "Many"} {
		made, err := p.company(ctx, db.url(), name)
		if err != nil {
			return nil, err
		}
		offices = append(offices, &loadOffice{calls: api{base: "http://" + p.address, token: made.Token}, company: made})
	}
	const settings = "DISPATCHD_WEB__OVERLOAD__COMPANY_PERCENT=100"
	err = p.serving(ctx, db.url(), func(run *process) error {
		for _, o := range offices {
			if err := o.settle(ctx); err != nil {
				return err
			}
		}
		if err := t.createLoads(ctx, db, run, offices[0], found); err != nil {
			return err
		}

		return t.mails(ctx, run, offices[0], found)
	}, settings)
	if err != nil {
		return nil, err
	}
	for i, count := range []int{found.few, found.many} {
		if err := t.say("loads: filling %d", count); err != nil {
			return nil, err
		}
		if err := fillLoads(ctx, db, offices[i], count); err != nil {
			return nil, err
		}
	}
	err = p.serving(ctx, db.url(), func(*process) error { return t.readLoads(ctx, offices, found) }, settings)

	return found, err
}

// settle makes what loads refer to, and the first load.
func (o *loadOffice) settle(ctx context.Context) error {
	var made created
	if err := o.calls.post(ctx, "/contacts/api/v1/contacts", map[string]any{"name": "Ann Lee"}, &made); err != nil {
		return err
	}
	o.customer = made.UUID
	if err := o.calls.post(ctx, "/loads/api/v1/sources", map[string]any{"name": "Leads", "kind": "lead_vendor"}, &made); err != nil {
		return err
	}
	o.source = made.UUID
	var err error
	o.first, err = o.create(ctx, 1)

	return err
}

func (o *loadOffice) create(ctx context.Context, vehicles int) (string, error) {
	var made created
	err := o.calls.call(ctx, http.MethodPost, loadsPath, o.body(vehicles), &made)

	return made.UUID, err
}

// body is a load of some vehicles from Dallas to Miami, whose lot can be searched for.
func (o *loadOffice) body(vehicles int) []byte {
	text := fmt.Appendf(nil, `{"customer_uuid":%q,"available_from":"2026-12-01","stops":[{"kind":"pickup","venue":{"postal_code":"75201"}},`+
		`{"kind":"delivery","venue":{"postal_code":"33101"}}],"vehicles":[`, o.customer)
	for i := range vehicles {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, `{"year":2003,"make":"Honda","model":"Accord","lot_number":"zx7q9k","tariff":"1100.00","carrier_pay":"900.00"}`...)
	}

	return append(text, "]}"...)
}

// createLoads measures creating loads, and pgbench inserting the same rows.
func (t *trial) createLoads(ctx context.Context, db store, run *process, o *loadOffice, found *loadsFound) error {
	ceilings := make([]*ceiling, len(found.creates))
	beside, ok := db.(besidePostgres)
	for i, c := range found.creates {
		if !ok { // pgbench is of PostgreSQL
			break
		}
		of := *o
		of.calls.request = "bench-load-" + strconv.Itoa(c.vehicles)
		s, rows, err := written(ctx, db, func() (sample, error) {
			id, err := of.create(ctx, c.vehicles)

			return sample{id: id, request: of.calls.request}, err
		})
		if err != nil {
			return err
		}
		if ceilings[i], err = beside.loadCeiling(ctx, i, s, rows); err != nil {
			return err
		}
	}
	for round := range t.options.rounds {
		for i, c := range found.creates {
			body := o.body(c.vehicles)
			err := inTurns(round, func() error {
				m, err := withCPU(ctx, run.cmd.Process.Pid, o.load(t, http.MethodPost, loadsPath, func(int) []byte { return body }, nil))
				c.turns = append(c.turns, m)

				return err
			}, func() error {
				if ceilings[i] == nil {
					return nil
				}
				rate, err := ceilings[i].measure(ctx, t.options.duration())
				c.bare = append(c.bare, rate)

				return err
			})
			if err != nil {
				return err
			}
		}
	}

	return nil
}

// load is requests of some clients. Bodies are numbered, nil for none.
func (o *loadOffice) load(t *trial, method, path string, body func(n int) []byte, check func([]byte) error) load {
	return load{address: t.product.address, clients: loadsClients, duration: t.options.duration(), check: check, client: func(client int) func(*fasthttp.Request) {
		n := 0

		return func(r *fasthttp.Request) {
			n++
			r.Header.SetMethod(method)
			r.Header.Set("Authorization", "Bearer "+o.calls.token)
			r.SetRequestURI(o.calls.base + path)
			if body != nil {
				r.Header.SetContentType("application/json")
				r.SetBody(body(client + loadsClients*n))
			}
		}
	}}
}

// mails measures requests that come as mails.
func (t *trial) mails(ctx context.Context, run *process, o *loadOffice, found *loadsFound) error {
	for round := range t.options.rounds {
		m, err := withCPU(ctx, run.cmd.Process.Pid, o.load(t, http.MethodPost, "/loads/api/v1/loads/from_source", func(n int) []byte {
			mail := fmt.Sprintf("From: Leads <leads@vendor.example>\r\nMessage-ID: <%d.%d@vendor.example>\r\nSubject: New lead\r\nContent-Type: text/plain\r\n\r\n"+
				"First Name: Ann\r\nLast Name: Lee\r\nEmail: ann@example.com\r\nPhone Number: 214 555 0143\r\nMove Date: 2026-12-20\r\n"+
				"Origin City: Dallas\r\nOrigin State: TX\r\nOrigin Zip: 75201\r\nDestination City: Miami\r\nDestination State: FL\r\nDestination Zip: 33101\r\n"+
				"Vehicle Year: 2012\r\nVehicle Make: BMW\r\nVehicle Model: X6\r\nVehicle Condition: Running\r\n", round, n)

			return fmt.Appendf(nil, `{"source_uuid":%q,"format":"mail","payload":%s}`, o.source, strconv.Quote(mail))
		}, nil))
		if err != nil {
			return err
		}
		found.mails, found.cpus = append(found.mails, m.rate), append(found.cpus, float64(m.cpu.Microseconds()))
	}

	return nil
}

// readLoads asks both companies the same, in turns, one client at a time.
func (t *trial) readLoads(ctx context.Context, offices []*loadOffice, found *loadsFound) error {
	for round := range t.options.rounds {
		for _, r := range found.reads {
			ask := func(o *loadOffice, into *[]time.Duration) func() error {
				return func() error {
					l := o.load(t, http.MethodGet, r.path+r.query, nil, r.check)
					l.clients = 1
					m, err := l.run(ctx)
					*into = append(*into, m.p50)
					if err != nil {
						return fmt.Errorf("%s: %w", r.name, err)
					}

					return nil
				}
			}
			if err := inTurns(round, ask(offices[0], &r.few), ask(offices[1], &r.many)); err != nil {
				return err
			}
		}
	}

	return nil
}

// check refuses a page without rows where some are there.
func (r *readLoads) check(body []byte) error {
	if !r.rows {
		return nil
	}

	return hasRows(body)
}
