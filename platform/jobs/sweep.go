package jobs

import (
	"context"
	"time"
)

// AddSweep schedules, for a platform package, the removal of what is of no use any more: some removes a
// part of it in a transaction of its own and says how much, and is called until there is nothing
// left. It is called before the service starts.
func AddSweep[A Args](q *Queue, area string, interval time.Duration, args A, some func(context.Context) (int, error)) error {
	err := Add(q, area, func(ctx context.Context, _ A) error {
		for {
			if removed, err := some(ctx); err != nil || removed == 0 {
				return err
			}
		}
	})
	if err != nil {
		return err
	}

	return AddEvery(q, interval, args)
}
