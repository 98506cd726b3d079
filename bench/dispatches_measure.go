package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/errgroup"
)

const (
	// dispatchesSection is offers accepted, links polled, positions and photos, as --only names it.
	dispatchesSection = "dispatches"
	// openOffers is how many carriers are asked, racing how many of them accept at the same time.
	openOffers, racing = 20, 8
	// polledLinks are each read every pollEvery.
	polledLinks = 500
	pollEvery   = 5 * time.Second
	// positionsAtOnce are sent by each request.
	positionsAtOnce = 100
	// photos of photoBytes are sent for an inspection, one after the other.
	photos     = 40
	photoBytes = 4 << 20
)

// dispatchesFound is what the section found.
type dispatchesFound struct {
	// alone is how long it takes to accept the only offer for a load, won and lost that of those who race for one that many were asked about.
	alone, won, lost []time.Duration
	polls            []time.Duration
	polledCPU        time.Duration // of one poll
	positions        []float64     // a second
	// idle and highest are resident memory before and while photos are sent; sent is for how long.
	idle, highest int64
	sent          time.Duration
}

// haulage is a company that has loads carried.
type haulage struct {
	calls    api
	customer string
	carriers []string
	client   *http.Client
}

// dispatches measures them in a database of its own.
func (t *trial) dispatches(ctx context.Context) (found *dispatchesFound, err error) {
	if !t.options.asks(dispatchesSection) {
		return nil, nil //nolint:nilnil // not asked for
	}
	db, err := t.db.beside(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.close(context.WithoutCancel(ctx))) }()
	p := t.product
	p.dir = filepath.Join(t.product.dir, dispatchesSection)
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, err
	}
	made, err := p.company(ctx, db.url(), "Haulage")
	if err != nil {
		return nil, err
	}
	h := &haulage{calls: api{base: "http://" + p.address, token: made.Token}, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: racing}}}
	found = &dispatchesFound{}
	const settings = "DISPATCHD_WEB__OVERLOAD__COMPANY_PERCENT=100"
	err = p.serving(ctx, db.url(), func(run *process) error {
		if err := h.settle(ctx); err != nil {
			return err
		}
		if err := t.accepts(ctx, h, found); err != nil {
			return err
		}
		if err := t.polls(ctx, run, h, found); err != nil {
			return err
		}

		return t.positions(ctx, h, found)
	}, settings)
	if err != nil {
		return nil, err
	}
	err = p.serving(ctx, db.url(), func(run *process) error { return h.photograph(ctx, run, found) }, settings)

	return found, err
}

// settle makes the carriers, which need no code to accept.
func (h *haulage) settle(ctx context.Context) error {
	var made created
	if err := h.calls.call(ctx, http.MethodPatch, "/dispatches/api/v1/settings", []byte(`{"identity_code":"off"}`), &made); err != nil {
		return err
	}
	if err := h.calls.post(ctx, "/contacts/api/v1/contacts", map[string]any{"name": "Ann Lee"}, &made); err != nil {
		return err
	}
	h.customer = made.UUID
	day := func(days int) string { return time.Now().AddDate(0, 0, days).Format(time.DateOnly) }
	for i := range openOffers {
		err := h.calls.post(ctx, "/carriers/api/v1/carriers", map[string]any{
			"legal_name": "Haul " + strconv.Itoa(i), "usdot": strconv.Itoa(1_000_000 + i),
			"insurance": []map[string]any{{
				"kind": "cargo", "insurer": "Sample Insurance", "policy": "C-" + strconv.Itoa(i), "each_occurrence": "100000.00", "expires": day(300), "verified": day(-20),
			}},
		}, &made)
		if err != nil {
			return err
		}
		h.carriers = append(h.carriers, made.UUID)
	}

	return nil
}

// offered is the answer to offers.
type offered struct {
	Offers []struct {
		Share struct {
			URL string `json:"url"`
		} `json:"share"`
	} `json:"offers"`
}

// ready makes a load that is ready for a carrier.
func (h *haulage) ready(ctx context.Context) (string, error) {
	var made created
	office := loadOffice{calls: h.calls, customer: h.customer}
	if err := h.calls.call(ctx, http.MethodPost, loadsPath, office.body(1), &made); err != nil {
		return "", err
	}
	at := loadsPath + "/" + made.UUID
	if err := h.calls.post(ctx, at+"/payment_plan/propose", map[string]any{"template": "deposit_cod"}, &created{}); err != nil {
		return "", err
	}
	for _, verb := range []string{"/book", "/clear"} {
		if err := h.calls.call(ctx, http.MethodPost, at+verb, nil, &created{}); err != nil {
			return "", err
		}
	}

	return made.UUID, nil
}

