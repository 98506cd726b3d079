package main

import (
	"context"
	"database/sql"
	"errors"
)

// peerField is a field of the peer's, with its defaults.
func peerField(name, kind string) map[string]any { return map[string]any{"name": name, "type": kind} }

// peerVehicleFields are the fields of vehicleFields in the types of the peer, and its two times, which
// the product's records have too.
func peerVehicleFields(customers string) []map[string]any {
	vin, year, customer := peerField("vin", "text"), peerField("year", "number"), peerField("customer", "relation")
	vin["required"], year["onlyInt"] = true, true
	customer["collectionId"], customer["maxSelect"] = customers, 1
	created, updated := peerField("created", "autodate"), peerField("updated", "autodate")
	created["onCreate"], updated["onCreate"], updated["onUpdate"] = true, true, true

	return []map[string]any{
		vin, year, peerField("price", "number"), peerField("operable", "bool"), peerField("pickup_date", "date"),
		peerField("pickup_time", "date"), peerField("notes", "text"), customer, created, updated,
	}
}

func peerCollection(name string, fields ...map[string]any) map[string]any {
	return map[string]any{"name": name, "type": "base", "fields": fields}
}

// peerFillSQL copies the one record, with the ids, VINs and prices of the product's.
const peerFillSQL = `
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
INSERT INTO vehicles (id, vin, year, price, operable, pickup_date, pickup_time, notes, customer, created, updated)
SELECT printf('bench%010d', n), printf('` + filledVINPrefix + `%08d', n), one.year, 10000 + n * 7919 % 90000 + n % 100 / 100.0,
	one.operable, one.pickup_date, one.pickup_time, one.notes, one.customer, one.created, one.updated
FROM numbers, (SELECT * FROM vehicles LIMIT 1) AS one`

func fillPeer(ctx context.Context, file string, records int) (err error) {
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, peerFillSQL, records); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "ANALYZE")

	return err
}
