package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	// smsSection is text messages, as --only names it.
	smsSection = "sms"
	// smsClients is how many send at a time.
	smsClients = 32
	smsPath    = "/sms/api/v1"
	smsText    = "Your driver is near"
	smsBulk    = 500
)

// texted is how fast messages are accepted, and how fast those that are queued come to the vendor. A value for each
// round.
type texted struct {
	queued, parallel  int
	accepted, creates []float64
	handed, bare      []float64 // a second
	p50, p99          []float64 // milliseconds
}

// sms measures messages through the adapter of Twilio, with a vendor in this process.
func (t *trial) sms(ctx context.Context) (found *texted, err error) {
	if !t.options.asks(smsSection) {
		return nil, nil //nolint:nilnil // not asked for
	}
	found = &texted{queued: 10_000}
	if t.options.quick {
		found.queued = 1_000
	}
	for round := range t.options.rounds {
		if err := t.smsRound(ctx, round, found); err != nil {
			return nil, err
		}
	}

	return found, nil
}

func (t *trial) smsRound(ctx context.Context, round int, found *texted) error {
	vendor, err := newSlowVendor(ctx)
	if err != nil {
		return err
	}
	url, err := t.db.fresh(ctx)
	if err != nil {
		return err
	}
	company, err := t.product.company(ctx, url, "Texts")
	if err != nil {
		return err
	}
	settings := []string{
		"DISPATCHD_WEB__OVERLOAD__COMPANY_PERCENT=100", "DISPATCHD_MODULES__SMS__PER_MINUTE=0", "DISPATCHD_OUTBOUND__ALLOW_HTTP=true",
		"DISPATCHD_OUTBOUND__ALLOW_NETWORKS=127.0.0.0/8", "DISPATCHD_MODULES__SMS__TWILIO__BASE_URL=" + vendor.address + "/2010-04-01",
	}
	calls := api{base: "http://" + t.product.address, token: company.Token}
	var number, module string
	err = t.product.serving(ctx, url, func(*process) error {
		if number, err = calls.smsNumber(ctx, vendor); err != nil {
			return err
		}
		if module, err = calls.createModule(ctx, "Bench", []field{{Key: "city", Label: "City", Type: "text"}, {Key: "price", Label: "Price", Type: "decimal"}}); err != nil {
			return err
		}

		return t.hand(ctx, calls, vendor, number, found)
	}, settings...)
	if err != nil {
		return err
	}
	bare, err := vendor.bareCalls(ctx, found.parallel, min(found.queued, 5000))
	if err != nil {
		return err
	}
	found.bare = append(found.bare, bare)
	err = t.product.serving(ctx, url, func(*process) error {
		return t.accept(ctx, company.Token, number, module, found)
	}, append(settings, "DISPATCHD_ROLES=api")...)
	if err != nil {
		return err
	}
	if err := vendor.close(); err != nil {
		return err
	}

	return t.say("round %d: accepted %.0f/s, creates %.0f/s; %d handed over %.0f/s, bare %.0f/s with %d at once; p50 %.0f ms, p99 %.0f ms", round+1,
		found.accepted[round], found.creates[round], found.queued, found.handed[round], bare, found.parallel, found.p50[round], found.p99[round])
}

// smsNumber makes an account, and returns the number that it has.
func (a api) smsNumber(ctx context.Context, vendor *slowVendor) (string, error) {
	var answer created
	err := a.post(ctx, smsPath+"/accounts", map[string]any{"name": "Twilio", "provider": "twilio", "credentials": vendor.Credentials()}, &answer)
	if err != nil {
		return "", err
	}
	if err := a.post(ctx, smsPath+"/numbers/import", map[string]any{}, &answer); err != nil {
		return "", err
	}
	for range 1000 {
		var found struct{ Data []created }
		if err := a.call(ctx, http.MethodGet, smsPath+"/numbers?filter[state]=active", nil, &found); err != nil {
			return "", err
		}
		if len(found.Data) > 0 {
			return found.Data[0].UUID, nil
		}
		time.Sleep(10 * time.Millisecond)
	}

	return "", errors.New("the number did not become active")
}

// hand queues messages as fast as one client can, and waits until the vendor has all.
func (t *trial) hand(ctx context.Context, calls api, vendor *slowVendor, number string, found *texted) error {
	queuedAt := map[string]time.Time{}
	begin := time.Now()
	for first := 0; first < found.queued; first += smsBulk {
		var batch []map[string]any
		for i := first; i < first+smsBulk; i++ {
			batch = append(batch, map[string]any{"to": recipient(i), "body": smsText, "from_uuid": number})
		}
		if err := calls.post(ctx, smsPath+"/messages/bulk", map[string]any{"items": batch}, &struct{}{}); err != nil {
			return err
		}
		for i := first; i < first+smsBulk; i++ {
			queuedAt[recipient(i)] = time.Now()
		}
	}
	for limit := time.Now().Add(10 * time.Minute); vendor.progress() < found.queued; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			return fmt.Errorf("%d of %d messages came", vendor.progress(), found.queued)
		}
	}
	found.handed = append(found.handed, float64(found.queued)/time.Since(begin).Seconds())
	vendor.mu.Lock()
	defer vendor.mu.Unlock()
	found.parallel = max(found.parallel, vendor.most)
	var waits []time.Duration
	for to, at := range queuedAt {
		waits = append(waits, max(0, vendor.arrived[to].Sub(at)))
	}
	slices.Sort(waits)
	found.p50 = append(found.p50, float64(percentile(waits, 0.50))/float64(time.Millisecond))
	found.p99 = append(found.p99, float64(percentile(waits, 0.99))/float64(time.Millisecond))

	return nil
}

func recipient(i int) string { return fmt.Sprintf("+1%d456%04d", 202+i/10000, i%10000) }

// accept measures sends and creates of a record, with nobody who does the jobs.
func (t *trial) accept(ctx context.Context, token, number, module string, found *texted) error {
	send := load{address: t.product.address, clients: smsClients, duration: t.options.duration(), client: smsSends(t.product.address, token, number)}
	create := load{address: t.product.address, clients: smsClients, duration: t.options.duration(), client: smallRecords(t.product.address, token, module)}
	sent, err := send.run(ctx)
	if err != nil {
		return err
	}
	made, err := create.run(ctx)
	found.accepted, found.creates = append(found.accepted, sent.rate), append(found.creates, made.rate)

	return err
}

// smsSends are messages, each client to numbers of its own.
func smsSends(address, token, number string) func(int) func(*fasthttp.Request) {
	return func(i int) func(*fasthttp.Request) {
		n := 0

		return func(r *fasthttp.Request) {
			n++
			r.Header.SetMethod(http.MethodPost)
			r.SetRequestURI("http://" + address + smsPath + "/messages")
			r.Header.SetContentType("application/json")
			r.Header.Set("Authorization", "Bearer "+token)
			r.SetBody(fmt.Appendf(nil, `{"to":%q,"body":%q,"from_uuid":%q}`, recipient(i*300+n%300), smsText, number))
		}
	}
}
