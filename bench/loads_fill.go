package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

var errNoRows = errors.New("a page without rows")

func hasRows(body []byte) error {
	var page list
	if err := json.Unmarshal(body, &page); err != nil {
		return err
	}
	if len(page.Data) == 0 {
		return errNoRows
	}

	return nil
}

// lots is the text of a load that others do not have.
const lots = "zx7q9k"

// loadFill says how columns of a copied load differ. Id is the id of the copy, document the type of JSON; most loads are over.
func loadFill(id, document string) map[string]string {
	return map[string]string{
		"id": id, "number": "'L-9-' || n.n",
		"state":             "CASE n.n % 100 WHEN 0 THEN 'lead' WHEN 1 THEN 'ready' WHEN 2 THEN 'booked' WHEN 3 THEN 'dispatched' WHEN 4 THEN 'picked_up' ELSE 'completed' END",
		"origin_state":      "substr('TXCANYGAOHILPAMIVANC', CAST(1 + 2 * ((n.n / 100) % 10) AS integer), 2)",
		"destination_state": "substr('FLTXCANYGAOHILPAMIVA', CAST(1 + 2 * ((n.n / 1000) % 10) AS integer), 2)",
		"transport_type":    "CASE (n.n / 10000) % 4 WHEN 3 THEN 'enclosed' ELSE 'open' END",
		"words":             "replace(t.words, '" + lots + "', 'y' || n.n)",
		"vehicles":          "CAST(replace(CAST(t.vehicles AS text), '" + lots + "', 'y' || n.n) AS " + document + ")",
	}
}

// fillLoads copies the first load of a company and its words for the search.
func fillLoads(ctx context.Context, db store, o *loadOffice, count int) error {
	prefix := "0190a000-" + o.company.ID[9:13] + "-7002-8000-"
	if other, ok := db.(besidePostgres); ok {
		id := "CAST('" + prefix + "' || lpad(to_hex(n.n), 12, '0') AS uuid)"
		series := fmt.Sprintf("generate_series(1, %d) AS n (n)", count)

		loads, err := other.columns(ctx, "loads_loads")
		if err != nil {
			return err
		}
		words, err := other.columns(ctx, "resource_search")
		if err != nil {
			return err
		}

		return other.exec(ctx, other.url(),
			copyLoads("loads_loads", loads, loadFill(id, "jsonb"), series, "t.id = '"+o.first+"'"),
			copyLoads("resource_search", words, searchFill(id), series, "t.item_id = '"+o.first+"'"),
			"VACUUM ANALYZE")
	}
	other, ok := db.(besideSQLite)
	if !ok {
		return fmt.Errorf("no way to fill %s", db.name())
	}

	return other.with(ctx, "dispatchd.db", func(conn *sql.Conn) error {
		id := "'" + prefix + "' || printf('%012x', n.n)"
		series := fmt.Sprintf("(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s) AS n", count)
		for _, table := range []struct {
			name, where string
			values      map[string]string
		}{
			{"loads_loads", "t.id = '" + o.first + "'", loadFill(id, "text")},
			{"resource_search", "t.item_id = '" + o.first + "'", searchFill(id)},
		} {
			columns, err := strs(ctx, conn, "SELECT name FROM pragma_table_info('"+table.name+"') WHERE name <> 'doc'")
			if err != nil {
				return err
			}
			if _, err := conn.ExecContext(ctx, copyLoads(table.name, columns, table.values, series, table.where)); err != nil {
				return fmt.Errorf("%s: %w", table.name, err)
			}
		}
		_, err := conn.ExecContext(ctx, "ANALYZE")

		return err
	})
}

func searchFill(id string) map[string]string {
	return map[string]string{
		"item_id": id, "shown": "replace(t.shown, '" + lots + "', 'y' || n.n)", "folded": "replace(t.folded, '" + lots + "', 'y' || n.n)",
	}
}

// copyLoads is a statement that copies a row, with some columns of the copy's own.
func copyLoads(table string, columns []string, values map[string]string, series, where string) string {
	selected := make([]string, len(columns))
	for i, c := range columns {
		if selected[i] = values[c]; selected[i] == "" {
			selected[i] = "t." + quoteName(c)
		}
	}

	return "INSERT INTO " + table + ` ("` + strings.Join(columns, `", "`) + `") SELECT ` + strings.Join(selected, ", ") + " FROM " + table + " AS t CROSS JOIN " + series + " WHERE " + where
}
