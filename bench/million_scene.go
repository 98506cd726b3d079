package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

const usagePath = "/custom_modules/api/v1/usage"

// scene is the companies and modules among which errands are measured.
type scene struct {
	sizes   sizes
	plots   []plot
	sample  sample
	rows    []row // what a create writes
	patched []row // what a patch adds
}

// The record that each module begins with: nothing of its VIN is in what the others are given.
const (
	plotVIN   = "1FTKZKYK?JKLMNPRS" // the check digit is yet to come
	plotPrice = "65432.19"
)

func (s *scene) place(e errand) place {
	if e.small {
		return s.plots[smallNumber].place
	}

	return s.plots[largeNumber].place
}

// millionFields are those of vehicles; records are found by the words of the VIN. Some VINs are longer in use
// than check digits.
func millionFields(customers string) []field {
	fields := vehicleFields(customers)
	for i := range fields {
		if fields[i].Key == "vin" {
			fields[i].Search, fields[i].Options = true, map[string]any{"check_digit": "off"}
		}
	}

	return fields
}

// build makes the companies with their modules, and in each module a record.
func (m *millionTrial) build(ctx context.Context) error {
	tenants := m.scene.sizes.tenants()
	companies := make([]newCompany, len(tenants))
	for i := range companies {
		var err error
		if companies[i], err = m.product.company(ctx, m.db.url(), fmt.Sprintf("Bench %d", i)); err != nil {
			return err
		}
	}
	err := m.product.serving(ctx, m.db.url(), func(*process) error {
		for i, company := range companies {
			if err := m.settle(ctx, company, tenants[i]); err != nil {
				return fmt.Errorf("company %d: %w", i, err)
			}
		}

		return nil
	})
	if err != nil {
		return err
	}
	m.asker = &millionAsker{base: m.base(), large: m.scene.plots[largeNumber].place, small: m.scene.plots[smallNumber].place}

	return nil
}

func (m *millionTrial) base() string { return "http://" + m.product.address }

// settle makes the modules of a company, each with a record.
func (m *millionTrial) settle(ctx context.Context, company newCompany, modules int) error {
	calls := api{base: m.base(), token: company.Token}
	customers, err := calls.createModule(ctx, "Customers", []field{{Key: "name", Label: "Name", Type: "text", Required: true}})
	if err != nil {
		return err
	}
	customer, err := calls.createRecord(ctx, customers, map[string]any{"name": "Bench"})
	if err != nil {
		return err
	}
	for range modules {
		p := plot{place: place{
			token: company.Token, company: company.ID, customer: customer, number: len(m.scene.plots), records: m.scene.sizes.small,
		}}
		if p.number == largeNumber {
			p.records = m.scene.sizes.large
		}
		if p.module, err = calls.createModule(ctx, fmt.Sprintf("Vehicles %d", p.number), millionFields(customers)); err != nil {
			return err
		}
		if err := m.plant(ctx, calls, &p); err != nil {
			return err
		}
		m.scene.plots = append(m.scene.plots, p)
	}

	return nil
}

// plant makes the record of a plot; what that of the large module leaves, all others leave.
func (m *millionTrial) plant(ctx context.Context, calls api, p *plot) (err error) {
	vin := []byte(plotVIN)
	vin[vinCheck] = checkDigit(vin)
	body := newRecordBody(p.module, p.customer)
	copy(body.bytes[body.vin:], vin)
	copy(body.bytes[body.price:], plotPrice)
	s := sample{module: p.module, vin: string(vin), price: plotPrice, searchable: true}
	create := func() (sample, error) {
		var answer created
		err := calls.call(ctx, http.MethodPost, recordsPath, body.bytes, &answer)
		s.id, s.request, p.record = answer.UUID, calls.request, answer.UUID

		return s, err
	}
	if p.number == largeNumber {
		calls.request = "bench-first-create"
		m.scene.sample, m.scene.rows, err = written(ctx, m.db, create)
	} else {
		_, err = create()
	}
	if err != nil || p.number > smallNumber {
		return err
	}
	p.words, err = m.words(ctx, s)

	return err
}

// searchTable has the words of records, historyTable what became of them.
const (
	searchTable  = areaPrefix + "search"
	historyTable = areaPrefix + "history"
)

// words finds what stands before each word of a module's records.
func (m *millionTrial) words(ctx context.Context, s sample) (string, error) {
	s.request = s.id // of the record's rows alone
	rows, err := m.db.mentioning(ctx, searchTable, s)
	if err != nil {
		return "", err
	}
	for _, r := range rows {
		for _, c := range r.cells {
			for i, p := range c.pieces {
				if p.mark == markWord && i > 0 {
					before := c.pieces[i-1].text

					return before[strings.LastIndexAny(before, " '")+1:], nil
				}
			}
		}
	}

	return "", fmt.Errorf("no row of %s has the VIN of the new record", searchTable)
}

// learnPatch changes the price of a filled record, and finds what that leaves.
func (m *millionTrial) learnPatch(ctx context.Context) (err error) {
	at, n := m.asker.large, 7
	body := patchBody()
	copy(body.bytes[body.price:], plotPrice)
	_, m.scene.patched, err = written(ctx, m.db, func() (sample, error) {
		s := sample{id: millionID(at.number, n), request: "bench-first-patch", module: at.module, vin: millionVIN(n), price: plotPrice}
		calls := api{base: m.base(), token: at.token, request: s.request}
		var answer created

		return s, calls.call(ctx, http.MethodPatch, recordsPath+"/"+s.id, body.bytes, &answer)
	})
	for _, r := range m.scene.patched {
		for i, c := range r.cells {
			if c.key && (c.kind == "bigint" || c.kind == "integer") { // a version: there are as many as patches
				r.cells[i].pieces = []piece{{mark: markFreshNumber}}
			}
		}
	}

	return err
}
