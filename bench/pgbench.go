package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Expressions for the values of a new row in pgbench, all from one random number. The id begins with
// the milliseconds of the transaction, as the product's do: random ids would write to more pages of
// the index. All are the same in every statement of a transaction.
const (
	pgNumber = "CAST(:n AS bigint)"
	pgMillis = "CAST(extract(epoch FROM now()) * 1000 AS bigint)"
	pgTime   = "lpad(to_hex(" + pgMillis + " >> 16), 8, '0') || '-' || lpad(to_hex(" + pgMillis + " & 65535), 4, '0')"
)

func pgbenchValue(m mark) string {
	tail := "lpad(to_hex(" + pgNumber + "), 12, '0')"
	switch m {
	case markID:
		return pgTime + " || '-7000-8000-' || " + tail
	case markFreshID:
		return pgTime + " || '-7001-8000-' || " + tail
	case markVIN:
		return "'1FT' || " + pgDigits(14)
	case markWord:
		return "'1ft' || " + pgDigits(14)
	case markWordEnd:
		return pgDigits(8)
	case markWordTail:
		return pgDigits(6)
	case markFreshNumber:
		return "CAST(" + pgMillis + " * 1000000 + " + pgNumber + " % 1000000 AS text)"
	case markPrice, markDigits, fixed:
	}

	return pgPrice(m, pgNumber)
}

// pgDigits are the last digits of the number.
func pgDigits(count int) string {
	return fmt.Sprintf("lpad(CAST(%s %% 1%s AS text), %d, '0')", pgNumber, strings.Repeat("0", count), count)
}

// pgPrice is the price of record n, with or without its point.
func pgPrice(m mark, n string) string {
	point := "'.'"
	if m == markDigits {
		point = "''"
	}

	return "CAST(10000 + " + n + " * 7919 % 90000 AS text) || " + point + " || lpad(CAST(" + n + " % 100 AS text), 2, '0')"
}

// pgRandom makes the number of a transaction.
const pgRandom = "\\set n random(1, 281474976710655)\n"

// createScript inserts the rows of one record into the copies, and does what else belongs to it, in one transaction.
func createScript(rows []row, more ...string) string {
	return pgRandom + pipeline(append(pgInserts(rows, copyOf), more...))
}

// usageTable counts the records of modules.
const usageTable = "custom_modules_usage"

// countScript counts a record, in a row for each client.
func countScript(t recordTable) string {
	return fmt.Sprintf("INSERT INTO %[1]s (company_id, module_id, shard, records) VALUES ('%[2]s', '%[3]s', :client_id, 1)"+
		" ON CONFLICT (company_id, module_id, shard) DO UPDATE SET records = %[4]s.records + 1", copyOf(usageTable), t.companyID, t.moduleID, usageTable)
}

// pgInserts are the statements that insert rows into the tables that stand for theirs.
func pgInserts(rows []row, into func(table string) string) []string {
	statements := make([]string, len(rows))
	for i, r := range rows {
		statements[i] = r.insert(into(r.table)) + " VALUES (" + r.values(func(c cell) string { return pgCast(c, pgbenchValue) }) + ")"
	}

	return statements
}

// pgCast is the value of a cell in its type.
func pgCast(c cell, expr func(mark) string) string {
	return "CAST(" + concatenate(c.pieces, postgresLiteral, expr) + " AS " + c.kind + ")"
}

// pipeline does statements in one transaction: a single statement, or a pipeline, which is sent and
// committed at once.
func pipeline(statements []string) string {
	script := strings.Join(statements, ";\n") + ";\n"
	if len(statements) == 1 {
		return script
	}

	return "\\startpipeline\n" + script + "\\endpipeline\n"
}

// readScript does a read on the product's tables, of a random one of the filled records.
func readScript(t recordTable, what operation, records, depth int) string {
	number := fmt.Sprintf("\\set n random(1, %d)\n", records)
	if what == opDeep {
		number = fmt.Sprintf("\\set n %d\n", depth)
	}
	id := "CAST('" + filledIDPrefix + "' || lpad(to_hex(" + pgNumber + "), 12, '0') AS uuid)"
	vin := "'" + filledVINPrefix + "' || lpad(CAST(" + pgNumber + " AS text), 8, '0')"

	return number + t.read(what, id, vin) + ";\n"
}

// postgresLiteral quotes text for PostgreSQL. pgbench takes a colon and letters for a variable even
// within quotes, so colons are escaped.
func postgresLiteral(text string) string {
	quoted := strings.ReplaceAll(text, "'", "''")
	if !strings.ContainsAny(text, `:\`) {
		return "'" + quoted + "'"
	}

	return "E'" + strings.NewReplacer(`\`, `\\`, ":", `\x3A`).Replace(quoted) + "'"
}

// pgbench runs a script and returns its transactions per second.
type pgbench struct {
	binary, dir, url string
}

func (p pgbench) run(ctx context.Context, script string, clients int, d time.Duration) (float64, error) {
	file := filepath.Join(p.dir, "pgbench.sql")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return 0, err
	}
	// pgbench counts in whole seconds.
	seconds := max(1, int(d.Round(time.Second).Seconds()))
	var out, problems bytes.Buffer
	cmd := command(ctx, p.binary, "-n", "-M", "prepared", "-f", file, "-T", strconv.Itoa(seconds),
		"-c", strconv.Itoa(clients), "-j", strconv.Itoa(min(clients, runtime.NumCPU())), p.url)
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("pgbench: %w\n%s%s\n%s", err, problems.String(), out.String(), script)
	}

	return parsePgbench(out.String())
}

var (
	pgbenchRate   = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)
	pgbenchFailed = regexp.MustCompile(`(?m)^number of failed transactions: ([0-9]+)`)
)

// parsePgbench reads the rate from what pgbench prints. A failed transaction is an error.
func parsePgbench(out string) (float64, error) {
	if failed := pgbenchFailed.FindStringSubmatch(out); failed != nil && failed[1] != "0" {
		return 0, fmt.Errorf("pgbench: %s transactions failed", failed[1])
	}
	rate := pgbenchRate.FindStringSubmatch(out)
	if rate == nil {
		return 0, fmt.Errorf("pgbench printed no rate:\n%s", out)
	}

	return strconv.ParseFloat(rate[1], 64)
}
