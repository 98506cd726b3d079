package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"sync/atomic"

	"github.com/valyala/fasthttp"
)

// rangeFrom is the least price of those that a range is asked for: two thirds have it.
const rangeFrom = "40000"

// millionAsker makes the requests of errands.
type millionAsker struct {
	base         string
	large, small place
	cursor       string        // of the deep page
	made         atomic.Uint64 // records, or patches, that requests were sent for
}

func (a *millionAsker) place(e errand) place {
	if e.small {
		return a.small
	}

	return a.large
}

// client returns what makes the requests of one client.
func (a *millionAsker) client(e errand, client int) func(*fasthttp.Request) {
	at := a.place(e)
	write, i := a.writes(e, at, client), 0

	return func(r *fasthttp.Request) {
		if i == 0 {
			r.Header.Set("Authorization", "Bearer "+at.token)
			r.Header.Set("Accept", "application/json")
		}
		if write != nil {
			write(r)
		} else {
			r.SetRequestURI(a.base + a.path(e.task, at, spread(client, i, at.records)))
		}
		i++
	}
}

// path is the path of a read, of the n-th record if it is one's.
func (a *millionAsker) path(what task, at place, n int) string {
	list := recordsPath + "?per_page=20&module_uuid=" + at.module
	switch what {
	case taskGet:
		return recordsPath + "/" + millionID(at.number, n)
	case taskFilter:
		return list + "&filter%5Bvin%5D=" + millionVIN(n)
	case taskRange:
		return list + "&filter%5Bprice%5D%5Bgte%5D=" + rangeFrom + "&sort=price"
	case taskSort:
		return list + "&sort=-price"
	case taskDeep:
		return list + "&cursor=" + url.QueryEscape(a.cursor)
	case taskSearch:
		return list + "&q=" + millionVINEnd(n)
	case taskCommon:
		return list + "&q=" + commonWord
	case taskPage, taskPatch, taskCreate, taskBulk:
	}

	return list
}

// commonWord is how the VINs of all filled records begin.
const commonWord = "2ft"

// writes returns what makes the requests of a client that writes, nil for one that reads.
func (a *millionAsker) writes(e errand, at place, client int) func(*fasthttp.Request) {
	head := func(r *fasthttp.Request, method, path string) {
		r.Header.SetMethod(method)
		r.Header.SetContentType("application/json")
		r.SetRequestURI(a.base + path)
	}
	switch e.task {
	case taskPatch:
		body, i := patchBody(), 0

		return func(r *fasthttp.Request) {
			head(r, fasthttp.MethodPatch, recordsPath+"/"+millionID(at.number, spread(client, i, at.records)))
			body.put(a.made.Add(1))
			r.SetBodyRaw(body.bytes)
			i++
		}
	case taskCreate:
		body := newRecordBody(at.module, at.customer)

		return func(r *fasthttp.Request) {
			head(r, fasthttp.MethodPost, recordsPath)
			body.put(a.made.Add(1))
			r.SetBodyRaw(body.bytes)
		}
	case taskBulk:
		body := newBulkBody(at)

		return func(r *fasthttp.Request) {
			head(r, fasthttp.MethodPost, recordsPath+"/bulk")
			last := a.made.Add(bulkSize)
			body.put(last - bulkSize + 1)
			r.SetBodyRaw(body.bytes)
		}
	case taskGet, taskFilter, taskRange, taskSort, taskPage, taskDeep, taskSearch, taskCommon:
	}

	return nil
}

// check returns what looks at an answer: it must hold what was asked for.
func (e errand) check() func([]byte) error {
	if slices.Contains([]task{taskGet, taskPatch, taskCreate}, e.task) {
		return checkRecord
	}

	return func(body []byte) error {
		var answer list
		if err := json.Unmarshal(body, &answer); err != nil {
			return fmt.Errorf("%w in %.500s", err, body)
		}
		if len(answer.Data) != e.rows() {
			return fmt.Errorf("%d rows, want %d", len(answer.Data), e.rows())
		}

		return nil
	}
}

func patchBody() recordBody { return recordBodyOf(`{"payload":{"price":"` + priceHole + `"}}`) }

// bulkBody is the body of a bulk request, into which VINs and prices are written in place.
type bulkBody struct {
	bytes []byte
	items []recordBody // parts of it
}

func newBulkBody(at place) bulkBody {
	item := `{"do":"create","payload":` + fmt.Sprintf(payloadTemplate, at.customer) + `}`
	text := []byte(`{"module_uuid":"` + at.module + `","items":[`)
	start := len(text)
	text = append(text, bytes.TrimSuffix(bytes.Repeat([]byte(item+","), bulkSize), []byte(","))...)
	b := bulkBody{bytes: append(text, "]}"...)}
	one := recordBodyOf(item)
	for i := range bulkSize {
		from := start + i*(len(item)+1)
		b.items = append(b.items, recordBody{bytes: b.bytes[from : from+len(item)], vin: one.vin, price: one.price})
	}

	return b
}

// put makes it the body of as many records from the n-th on.
func (b bulkBody) put(n uint64) {
	for i := range b.items {
		b.items[i].put(n + uint64(i))
	}
}
