package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// bare is done on the copy of the file. Writes are those of one connection, with a commit for as many
// records as there are clients, or as a bulk request has.
func (s besideSQLite) bare(sc *scene, e errand) ceiling {
	batch := max(e.clients, e.each())
	name, measure := fmt.Sprintf("bare loop, %d a commit", batch), s.insertLoop
	switch e.task {
	case taskCreate, taskBulk:
	case taskPatch:
		measure = func(ctx context.Context, batch int, d time.Duration) (float64, error) {
			return s.patchLoop(ctx, sc, batch, d)
		}
	default:
		r := s.bareErrand(sc, e)

		return ceiling{name: "bare reads", measure: func(ctx context.Context, d time.Duration) (float64, error) {
			return s.readLoop(ctx, e.clients, r, d)
		}}
	}

	return ceiling{name: name, measure: func(ctx context.Context, d time.Duration) (float64, error) { return measure(ctx, batch, d) }}
}

// wordIndex is the index of the words of records.
const wordIndex = searchTable + "_words"

// bareErrand is the read of an errand.
func (s besideSQLite) bareErrand(sc *scene, e errand) bareRead {
	at := sc.place(e)
	w := wanted{id: "?", vin: "?", after: "?"}
	search := ""
	switch e.task {
	case taskSearch:
		search = "SELECT s.record_id FROM " + wordIndex + " AS w CROSS JOIN " + searchTable + " AS s ON s.doc = w.rowid WHERE w." + wordIndex +
			" MATCH ? AND s.company_id = '" + at.company + "' AND s.module_id = '" + at.module + "'"
	case taskCommon:
		search = "(SELECT instr(' ' || s.words, ' " + at.words + commonWord + "') > 0 FROM " + searchTable +
			" AS s WHERE s.company_id = r.company_id AND s.record_id = r.id)"
	case taskGet, taskFilter, taskRange, taskSort, taskPage, taskDeep, taskPatch, taskCreate, taskBulk:
	}

	return bareRead{
		what: string(e.task), statement: s.records.recordsIn(at).errand(e.task, w, search),
		arguments: func(client, i int) []any { return s.errandArguments(sc, e, spread(client, i, at.records)) },
	}
}

// errandArguments are what a read is about, of the n-th record if it is about one.
func (s besideSQLite) errandArguments(sc *scene, e errand, n int) []any {
	at := sc.place(e)
	switch e.task {
	case taskGet:
		return []any{millionID(at.number, n)}
	case taskFilter:
		return []any{millionVIN(n)}
	case taskRange:
		return []any{s.price(rangeFrom + ".00")}
	case taskDeep:
		return []any{millionID(at.number, sc.sizes.depth())}
	case taskSearch:
		return []any{`"` + at.words + millionVINEnd(n) + `" *`}
	case taskSort, taskPage, taskCommon, taskPatch, taskCreate, taskBulk:
	}

	return nil
}

// price is a price as its column holds it: as text that sorts as numbers do.
func (s besideSQLite) price(text string) string {
	for _, c := range rowOf(s.rows, s.records.table).cells {
		if c.column == s.records.price {
			return join(c.pieces, func(m mark) string { return sample{price: text}.marks()[m] })
		}
	}

	return text
}

// patchLoop gives records of the large module new prices.
func (s besideSQLite) patchLoop(ctx context.Context, sc *scene, batch int, d time.Duration) (rate float64, err error) {
	err = s.with(ctx, "ceiling.db", func(conn *sql.Conn) error {
		p, err := s.newPatcher(ctx, conn, sc)
		if err != nil {
			return err
		}
		count, begin := 0, time.Now()
		for time.Since(begin) < d {
			if err := p.write(ctx, count, batch); err != nil {
				return errors.Join(err, p.close())
			}
			count += batch
		}
		rate = float64(count) / time.Since(begin).Seconds()

		return p.close()
	})

	return rate, err
}

// patcher changes records by prepared statements, and adds what the product adds then.
type patcher struct {
	*writer

	place        place
	record       row
	held, update *sql.Stmt
}

func (s besideSQLite) newPatcher(ctx context.Context, conn *sql.Conn, sc *scene) (*patcher, error) {
	at := sc.plots[largeNumber].place
	p := &patcher{place: at, record: row{cells: s.records.patched(rowOf(s.rows, s.records.table))}}
	var err error
	if p.writer, err = newWriter(ctx, conn, sc.patched); err != nil {
		return nil, err
	}
	if p.held, err = conn.PrepareContext(ctx, s.records.held("?", "")); err != nil {
		return nil, errors.Join(err, p.writer.close())
	}
	all := s.records.patch(rowOf(s.rows, s.records.table), "'"+at.company+"'", "?", func(cell) string { return "?" })
	if p.update, err = conn.PrepareContext(ctx, all); err != nil {
		return nil, errors.Join(err, p.held.Close(), p.writer.close())
	}

	return p, nil
}

// write commits a number of patches, the first of them being the one of a number.
func (p *patcher) write(ctx context.Context, first, patches int) error {
	if _, err := p.begin.ExecContext(ctx); err != nil {
		return err
	}
	for i := range patches {
		if err := p.one(ctx, spread(0, first+i, p.place.records)); err != nil {
			return err
		}
	}
	_, err := p.commit.ExecContext(ctx)

	return err
}

// one changes the n-th record.
func (p *patcher) one(ctx context.Context, n int) error {
	values := newValues()
	id, vin := millionID(p.place.number, n), millionVIN(n)
	value := func(m mark) string {
		switch m {
		case markID:
			return id
		case markVIN:
			return vin
		default:
			return values(m)
		}
	}
	if err := readAll(ctx, p.held, "patch", []any{id}); err != nil {
		return err
	}
	all, err := bind(p.record, value)
	if err != nil {
		return err
	}
	arguments := make([]any, 0, len(all)+1)
	for i, c := range p.record.cells {
		if !c.null {
			arguments = append(arguments, all[i])
		}
	}
	if _, err := p.update.ExecContext(ctx, append(arguments, id)...); err != nil {
		return err
	}

	return p.insert(ctx, value)
}

func (p *patcher) close() error {
	return errors.Join(p.held.Close(), p.update.Close(), p.writer.close())
}
