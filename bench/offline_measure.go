package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// offlineSection is decoding VINs and finding places, as --only names it.
	offlineSection = "offline"
	// coldStarts is how often a service is started to measure the first use of its data.
	coldStarts = 11
	// batches is how many batches of VINs are decoded, one after the other, and completions how many beginnings of places are looked up.
	batches, completions = 400, 5000
	// batchSize is how many VINs a request may have.
	batchSize = 50
)

// offlineFound is how fast VINs are decoded and places found, and what the data cost.
type offlineFound struct {
	// rate is VINs a second of one client, in batches; perCPU is VINs a second of processor time of the service.
	rate, perCPU float64
	// warm is the response time of one VIN, cold that of the first VIN of a process, complete that of the places for what somebody has typed.
	warm, cold, complete [2]time.Duration
	// coldComplete is the response time of the first places of a process.
	coldComplete [2]time.Duration
	// memory is resident: before the first use, after one VIN, after all VINs, and the same for places; each of a process of its own.
	idle, oneVIN, allVINs, places int64
	// binary is the size of the stripped binary, bare without the data.
	binary, bare int64
}

// offline measures with services that have just been started, as the data are loaded at the first use.
func (t *trial) offline(ctx context.Context) (*offlineFound, error) {
	if !t.options.asks(offlineSection) {
		return nil, nil //nolint:nilnil // not asked for
	}
	company, err := t.product.company(ctx, t.db.url(), "Offline")
	if err != nil {
		return nil, err
	}
	calls := api{base: "http://" + t.product.address, token: company.Token}
	found := &offlineFound{}
	if err := found.sizes(ctx, t.product); err != nil {
		return nil, err
	}
	starts := coldStarts
	if t.options.quick {
		starts = 2
	}
	cold := make([]time.Duration, starts)
	coldComplete := make([]time.Duration, starts)
	for i := range starts {
		err := t.serving(ctx, t.db.url(), func(*process) (err error) {
			if err := calls.call(ctx, http.MethodGet, "/vehicles/api/v1/types", nil, &struct{}{}); err != nil { // the token is read once
				return err
			}
			if cold[i], err = timed(func() error { return calls.decode(ctx, i) }); err != nil {
				return err
			}
			coldComplete[i], err = timed(func() error { return calls.complete(ctx, "331") })

			return err
		})
		if err != nil {
			return nil, err
		}
	}
	found.cold, found.coldComplete = middleAndTail(cold), middleAndTail(coldComplete)
	err = t.serving(ctx, t.db.url(), func(run *process) error { return found.vins(ctx, t, run, calls) })
	if err != nil {
		return nil, err
	}
	err = t.serving(ctx, t.db.url(), func(run *process) error { return found.typed(ctx, t, run, calls) })

	return found, err
}

// vins measures decoding in a process that does nothing else.
func (f *offlineFound) vins(ctx context.Context, t *trial, run *process, calls api) (err error) {
	if err := calls.call(ctx, http.MethodGet, "/vehicles/api/v1/types", nil, &struct{}{}); err != nil {
		return err
	}
	if f.idle, err = t.settled(ctx, run); err != nil {
		return err
	}
	if err := calls.decode(ctx, 0); err != nil {
		return err
	}
	if f.oneVIN, err = t.settled(ctx, run); err != nil {
		return err
	}
	took := make([]time.Duration, batches)
	for i := range took {
		if took[i], err = timed(func() error { return calls.decode(ctx, i) }); err != nil {
			return err
		}
	}
	f.warm = middleAndTail(took)
	vins := decodedVINs()
	before, begin := cpuTime(run.cmd.Process.Pid), time.Now()
	for i := range batches {
		var body strings.Builder
		body.WriteString(`{"vins":[`)
		for j := range batchSize {
			if j > 0 {
				body.WriteByte(',')
			}
			fmt.Fprintf(&body, "%q", vins[(i*batchSize+j)%len(vins)])
		}
		body.WriteString(`]}`)
		var answer list
		if err := calls.call(ctx, http.MethodPost, "/vehicles/api/v1/decode", []byte(body.String()), &answer); err != nil {
			return err
		}
		if len(answer.Data) != batchSize {
			return errors.New("a batch came back with fewer VINs")
		}
	}
	f.rate = batches * batchSize / time.Since(begin).Seconds()
	f.perCPU = batches * batchSize / (cpuTime(run.cmd.Process.Pid) - before).Seconds()
	f.allVINs, err = t.settled(ctx, run)

	return err
}

