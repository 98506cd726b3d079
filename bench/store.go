package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// store is a database that the product runs on, and the bare access to it that makes the ceilings.
// But for the ceilings of a running product, its methods are called while the product is stopped or
// idle.
type store interface {
	// name is "sqlite" or "postgres".
	name() string
	// url is what database.url of the product is set to; emptyURL is that of the copy that
	// keepEmpty made.
	url() string
	emptyURL() string
	// facts say on what the numbers were taken.
	facts(ctx context.Context) ([]fact, error)
	// counts returns the number of rows of each table.
	counts(ctx context.Context) (map[string]int, error)
	// mentioning returns the rows of a table in which the sample's id or request stands, cut at it.
	mentioning(ctx context.Context, table string, s sample) ([]row, error)
	// keepEmpty copies the database as it is.
	keepEmpty(ctx context.Context) error
	// fill adds count records to the product's tables, and makes copies of these tables for the
	// ceilings to write to.
	fill(ctx context.Context, s sample, rows []row, count int) error
	// ceilings returns what a question is compared with.
	ceilings(q question) []ceiling
	// fresh makes an empty database and returns its URL; river is the ceiling of a service on it.
	fresh(ctx context.Context) (url string, err error)
	river(s *eventService) (riverDeliverer, error)
	// beside makes another empty database.
	beside(ctx context.Context) (millionStore, error)
	// close removes what the store made and is not in its folder.
	close(ctx context.Context) error
}

// ceiling is the bare work of the database for a question.
type ceiling struct {
	name string
	// measure returns how often a second it was done.
	measure func(ctx context.Context, d time.Duration) (float64, error)
}

// nameless are tables whose new rows need not name the new record: jobs of schedules come at any time,
// the counts of records are sums, seals come after the commit, and SQLite keeps the index of words by itself.
func nameless(table string) bool {
	return table == "river_job" || table == usageTable || table == "audit_seals" || strings.HasPrefix(table, "custom_modules_search_words")
}

// settling is more than the service takes for what it does after commits: sealing the audit trail.
const settling = 500 * time.Millisecond

// written finds what creating one record writes: it counts the rows of all tables, calls create,
// and reads back the rows that have come.
func written(ctx context.Context, db store, create func() (sample, error)) (sample, []row, error) {
	time.Sleep(settling)
	before, err := db.counts(ctx)
	if err != nil {
		return sample{}, nil, err
	}
	s, err := create()
	if err != nil {
		return sample{}, nil, err
	}
	time.Sleep(settling)
	after, err := db.counts(ctx)
	if err != nil {
		return sample{}, nil, err
	}
	var rows []row
	for table, count := range after {
		grown := count - before[table]
		if grown == 0 {
			continue
		}
		found, err := db.mentioning(ctx, table, s)
		if err != nil {
			return sample{}, nil, err
		}
		if len(found) != grown && !nameless(table) {
			return sample{}, nil, fmt.Errorf("table %s has %d new rows of which %d name the new record", table, grown, len(found))
		}
		rows = append(rows, found...)
	}
	if len(rows) == 0 {
		return sample{}, nil, errors.New("creating a record has left no row")
	}

	return s, rows, nil
}

// The ids and VINs of the records that fill adds follow from their number, from 1 on, so that no
// side needs a list of them. The ids are older than any that the product makes.
const (
	filledIDPrefix  = "0190a000-0000-7000-8000-" // and the number in 12 hexadecimal digits
	filledVINPrefix = "2FT00000X"                // and the number in 8 digits
	freshIDPrefix   = "0190a000-0000-7001-8000-"
)

func filledID(n int) string  { return fmt.Sprintf("%s%012x", filledIDPrefix, n) }
func filledVIN(n int) string { return fmt.Sprintf("%s%08d", filledVINPrefix, n) }
