package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// regulatorSection is the regulator's data, as --only names it.
	regulatorSection = "regulator"
	// typings is how many lookups are asked for, one after the other.
	typings = 2000
)

// regulated is how fast the census is imported, and how fast carriers are found in it.
type regulated struct {
	rows int
	// imported and bare are rows a second; again is a second import of the same file.
	imported, again, bare float64
	memory                int64 // bytes, the most of the import
	lookup, walk          [2]time.Duration
	// verdicts are made a second, one after the other.
	verdicts float64
}

// regulator measures an import of the census by the command line, and lookups over HTTP.
func (t *trial) regulator(ctx context.Context) (*regulated, error) {
	if !t.options.asks(regulatorSection) {
		return nil, nil //nolint:nilnil // not asked for
	}
	found := &regulated{rows: 2_000_000}
	if t.options.quick {
		found.rows = 20_000
	}
	file := filepath.Join(t.product.dir, "census.csv")
	if err := writeCensus(file, found.rows); err != nil {
		return nil, err
	}
	db, err := t.censusStore(ctx)
	if err != nil {
		return nil, err
	}
	company, err := t.product.company(ctx, db.url, "Carriers")
	if err != nil {
		return nil, err
	}
	if found.imported, found.memory, err = t.importCensus(ctx, db.url, file, found.rows); err != nil {
		return nil, err
	}
	if found.again, _, err = t.importCensus(ctx, db.url, file, found.rows); err != nil {
		return nil, err
	}
	if found.bare, err = db.write(ctx); err != nil {
		return nil, err
	}
	begins := typedBegins()
	err = t.product.serving(ctx, db.url, func(*process) error {
		calls := api{base: "http://" + t.product.address, token: company.Token}
		for range 2 { // the first time warms up
			took := make([]time.Duration, 0, len(begins))
			for _, b := range begins {
				begin := time.Now()
				if err := calls.call(ctx, http.MethodGet, "/carriers/api/v1/lookup?q="+url.QueryEscape(b), nil, &struct{}{}); err != nil {
					return err
				}
				took = append(took, time.Since(begin))
			}
			found.lookup = middleAndTail(took)
		}
		found.verdicts, err = verdictsASecond(ctx, calls, found.rows)

		return err
	})
	if err != nil {
		return nil, err
	}
	for range 2 {
		took, err := db.walk(ctx, begins)
		if err != nil {
			return nil, err
		}
		found.walk = middleAndTail(took)
	}

	return found, os.Remove(file)
}

// verdictsASecond has carriers judged that are spread over the census.
func verdictsASecond(ctx context.Context, calls api, rows int) (float64, error) {
	begin := time.Now()
	for i := range typings {
		body := fmt.Appendf(nil, `{"usdot":"%d"}`, 100_000+3*(i*(rows/typings)))
		if err := calls.call(ctx, http.MethodPut, "/carriers/api/v1/carriers/validate", body, &struct{}{}); err != nil {
			return 0, err
		}
	}

	return typings / time.Since(begin).Seconds(), nil
}

func middleAndTail(took []time.Duration) [2]time.Duration {
	slices.Sort(took)

	return [2]time.Duration{percentile(took, 0.5), percentile(took, 0.99)} //nolint:mnd // the shares that the table names
}

// importCensus returns the rows a second of an import, with the start of the command, and its most memory.
func (t *trial) importCensus(ctx context.Context, database, file string, rows int) (rate float64, memory int64, err error) {
	cmd := t.product.command(ctx, database, "carriers", "regulator", "--set=census", "import", file)
	begin := time.Now()
	if _, err := output(cmd); err != nil {
		return 0, 0, err
	}
	rate = float64(rows) / time.Since(begin).Seconds()
	used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, 0, errors.New("the system does not say how much memory was used")
	}

	return rate, used.Maxrss << 10, nil //nolint:mnd // kibibytes
}

var (
	nameBegins = []string{"Smith", "Johnson", "Garcia", "Miller", "Eagle", "Star", "Blue", "Golden", "Western", "Premier", "American", "Rapid", "Royal", "Apex", "Summit", "Prairie"}
	nameEnds   = []string{"Trucking", "Transport", "Logistics", "Hauling", "Express", "Freight", "Carriers", "Auto Lines", "Farms", "Towing"}
	states     = []string{"TX", "CA", "FL", "GA", "OH", "PA", "NY", "IL", "NC", "WY"}
)

// writeCensus writes a census of invented carriers.
func writeCensus(name string, rows int) (err error) {
	file, err := os.Create(name) //nolint:gosec // a file of the run
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := bufio.NewWriter(file)
	if _, err := fmt.Fprintln(out, "DOT_NUMBER,LEGAL_NAME,DBA_NAME,STATUS_CODE,CARRIER_OPERATION,PHY_STREET,PHY_CITY,PHY_STATE,PHY_ZIP,PHY_COUNTRY,"+
		"PHONE,EMAIL_ADDRESS,DOCKET1PREFIX,DOCKET1,POWER_UNITS,TOTAL_DRIVERS,MCS150_DATE,ADD_DATE,CLASSDEF,COMPANY_OFFICER_1,CRGO_MOTOVEH,CRGO_GENFREIGHT"); err != nil {
		return err
	}
	for i := range rows {
		first, second := nameBegins[i*7%len(nameBegins)], nameBegins[i*11%13]
		dba := ""
		if i%4 == 0 {
			dba = second + " of " + states[i*3%len(states)]
		}
		if _, err := fmt.Fprintf(out, "%d,%s %s %d %s LLC,%s,A,A,%d %s St,%sville,%s,%d,US,%d,office@%s%d.example,MC,%d,%d,%d,20250614,20150611,AUTHORIZED FOR HIRE,%s %s,%s,X\n",
			100_000+3*i, first, second, i%9973, nameEnds[i%len(nameEnds)], dba, i%9999, second, first, states[i*3%len(states)], 10_000+i%80_000, 2_000_000_000+7*i, first, i,
			100_000+i, 1+i%40, 1+i%50, second, first, []string{"X", ""}[i%2]); err != nil {
			return err
		}
	}

	return out.Flush()
}

// typedBegins are what somebody has typed of names after two to eight letters.
func typedBegins() []string {
	begins := make([]string, 0, typings)
	for i := range typings {
		name := nameBegins[i%len(nameBegins)] + " " + nameBegins[i/3%13]
		if i%5 == 0 {
			name = nameEnds[i/5%len(nameEnds)]
		}
		begins = append(begins, strings.ToLower(name[:min(len(name), 2+i%7)]))
	}

	return begins
}