// typed measures places in a process that does nothing else.
func (f *offlineFound) typed(ctx context.Context, t *trial, run *process, calls api) (err error) {
	took := make([]time.Duration, completions)
	begins := []string{"331", "mia", "dallas", "7520", "new y", "los angeles, c", "san", "ft wor", "90", "st lou", "springfield", "1000"}
	if err := calls.complete(ctx, begins[0]); err != nil {
		return err
	}
	if f.places, err = t.settled(ctx, run); err != nil {
		return err
	}
	for i := range took {
		if took[i], err = timed(func() error { return calls.complete(ctx, begins[i%len(begins)]) }); err != nil {
			return err
		}
	}
	f.complete = middleAndTail(took)

	return nil
}

// decode decodes the n-th VIN.
func (a api) decode(ctx context.Context, n int) error {
	vins := decodedVINs()

	return a.call(ctx, http.MethodGet, "/vehicles/api/v1/vin/"+vins[n%len(vins)], nil, &struct{}{})
}

func (a api) complete(ctx context.Context, typed string) error {
	return a.call(ctx, http.MethodGet, "/route_engine/api/v1/zips?q="+url.QueryEscape(typed), nil, &struct{}{})
}

func timed(do func() error) (time.Duration, error) {
	begin := time.Now()
	err := do()

	return time.Since(begin), err
}

// decodedVINs are of many manufacturers, so that more blocks of the data are used than stay in memory.
func decodedVINs() []string {
	return []string{
		"1HGCM82633A004352", "1FTFW5L86RFB45612", "1FTFW4L86RFA86622", "KM8K2CAB4PU001140", "5YJ3E1EA7KF317000", "1C4RJEAG2EC476429",
		"JN1DA31D63T505967", "5UXFG2C50CL779312", "1FBNE3BE1CDB23596", "1FUJA6CV45LM12345", "1M8GDM9AXKP042788", "WDD2470031J059461",
		"JTDKN3DU5A0123456", "2T1BURHE5JC123456", "3VWDX7AJ5BM123456", "WBA3A5C51CF123456", "WAUZZZ8K9BA123456", "1G1ZD5ST8JF123456",
		"1N4AL3AP8DC123456", "4T1BF1FK5CU123456", "5NPE24AF8FH123456", "KNAGM4A74D5123456", "JM1BL1SF5A1123456", "JF1GPAA61D8123456",
		"SALWR2VF5FA123456", "WP0AA2A98CS123456", "YV1MS382462123456", "ZFF67NFA8D0123456", "1HD1KRM15EB123456", "5TFDW5F14HX123456",
		"1GCVKREC5EZ123456", "3C6UR5DL1FG123456", "1XPBDP9X1ED123456", "3AKJGLDR5HSHK1234", "1FVACWDT5CHBP1234", "5J6RM4H53FL123456",
	}
}

// sizes takes the size of the binary, stripped as a release is, with the data and with empty files in place of them.
func (f *offlineFound) sizes(ctx context.Context, p product) (err error) {
	root, err := repository(ctx)
	if err != nil {
		return err
	}
	empty, overlay := filepath.Join(p.dir, "empty"), filepath.Join(p.dir, "overlay.json")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(root, "modules/vehicles/internal/vpic/data.bin"): empty, filepath.Join(root, "modules/routeengine/internal/places/us.gz"): empty,
	}})
	if err := errors.Join(err, os.WriteFile(empty, nil, 0o600), os.WriteFile(overlay, replaced, 0o600)); err != nil {
		return err
	}
	if f.binary, err = strippedSize(ctx, p); err != nil {
		return err
	}
	f.bare, err = strippedSize(ctx, p, "-overlay="+overlay)

	return err
}

func strippedSize(ctx context.Context, p product, flags ...string) (int64, error) {
	file := filepath.Join(p.dir, "stripped")
	args := append(append([]string{"build", "-ldflags=-s -w", "-o", file}, flags...), "github.com/dispatchd/dispatchd/cmd/dispatchd")
	if _, err := output(command(ctx, "go", args...)); err != nil {
		return 0, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}

	return info.Size(), os.Remove(file)
}
