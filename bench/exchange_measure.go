package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// exchangeSection is imports and exports, as --only names it.
const exchangeSection = "exchange"

// exchanged is what importing and exporting a number of records took.
type exchanged struct {
	records int
	// in and out are records a second, bareIn and bareOut those of the bare database.
	in, bareIn, out, bareOut float64
	// memoryIn and memoryOut are the highest resident memory of a process that did nothing else, in bytes.
	memoryIn, memoryOut int64
}

// exchange measures imports and exports of two sizes, each on an empty database.
func (t *trial) exchange(ctx context.Context) ([]exchanged, error) {
	if !t.options.asks(exchangeSection) {
		return nil, nil
	}
	var all []exchanged
	for _, records := range t.options.exchangeSizes() {
		found, err := t.exchangeOf(ctx, records)
		if err != nil {
			return nil, fmt.Errorf("exchange of %d records: %w", records, err)
		}
		if err := t.say("exchange of %d records: %.0f in, %.0f out a second", records, found.in, found.out); err != nil {
			return nil, err
		}
		all = append(all, found)
	}

	return all, nil
}

func (t *trial) exchangeOf(ctx context.Context, records int) (found exchanged, err error) {
	found.records = records
	bare, err := t.bareRecords(ctx, records)
	if err != nil {
		return found, err
	}
	company, err := t.product.company(ctx, bare.url, "Exchange")
	if err != nil {
		return found, err
	}
	calls, module := api{base: "http://" + t.product.address, token: company.Token}, ""
	err = t.product.serving(ctx, bare.url, func(run *process) (err error) {
		customers, err := calls.createModule(ctx, "Customers", []field{{Key: "name", Label: "Name", Type: "text"}})
		if err != nil {
			return err
		}
		if module, err = calls.createModule(ctx, "Vehicles", vehicleFields(customers)); err != nil {
			return err
		}
		took, err := calls.importFile(ctx, module, records)
		found.in = float64(records) / took.Seconds()
		_, found.memoryIn = memory(run.cmd.Process.Pid)

		return err
	})
	if err != nil {
		return found, err
	}
	err = t.product.serving(ctx, bare.url, func(run *process) error {
		took, err := calls.export(ctx, module, records)
		found.out = float64(records) / took.Seconds()
		_, found.memoryOut = memory(run.cmd.Process.Pid)

		return err
	})
	if err != nil {
		return found, err
	}
	found.bareIn, found.bareOut, err = bare.rates(ctx, module)

	return found, err
}

// vehicleFile writes records as CSV.
func vehicleFile(to io.Writer, records int) error {
	out := bufio.NewWriter(to)
	if _, err := out.WriteString("vin,year,price,operable,pickup_date,pickup_time,notes\n"); err != nil {
		return err
	}
	vin, price := []byte(vinHole), []byte(priceHole)
	for i := range records {
		putVIN(vin, uint64(i))
		putPrice(price, uint64(i))
		if _, err := fmt.Fprintf(out, "%s,%d,%s,true,2026-12-01,2026-12-01 09:30:00,Keys at the desk\n", vin, 2000+i%25, price); err != nil {
			return err
		}
	}

	return out.Flush()
}

// importPoll is how often an import is looked at.
const importPoll = 20 * time.Millisecond

// importFile sends a file and imports it, and returns how long both took.
func (a api) importFile(ctx context.Context, module string, records int) (time.Duration, error) {
	from, to := io.Pipe()
	go func() { _ = to.CloseWithError(vehicleFile(to, records)) }()
	begin := time.Now()
	var sent created
	if err := a.stream(ctx, http.MethodPost, modulesPath+"/"+module+"/imports", from, func(body io.Reader) error {
		return decode(body, &sent)
	}); err != nil {
		return 0, err
	}
	path := importsPath + "/" + sent.UUID
	var state struct {
		State    string `json:"state"`
		Problem  string `json:"problem"`
		Progress struct {
			Created int `json:"created"`
		} `json:"progress"`
	}
	if err := a.call(ctx, http.MethodPost, path+"/start", nil, &state); err != nil {
		return 0, err
	}
	for state.State == "running" {
		select {
		case <-time.After(importPoll):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		if err := a.call(ctx, http.MethodGet, path, nil, &state); err != nil {
			return 0, err
		}
	}
	if state.State != "completed" || state.Progress.Created != records {
		return 0, fmt.Errorf("the import is %s with %d records: %s", state.State, state.Progress.Created, state.Problem)
	}

	return time.Since(begin), nil
}

const importsPath = "/custom_modules/api/v1/imports"

// export reads all records of a module as CSV, and returns how long that took.
func (a api) export(ctx context.Context, module string, records int) (time.Duration, error) {
	begin, lines := time.Now(), 0
	err := a.stream(ctx, http.MethodGet, modulesPath+"/"+module+"/export", nil, func(body io.Reader) error {
		scan := bufio.NewScanner(body)
		for scan.Scan() {
			lines++
		}

		return scan.Err()
	})
	if err == nil && lines != records+1 {
		err = fmt.Errorf("the export has %d lines of %d records", lines, records)
	}

	return time.Since(begin), err
}

// stream sends a request of any length, and gives the answer to read.
func (a api) stream(ctx context.Context, method, path string, body io.Reader, read func(io.Reader) error) (err error) {
	request, err := http.NewRequestWithContext(ctx, method, a.base+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+a.token)
	if body != nil {
		request.Header.Set("Content-Type", "text/csv")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		text, err := io.ReadAll(response.Body)

		return errors.Join(err, fmt.Errorf("%s %s: %s %s", method, path, response.Status, text))
	}

	return read(response.Body)
}
