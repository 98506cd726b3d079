package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/errgroup"

	"github.com/dispatchd/dispatchd/platform/inbound/verify"
)

// inboundSection is notifications acknowledged, as --only names it.
const inboundSection = "inbound"

// inboundClients is how many vendors send at a time.
const inboundClients = 32

// acknowledged is how many notifications of one size were acknowledged in a second, beside inserts of the same
// bytes and creates of a record.
type acknowledged struct {
	size                int
	ours, bare, creates []float64 // a value for each round
	// p99 is of the answers to all who send at once; rest is of one who sends alone, and beside of the same while as
	// many clients create records. In milliseconds.
	p99, rest, beside []float64
}

// inbound measures a process that answers and leaves the jobs to another one.
func (t *trial) inbound(ctx context.Context) ([]acknowledged, error) {
	if !t.options.asks(inboundSection) {
		return nil, nil
	}
	p := t.product
	url, err := t.db.fresh(ctx)
	if err != nil {
		return nil, err
	}
	bare, err := t.db.fresh(ctx)
	if err != nil {
		return nil, err
	}
	company, err := p.company(ctx, url, "Inbound")
	if err != nil {
		return nil, err
	}
	all := []acknowledged{{size: 4 << 10}, {size: 1 << 20}}
	err = p.serving(ctx, url, func(*process) error {
		calls := api{base: "http://" + p.address, token: company.Token}
		module, err := calls.createModule(ctx, "Bench", []field{{Key: "city", Label: "City", Type: "text"}, {Key: "price", Label: "Price", Type: "decimal"}})
		if err != nil {
			return err
		}
		receiver, err := calls.receiver(ctx)
		if err != nil {
			return err
		}
		for round := range t.options.rounds {
			for i := range all {
				if err := t.acknowledge(ctx, round, company, receiver, module, bare, &all[i]); err != nil {
					return fmt.Errorf("notifications of %d bytes: %w", all[i].size, err)
				}
			}
		}

		return nil
	}, "DISPATCHD_ROLES=api", "DISPATCHD_WEB__OVERLOAD__COMPANY_PERCENT=100", "DISPATCHD_WEB__BASE_URL=http://"+p.address)

	return all, err
}

// notificationKey signs notifications.
const notificationKey = "a key of the bench, which nobody else has"

// receiver makes an account of electronic signatures, and returns the path at which its notifications arrive.
func (a api) receiver(ctx context.Context) (string, error) {
	var account struct {
		UUID string `json:"uuid"`
	}
	if err := a.post(ctx, "/esign/api/v1/accounts", map[string]any{"name": "Bench", "provider": "sandbox"}, &account); err != nil {
		return "", err
	}
	path := "/esign/api/v1/accounts/" + account.UUID
	if err := a.post(ctx, path+"/keys", map[string]any{"name": "bench", "secret": notificationKey}, &struct{}{}); err != nil {
		return "", err
	}
	var connection struct {
		URL string `json:"callback_url"`
	}
	if err := a.call(ctx, http.MethodGet, path+"/connection", nil, &connection); err != nil {
		return "", err
	}

	return strings.TrimPrefix(connection.URL, a.base), nil
}

// acknowledge measures all three once.
func (t *trial) acknowledge(ctx context.Context, round int, c newCompany, receiver, module, bare string, found *acknowledged) error {
	send := load{address: t.product.address, clients: inboundClients, duration: t.options.duration(), client: notifications(t.product.address, receiver, found.size)}
	create := load{address: t.product.address, clients: inboundClients, duration: t.options.duration(), client: smallRecords(t.product.address, c.Token, module)}
	ours := func() error {
		for _, l := range []*load{&send, &create} {
			m, err := l.run(ctx)
			if err != nil {
				return err
			}
			if l == &create {
				found.creates = append(found.creates, m.rate)

				continue
			}
			found.ours, found.p99 = append(found.ours, m.rate), append(found.p99, float64(m.p99)/float64(time.Millisecond))
		}

		return nil
	}
	ceiling := func() error {
		rate, err := bareBodies(ctx, t.db.name(), bare, found.size, t.options.duration())
		found.bare = append(found.bare, rate)

		return err
	}
	if err := inTurns(round, ours, ceiling); err != nil {
		return err
	}
	if err := t.wait(ctx, send, create, found); err != nil {
		return err
	}

	return t.say("round %d: %d bytes acknowledged %.0f/s, bare %.0f/s, creates %.0f/s; p99 %.1f ms, of one alone %.1f, beside creates %.1f",
		round+1, found.size, found.ours[round], found.bare[round], found.creates[round], found.p99[round], found.rest[round], found.beside[round])
}

// wait measures how long one vendor waits for its answers, at rest and beside creates.
func (t *trial) wait(ctx context.Context, send, create load, found *acknowledged) error {
	send.clients = 1
	alone, err := send.run(ctx)
	if err != nil {
		return err
	}
	both, ctx := errgroup.WithContext(ctx)
	var busy measured
	both.Go(func() (err error) {
		busy, err = send.run(ctx)

		return err
	})
	both.Go(func() error {
		_, err := create.run(ctx)

		return err
	})
	if err := both.Wait(); err != nil {
		return err
	}
	found.rest = append(found.rest, float64(alone.p99)/float64(time.Millisecond))
	found.beside = append(found.beside, float64(busy.p99)/float64(time.Millisecond))

	return nil
}

// notifications are messages of a size about one envelope each, as DocuSign sends them with documents in them.
func notifications(address, path string, size int) func(int) func(*fasthttp.Request) {
	return func(i int) func(*fasthttp.Request) {
		n, filler := 0, bytes.Repeat([]byte("x"), size)

		return func(r *fasthttp.Request) {
			n++
			now := time.Now().UTC().Format(time.RFC3339Nano)
			body := fmt.Appendf(nil, `{"event":"recipient-sent","apiVersion":"v2.1","retryCount":0,"configurationId":1,"generatedDateTime":%q,`+
				`"data":{"envelopeId":"%08x-%04x-4000-8000-000000000000","recipientId":"1","envelopeSummary":{"status":"sent",`+
				`"statusChangedDateTime":%q,"envelopeDocuments":[{"documentId":"1","PDFBytes":"`, now, n, i, now)
			body = append(body, filler...)
			body = append(body[:size-len(notificationEnd)], notificationEnd...)
			r.Header.SetMethod(http.MethodPost)
			r.SetRequestURI("http://" + address + path)
			r.Header.SetContentType("application/json")
			r.Header.Set("X-Docusign-Signature-1", verify.SignDocuSign([]byte(notificationKey), body))
			r.SetBody(body)
		}
	}
}

const notificationEnd = `"}]}}}`

// smallRecords are creates of a record.
func smallRecords(address, token, module string) func(int) func(*fasthttp.Request) {
	return func(int) func(*fasthttp.Request) {
		body := []byte(`{"module_uuid":"` + module + `","payload":{"city":"Tulsa","price":"900.00"}}`)

		return func(r *fasthttp.Request) {
			r.Header.SetMethod(http.MethodPost)
			r.SetRequestURI("http://" + address + recordsPath)
			r.Header.SetContentType("application/json")
			r.Header.Set("Authorization", "Bearer "+token)
			r.SetBody(body)
		}
	}
}

var errBare = errors.New("no bare insert was done")
