package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ceilings compares creates with one writer in a loop: with a commit for every record, and, for
// several clients, with one commit for as many records as there are clients, which is the best that
// group commit can do. Reads are compared with as many readers as there are clients.
func (s *sqlite) ceilings(q question) []ceiling {
	if q.operation != opCreate {
		return []ceiling{{name: "bare reads", measure: func(ctx context.Context, d time.Duration) (float64, error) {
			return s.readLoop(ctx, q.clients, s.bareRead(q.operation), d)
		}}}
	}
	list := []ceiling{{name: "bare loop", measure: func(ctx context.Context, d time.Duration) (float64, error) {
		return s.insertLoop(ctx, 1, d)
	}}}
	if q.clients > 1 {
		list = append(list, ceiling{
			name: fmt.Sprintf("bare loop, %d a commit", q.clients),
			measure: func(ctx context.Context, d time.Duration) (float64, error) {
				return s.insertLoop(ctx, q.clients, d)
			},
		})
	}

	return list
}

// insertLoop returns how many records a second one connection writes, batch of them in a
// transaction.
func (s *sqlite) insertLoop(ctx context.Context, batch int, d time.Duration) (rate float64, err error) {
	err = s.with(ctx, "ceiling.db", func(conn *sql.Conn) error {
		w, err := newWriter(ctx, conn, s.rows)
		if err != nil {
			return err
		}
		count, begin := 0, time.Now()
		for time.Since(begin) < d {
			if err := w.write(ctx, batch); err != nil {
				return errors.Join(err, w.close())
			}
			count += batch
		}
		rate = float64(count) / time.Since(begin).Seconds()

		return w.close()
	})

	return rate, err
}

// writer inserts records by prepared statements.
type writer struct {
	begin, commit *sql.Stmt
	rows          []row
	inserts       []*sql.Stmt
}

func newWriter(ctx context.Context, conn *sql.Conn, rows []row) (*writer, error) {
	w := &writer{rows: rows}
	var err error
	prepare := func(query string) *sql.Stmt {
		stmt, problem := conn.PrepareContext(ctx, query)
		err = errors.Join(err, problem)

		return stmt
	}
	w.begin, w.commit = prepare("BEGIN IMMEDIATE"), prepare("COMMIT")
	for _, r := range rows {
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(r.cells)), ", ")
		w.inserts = append(w.inserts, prepare(r.insert(quoteName(r.table))+" VALUES ("+marks+")"))
	}

	return w, err
}

// write commits a number of new records.
func (w *writer) write(ctx context.Context, records int) error {
	if _, err := w.begin.ExecContext(ctx); err != nil {
		return err
	}
	for range records {
		if err := w.insert(ctx, newValues()); err != nil {
			return err
		}
	}
	_, err := w.commit.ExecContext(ctx)

	return err
}

// insert inserts the rows of one record.
func (w *writer) insert(ctx context.Context, values func(mark) string) error {
	for i, r := range w.rows {
		arguments, err := bind(r, values)
		if err != nil {
			return err
		}
		if _, err := w.inserts[i].ExecContext(ctx, arguments...); err != nil {
			return err
		}
	}

	return nil
}

func (w *writer) close() error {
	err := errors.Join(w.begin.Close(), w.commit.Close())
	for _, insert := range w.inserts {
		err = errors.Join(err, insert.Close())
	}

	return err
}

// newValues are the values of one more record, the id in the order of time.
func newValues() func(mark) string {
	now := time.Now()
	millis, n := now.UnixMilli(), uint64(now.UnixNano())
	id := func(version int) string {
		return fmt.Sprintf("%08x-%04x-%04x-8000-%012x", millis>>16, millis&0xffff, version, n&0xffffffffffff)
	}

	return func(m mark) string {
		var text [vinLength]byte
		switch m {
		case markID:
			return id(0x7000)
		case markFreshID:
			return id(0x7001)
		case markVIN:
			putVIN(text[:], n)

			return string(text[:])
		case markFreshNumber:
			return strconv.FormatUint(n, 10)
		case markWord, markWordEnd, markWordTail:
			putVIN(text[:], n)

			return word(m, string(text[:]))
		case markPrice, markDigits, fixed:
		}
		putPrice(text[:8], n)
		if m == markDigits {
			return string(text[:5]) + string(text[6:8])
		}

		return string(text[:8])
	}
}

// word is the VIN, or the end of it, as it is searched for.
func word(m mark, vin string) string {
	vin = strings.ToLower(vin)
	switch m {
	case markWordEnd:
		return vin[vinLength-8:]
	case markWordTail:
		return vin[vinLength-6:]
	default:
		return vin
	}
}

// bind gives the values of a row in their storage class.
func bind(r row, value func(mark) string) ([]any, error) {
	list := make([]any, len(r.cells))
	for i, c := range r.cells {
		if c.null {
			continue
		}
		var err error
		switch text := join(c.pieces, value); c.kind {
		case "integer":
			list[i], err = strconv.ParseInt(text, 10, 64)
		case "real":
			list[i], err = strconv.ParseFloat(text, 64)
		case "blob":
			list[i] = []byte(text)
		default:
			list[i] = text
		}
		if err != nil {
			return nil, err
		}
	}

	return list, nil
}
