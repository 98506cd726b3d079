package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"sync/atomic"

	"github.com/valyala/fasthttp"
)

const peerRecords = "/api/collections/vehicles/records"

// peerBodyTemplate has the values of recordTemplate, as the peer's types take them.
const peerBodyTemplate = `{"vin":"` + vinHole + `","year":2021,"price":` + priceHole + `,` +
	`"operable":true,"pickup_date":"2026-03-14 00:00:00.000Z","pickup_time":"2026-03-14 09:30:00.000Z",` +
	`"notes":"Keys are with the office. Call ahead, the gate is locked after six.","customer":"%s"}`

func newPeerBody(customer string) recordBody {
	return recordBodyOf(fmt.Sprintf(peerBodyTemplate, customer))
}

// peerAsker makes the requests of questions to the peer.
type peerAsker struct {
	base, token, customer string
	records               int
	created               atomic.Uint64
}

// filledPeerID is the id of a record that fillPeer adds: 15 characters, as the peer wants them.
func filledPeerID(n int) string { return fmt.Sprintf("bench%010d", n) }

// client returns what makes the requests of one client.
func (a *peerAsker) client(what operation, client int) func(*fasthttp.Request) {
	body, i := newPeerBody(a.customer), 0

	return func(r *fasthttp.Request) {
		if i == 0 {
			r.Header.Set("Authorization", "Bearer "+a.token)
			r.Header.Set("Accept", "application/json")
		}
		switch what {
		case opCreate:
			body.put(a.created.Add(1))
			send(r, fasthttp.MethodPost, body.bytes)
		case opPatch:
			send(r, fasthttp.MethodPatch, fmt.Appendf(nil, `{"price":%s}`, patchPrice(i)))
		case opGet, opPage, opFilter, opSort, opDeep:
		}
		r.SetRequestURI(a.base + a.path(what, spread(client, i, a.records)))
		i++
	}
}

// path leaves out the count of all rows, which the product does not give either.
func (*peerAsker) path(what operation, n int) string {
	const list = peerRecords + "?perPage=20&skipTotal=1"
	switch what {
	case opGet, opPatch:
		return peerRecords + "/" + filledPeerID(n)
	case opFilter:
		return list + "&filter=" + url.QueryEscape("vin='"+filledVIN(n)+"'")
	case opPage:
		return list
	case opCreate, opSort, opDeep:
	}

	return peerRecords
}

// check returns what looks at an answer: it must hold what was asked for.
func (*peerAsker) check(what operation) func([]byte) error {
	rows := map[operation]int{opFilter: 1, opPage: 20}[what]

	return func(body []byte) error {
		var answer struct {
			ID    string            `json:"id"`
			Items []json.RawMessage `json:"items"`
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			return fmt.Errorf("%w in %.500s", err, body)
		}
		if len(answer.Items) != rows || rows == 0 && answer.ID == "" {
			return fmt.Errorf("not what was asked for: %.500s", body)
		}

		return nil
	}
}

// patchPrice is the price that the i-th patch of a client sets.
func patchPrice(i int) []byte {
	var price [8]byte
	putPrice(price[:], uint64(i)) //nolint:gosec // counts up from 0

	return price[:]
}

// send gives a request its method and its body.
func send(r *fasthttp.Request, method string, body []byte) {
	r.Header.SetMethod(method)
	r.Header.SetContentType("application/json")
	r.SetBodyRaw(body)
}

// patch changes the price of a record that was there before.
func (a *asker) patch(client int) func(*fasthttp.Request) {
	i := 0

	return func(r *fasthttp.Request) {
		if i == 0 {
			a.head(r)
		}
		send(r, fasthttp.MethodPatch, fmt.Appendf(nil, `{"payload":{"price":"%s"}}`, patchPrice(i)))
		r.SetRequestURI(a.base + recordsPath + "/" + filledID(spread(client, i, a.records)))
		i++
	}
}