// offer offers a new load to some carriers, and returns their links.
func (h *haulage) offer(ctx context.Context, carriers int) (links []string, err error) {
	load, err := h.ready(ctx)
	if err != nil {
		return nil, err
	}
	day := func(days int) string { return time.Now().AddDate(0, 0, days).Format(time.DateOnly) }
	var made offered
	err = h.calls.post(ctx, "/dispatches/api/v1/offers", map[string]any{
		"load_uuid": load, "carrier_uuids": h.carriers[:carriers], "mode": "broadcast", "pickup_date": day(3), "delivery_date": day(6),
	}, &made)
	for _, o := range made.Offers {
		links = append(links, h.calls.base+o.Share.URL)
	}
	if err == nil && len(links) != carriers {
		err = fmt.Errorf("%d of %d carriers were asked", len(links), carriers)
	}

	return links, err
}

// public sends a request without a token, and returns its status and how long it took. Any but 200 and 409 is an error.
func (h *haulage) public(ctx context.Context, method, url, media string, body io.Reader) (status int, took time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return 0, 0, err
	}
	if media != "" {
		request.Header.Set("Content-Type", media)
	}
	began := time.Now()
	response, err := h.client.Do(request)
	if err != nil {
		return 0, 0, err
	}
	text, err := io.ReadAll(response.Body)
	took = time.Since(began)
	if err = errors.Join(err, response.Body.Close()); err == nil && response.StatusCode != http.StatusOK && response.StatusCode != http.StatusConflict {
		err = fmt.Errorf("%s %s: %d %.500s", method, request.URL.Path, response.StatusCode, text)
	}

	return response.StatusCode, took, err
}

