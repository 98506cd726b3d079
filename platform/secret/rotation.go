package secret

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
)

// changed says that the data keys have changed.
const changed broadcast.Topic[string] = "secret.keys"

var columnName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// Rotation changes keys while values are there, and has the values encrypted again (Reencryption). Commands use it.
type Rotation struct {
	keys    *Keys
	rows    repository
	bus     *broadcast.Bus
	queue   *jobs.Queue
	clock   clock.Clock
	columns []column
}

// column is where sealed values are: in a table with the columns company_id and id.
type column struct{ table, name string }

// NewRotation returns the rotation of the keys in a database; it does no I/O.
func NewRotation(keys *Keys, db *database.DB, bus *broadcast.Bus, queue *jobs.Queue, clk clock.Clock) *Rotation {
	return &Rotation{keys: keys, rows: repository{db: db}, bus: bus, queue: queue, clock: clk}
}

// Column is the manifest line of a column, of type bytea, in which an area keeps sealed values. Its
// table has the columns company_id and id, and those, with the names, are the Place of each value. Without
// this line, a value is lost when the key that it was sealed under is retired.
func Column(table, name string) fx.Option {
	return module.Contribute("sealed", table+"."+name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(r, _ *Rotation) error {
			if !strings.HasPrefix(table, at.Area+"_") {
				return fmt.Errorf("sealed column %s.%s: want a table that begins with %q", table, name, at.Area+"_")
			}

			return r.Declare(table, name)
		})
	})
}

// Declare is Column for the platform's own packages. It is called before the service starts.
func (r *Rotation) Declare(table, name string) error {
	c := column{table: table, name: name}
	if !c.valid() {
		return fmt.Errorf("sealed column %q.%q: want lower case letters, digits and underscores", table, name)
	}
	if slices.Contains(r.columns, c) {
		return fmt.Errorf("sealed column %s.%s is declared twice", table, name)
	}
	r.columns = append(r.columns, c)

	return nil
}

func (c column) valid() bool {
	return columnName.MatchString(c.table) && columnName.MatchString(c.name)
}

// Join has the process hear of new keys. It is called before the service starts.
func (r *Rotation) Join() error {
	return broadcast.Listen(r.bus, changed, func(string) { r.keys.forget() }, r.keys.forget)
}

// Start loads the keys, and notes the columns, so that the values of areas that are off count as well.
func (r *Rotation) Start(ctx context.Context) error {
	if err := r.keys.Load(ctx, r.rows.db); err != nil {
		return err
	}
	known, err := r.rows.columns(ctx)
	if err != nil {
		return fmt.Errorf("reading the sealed columns: %w", err)
	}
	fresh := slices.DeleteFunc(slices.Clone(r.columns), func(c column) bool { return slices.Contains(known, c) })
	if len(fresh) == 0 {
		return nil
	}

	return r.rows.db.InTx(ctx, func(ctx context.Context) error { return r.rows.noteColumns(ctx, fresh) })
}

// Rotated tells what Rotate did.
type Rotated struct {
	// ID names the new data key.
	ID string `json:"id"`
	// PrimaryFrom is when values begin to be sealed under it.
	PrimaryFrom time.Time `json:"primary_from"`
}

// Rotate makes a data key. Every process can read what is sealed under it at once, and seals under it
// when all have had the time to hear of it; then a job seals the old values again. Error: the key that
// was made before is not yet in use.
func (r *Rotation) Rotate(ctx context.Context) (Rotated, error) {
	var made Rotated
	err := r.rows.db.InTx(ctx, func(ctx context.Context) error {
		if err := r.rows.lock(ctx); err != nil {
			return err
		}
		before, _, err := r.rows.dataKeys(ctx)
		if err != nil {
			return err
		}
		now := r.clock.Now()
		if n := len(before); n > 0 && before[n-1].PrimaryFrom.After(now) {
			return fmt.Errorf("key %s is being distributed and takes effect at %s: wait for that",
				keyName(before[n-1].ID), before[n-1].PrimaryFrom.Format(time.RFC3339))
		}
		if err := r.keys.create(ctx, r.rows, r.keys.ring.Load(), now.Add(spread)); err != nil {
			return err
		}
		after, _, err := r.rows.dataKeys(ctx)
		if err != nil {
			return err
		}
		newest := after[len(after)-1]
		made = Rotated{ID: keyName(newest.ID), PrimaryFrom: newest.PrimaryFrom}
		if err := broadcast.Publish(ctx, r.bus, changed, made.ID); err != nil {
			return err
		}

		return r.queue.Enqueue(ctx, reencryptArgs{}, jobs.At(newest.PrimaryFrom.Add(readEvery)))
	})

	return made, err
}
