package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// pairsAtOnce is how many rows a statement inserts.
const pairsAtOnce = 1000

// billingFill copies a subscription, its card and its company to many others, all of which are due.
type billingFill struct {
	db           *sql.DB
	postgres     bool
	subscription string
	card         string
	company      uuid.UUID
}

// run makes count copies.
func (f billingFill) run(ctx context.Context, count int) error {
	kind := "text"
	if f.postgres {
		kind = "uuid"
	}
	if _, err := f.db.ExecContext(ctx, "CREATE TABLE bench_pairs (company "+kind+", subscription "+kind+", card "+kind+")"); err != nil {
		return err
	}
	for made := 0; made < count; made += pairsAtOnce {
		if err := f.pairs(ctx, min(pairsAtOnce, count-made)); err != nil {
			return err
		}
	}
	for _, table := range []struct {
		name, id string
		values   map[string]string
	}{
		{"identity_companies", f.company.String(), map[string]string{"id": "p.company"}},
		{"cards_cards", f.card, map[string]string{
			"id": "p.card", "owner_id": "p.company", "reference": "CAST(p.card AS text)", "vendor_id": "CAST(p.card AS text)",
		}},
		{"billing_subscriptions", f.subscription, map[string]string{
			"company_id": "p.company", "id": "p.subscription", "card": "CAST(p.card AS text)",
			"period_end": "t.period_start", "next_at": "t.created_at", // its period is over
		}},
	} {
		if err := f.copy(ctx, table.name, table.id, table.values); err != nil {
			return fmt.Errorf("%s: %w", table.name, err)
		}
	}
	if !f.postgres {
		return nil
	}
	_, err := f.db.ExecContext(ctx, "ANALYZE")

	return err
}

func (f billingFill) pairs(ctx context.Context, n int) error {
	marks, values := make([]string, n), make([]any, 0, 3*n)
	for i := range marks {
		marks[i] = "(" + f.mark(3*i+1) + ", " + f.mark(3*i+2) + ", " + f.mark(3*i+3) + ")"
		for range 3 {
			id, err := uuid.NewV7()
			if err != nil {
				return err
			}
			values = append(values, id.String())
		}
	}
	_, err := f.db.ExecContext(ctx, "INSERT INTO bench_pairs VALUES "+strings.Join(marks, ", "), values...) //nolint:gosec // placeholders

	return err
}

func (f billingFill) mark(n int) string {
	if f.postgres {
		return "CAST($" + strconv.Itoa(n) + " AS uuid)"
	}

	return "?"
}

// copy copies the row of an id for each pair, with some columns of the pair's.
func (f billingFill) copy(ctx context.Context, table, id string, values map[string]string) error {
	columns, err := f.columns(ctx, table)
	if err != nil {
		return err
	}
	selected := make([]string, len(columns))
	for i, c := range columns {
		if selected[i] = values[c]; selected[i] == "" {
			selected[i] = "t." + c
		}
	}
	_, err = f.db.ExecContext(ctx, "INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") SELECT "+strings.Join(selected, ", ")+ //nolint:gosec // names of this file
		" FROM "+table+" t, bench_pairs p WHERE t.id = "+f.mark(1), id)

	return err
}

func (f billingFill) columns(ctx context.Context, table string) (names []string, err error) {
	rows, err := f.db.QueryContext(ctx, "SELECT * FROM "+table+" WHERE 1 = 0") //nolint:gosec // a name of this file
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Err(), rows.Close()) }()

	return rows.Columns()
}