// accepts has carriers accept: one who was asked alone, and some of many at the same time, of whom one wins.
func (t *trial) accepts(ctx context.Context, h *haulage, found *dispatchesFound) error {
	const loads = 20
	yes := []byte(`{"shown":1,"name":"Bo","accepted":true}`)
	for range t.options.rounds * loads {
		links, err := h.offer(ctx, 1)
		if err != nil {
			return err
		}
		status, took, err := h.public(ctx, http.MethodPost, links[0]+"/accept", "application/json", bytes.NewReader(yes))
		if err != nil || status != http.StatusOK {
			return errors.Join(err, fmt.Errorf("accept: %d", status))
		}
		found.alone = append(found.alone, took)

		if links, err = h.offer(ctx, openOffers); err != nil {
			return err
		}
		statuses, times := make([]int, racing), make([]time.Duration, racing)
		group, racers := errgroup.WithContext(ctx)
		for i := range racing {
			group.Go(func() (err error) {
				statuses[i], times[i], err = h.public(racers, http.MethodPost, links[i]+"/accept", "application/json", bytes.NewReader(yes))

				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		winners := 0
		for i, status := range statuses {
			switch status {
			case http.StatusOK:
				winners++
				found.won = append(found.won, times[i])
			case http.StatusConflict:
				found.lost = append(found.lost, times[i])
			}
		}
		if winners != 1 {
			return fmt.Errorf("%d carriers have the load", winners)
		}
	}

	return nil
}

// polls reads many pages of carriers, each as often as a page that follows an offer does.
func (t *trial) polls(ctx context.Context, run *process, h *haulage, found *dispatchesFound) error {
	var links []string
	for len(links) < polledLinks {
		more, err := h.offer(ctx, openOffers)
		if err != nil {
			return err
		}
		links = append(links, more...)
	}
	before := cpuTime(run.cmd.Process.Pid)
	group, asking := errgroup.WithContext(ctx)
	took := make([][]time.Duration, loadsClients)
	began := time.Now()
	for client := range loadsClients {
		group.Go(func() error {
			for n := client; ; n += loadsClients {
				due := began.Add(time.Duration(n) * pollEvery / polledLinks)
				if due.Sub(began) > max(t.options.duration(), pollEvery) {
					return nil
				}
				time.Sleep(time.Until(due))
				status, _, err := h.public(asking, http.MethodGet, links[n%len(links)], "", nil)
				if err != nil || status != http.StatusOK {
					return errors.Join(err, fmt.Errorf("carrier page: %d", status))
				}
				took[client] = append(took[client], time.Since(due))
			}
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	found.polls = slices.Concat(took...)
	found.polledCPU = (cpuTime(run.cmd.Process.Pid) - before) / time.Duration(len(found.polls))

	return nil
}

// positions sends where trucks were, many at a time.
func (t *trial) positions(ctx context.Context, h *haulage, found *dispatchesFound) error {
	trucks := make([]string, loadsClients)
	for i := range trucks {
		id, err := h.ready(ctx)
		if err != nil {
			return err
		}
		if trucks[i] = id; h.calls.post(ctx, loadsPath+"/"+id+"/cover", map[string]any{"carrier_uuid": h.carriers[0], "carrier_pay": "900.00"}, &created{}) != nil {
			return errors.New("a load was not covered")
		}
	}
	sent := make([]int, loadsClients)
	office := loadOffice{calls: h.calls}
	for range t.options.rounds {
		l := office.load(t, http.MethodPost, "/tracking/api/v1/positions", nil, nil)
		l.client = func(client int) func(*fasthttp.Request) {
			return func(r *fasthttp.Request) {
				r.Header.SetMethod(http.MethodPost)
				r.Header.Set("Authorization", "Bearer "+h.calls.token)
				r.SetRequestURI(h.calls.base + "/tracking/api/v1/positions")
				r.Header.SetContentType("application/json")
				r.SetBody(positionsOf(trucks[client], sent[client]))
				sent[client] += positionsAtOnce
			}
		}
		m, err := l.run(ctx)
		if err != nil {
			return err
		}
		found.positions = append(found.positions, m.rate*positionsAtOnce)
	}

	return nil
}

// positionsOf are positions of a truck, a second after the other.
func positionsOf(load string, from int) []byte {
	text := fmt.Appendf(nil, `{"load_uuid":%q,"source":"eld","positions":[`, load)
	begin := time.Now().AddDate(0, 0, -20).Truncate(24 * time.Hour)
	for i := range positionsAtOnce {
		if i > 0 {
			text = append(text, ',')
		}
		at := begin.Add(time.Duration(from+i) * time.Second)
		text = fmt.Appendf(text, `{"at":%q,"position":{"lat":32.%05d,"lng":-96.%05d}}`, at.UTC().Format(time.RFC3339), (from+i)%100_000, (from+i)%100_000)
	}

	return append(text, "]}"...)
}

// photograph sends the photos of an inspection by the driver's link to a process that does nothing else.
func (h *haulage) photograph(ctx context.Context, run *process, found *dispatchesFound) error {
	load, err := h.ready(ctx)
	if err != nil {
		return err
	}
	if err := h.calls.post(ctx, loadsPath+"/"+load+"/cover", map[string]any{"carrier_uuid": h.carriers[0], "carrier_pay": "900.00"}, &created{}); err != nil {
		return err
	}
	var of struct {
		Vehicles []created `json:"vehicles"`
	}
	if err := h.calls.call(ctx, http.MethodGet, loadsPath+"/"+load, nil, &of); err != nil {
		return err
	}
	if err := h.calls.post(ctx, "/bills_of_lading/api/v1/bols", map[string]any{"load_uuid": load}, &struct{}{}); err != nil {
		return err
	}
	var link struct {
		URL string `json:"url"`
	}
	if err := h.calls.post(ctx, "/bills_of_lading/api/v1/loads/"+load+"/driver_links", map[string]any{}, &link); err != nil {
		return err
	}
	picture, err := noise()
	if err != nil {
		return err
	}
	found.idle, _ = memory(run.cmd.Process.Pid)
	began := time.Now()
	for n := range photos {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		for key, value := range map[string]string{"vehicle_uuid": of.Vehicles[0].UUID, "stage": "pickup", "subject": "other"} {
			err = errors.Join(err, w.WriteField(key, value)) // before the file, which is stored as it comes
		}
		part, failed := w.CreateFormFile("file", "car.jpg")
		if err = errors.Join(err, failed); err != nil {
			return err
		}
		_, err = part.Write(fmt.Appendf(picture, "%d", n)) // what follows the picture makes it another file
		if err = errors.Join(err, w.Close()); err != nil {
			return err
		}
		status, _, err := h.public(ctx, http.MethodPost, h.calls.base+link.URL+"/photos", w.FormDataContentType(), &form)
		if err != nil || status != http.StatusOK {
			return errors.Join(err, fmt.Errorf("photo %d: %d", n, status))
		}
	}
	found.sent = time.Since(began)
	_, found.highest = memory(run.cmd.Process.Pid)

	return nil
}

// noise is a photo of photoBytes at least, of which nothing can be left out.
func noise() ([]byte, error) {
	const side, best = 2000, 95
	picture := image.NewRGBA(image.Rect(0, 0, side, side))
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // no secret
	for i := range picture.Pix {
		picture.Pix[i] = byte(random.Uint32()) //nolint:gosec // any byte
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, picture, &jpeg.Options{Quality: best}); err != nil {
		return nil, err
	}
	if file.Len() < photoBytes {
		return nil, fmt.Errorf("a photo of %d bytes", file.Len())
	}

	return file.Bytes(), nil
}
