package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"sync/atomic"

	"github.com/valyala/fasthttp"
)

// operation is what is asked of the product.
type operation string

const (
	opCreate operation = "create"
	opGet    operation = "get by id"
	opPage   operation = "page of 20"
	opFilter operation = "filter by VIN"
	opSort   operation = "sort by price"
	opDeep   operation = "deep page"
	opPatch  operation = "patch"
)

// question is an operation by a number of clients at once.
type question struct {
	operation operation
	clients   int
}

// questions are all that is measured, reads first: creates make the tables grow.
func questions() []question {
	return []question{
		{opGet, 8},
		{opFilter, 8},
		{opSort, 8},
		{opPage, 8},
		{opPage, 1},
		{opDeep, 1},
		{opCreate, 1},
		{opCreate, 8},
		{opCreate, 32},
	}
}

// spread numbers the filled records, from 1 to records, in an order that jumps about.
func spread(client, i, records int) int { return (client*7_368_787+i*7_919)%records + 1 }

// asker makes the requests of questions.
type asker struct {
	base, token      string
	module, customer string
	records          int
	cursor           string        // of the deep page
	created          atomic.Uint64 // records that creates were sent for
}

// client returns what makes the requests of one client.
func (a *asker) client(what operation, client int) func(*fasthttp.Request) {
	if what == opCreate {
		return a.create()
	}
	if what == opPatch {
		return a.patch(client)
	}
	i := 0

	return func(r *fasthttp.Request) {
		if i == 0 {
			a.head(r)
		}
		if i == 0 || what == opGet || what == opFilter {
			r.SetRequestURI(a.base + a.path(what, spread(client, i, a.records)))
		}
		i++
	}
}

func (a *asker) head(r *fasthttp.Request) {
	r.Header.Set("Authorization", "Bearer "+a.token)
	r.Header.Set("Accept", "application/json")
}

// create sends a record with a new VIN each time.
func (a *asker) create() func(*fasthttp.Request) {
	body := newRecordBody(a.module, a.customer)
	first := true

	return func(r *fasthttp.Request) {
		if first {
			a.head(r)
			r.Header.SetMethod(fasthttp.MethodPost)
			r.Header.SetContentType("application/json")
			r.SetRequestURI(a.base + recordsPath)
			first = false
		}
		body.put(a.created.Add(1))
		r.SetBodyRaw(body.bytes)
	}
}

func (a *asker) path(what operation, n int) string {
	list := recordsPath + "?per_page=20&module_uuid=" + a.module
	switch what {
	case opGet:
		return recordsPath + "/" + filledID(n)
	case opFilter:
		return list + "&filter%5Bvin%5D=" + filledVIN(n)
	case opSort:
		return list + "&sort=-price"
	case opDeep:
		return list + "&cursor=" + url.QueryEscape(a.cursor)
	case opCreate, opPage, opPatch:
	}

	return list
}

// check returns what looks at an answer: it must hold what was asked for.
func (*asker) check(what operation) func([]byte) error {
	rows := 20
	switch what {
	case opCreate, opGet, opPatch:
		return checkRecord
	case opFilter:
		rows = 1
	case opPage, opSort, opDeep:
	}

	return func(body []byte) error {
		var answer list
		if err := json.Unmarshal(body, &answer); err != nil {
			return fmt.Errorf("%w in %.500s", err, body)
		}
		if len(answer.Data) != rows {
			return fmt.Errorf("%d rows, want %d", len(answer.Data), rows)
		}

		return nil
	}
}

func checkRecord(body []byte) error {
	var answer created
	if err := json.Unmarshal(body, &answer); err != nil || answer.UUID == "" {
		return fmt.Errorf("no record in %.500s", body)
	}

	return nil
}
