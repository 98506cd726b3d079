package secret

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/platform/broadcast"
)

// retireAfter is how long a data key rests after another took its place: a process that was slow to hear
// of that, or whose transaction is not committed yet, may still seal a value under it.
const retireAfter = time.Hour

var (
	errNoSuchKey = errors.New("there is no such key: see dispatchd secret status")
	errInUse     = errors.New("the key is in use")
)

// Retire forgets a former key for ever, by the id that Status shows. It refuses a key that a value is
// sealed under, that is in use or was until an hour ago, or that alone opens a data key.
func (r *Rotation) Retire(ctx context.Context, id string) error {
	number, err := strconv.ParseUint(id, 16, 32)
	if err != nil || len(id) != 8 {
		return errNoSuchKey
	}

	return r.rows.db.InTx(ctx, func(ctx context.Context) error {
		if err := r.rows.lock(ctx); err != nil {
			return err
		}
		all, err := r.status(ctx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, func(k KeyStatus) bool { return k.ID == id })
		if at < 0 {
			return errNoSuchKey
		}
		if n := all[at].Values; n > 0 {
			return fmt.Errorf("%d values are sealed under the key: a job seals them again after dispatchd secret rotate, "+
				"and once a day; the log names those that cannot be read", n)
		}
		if all[at].Kind == "master" {
			err = r.retireMaster(ctx, all, all[at], int64(number)) //nolint:gosec // of 32 bits
		} else {
			err = r.retireData(ctx, all, at, int64(number)) //nolint:gosec // of 32 bits
		}
		if err != nil {
			return err
		}

		return broadcast.Publish(ctx, r.bus, changed, id)
	})
}

func (r *Rotation) retireData(ctx context.Context, all []KeyStatus, at int, id int64) error {
	if all[at].State != Former {
		return errInUse
	}
	if rests := all[at+1].PrimaryFrom.Add(retireAfter); r.clock.Now().Before(rests) {
		return fmt.Errorf("the key was in use until %s: wait until %s", all[at+1].PrimaryFrom.Format(time.RFC3339), rests.Format(time.RFC3339))
	}

	return r.rows.removeDataKey(ctx, id)
}

func (r *Rotation) retireMaster(ctx context.Context, all []KeyStatus, k KeyStatus, id int64) error {
	if k.State != Absent {
		return fmt.Errorf("%w: take it out of secret.key and secret.previous_keys of every process first", errInUse)
	}
	mine := keyName(int64(r.keys.ring.Load().ids[0]))
	for _, other := range all {
		if other.Kind == "data" && !slices.Contains(other.Masters, mine) {
			return fmt.Errorf("data key %s is not encrypted under the master key in use, %s", other.ID, mine)
		}
	}

	return r.rows.removeMaster(ctx, id)
}
