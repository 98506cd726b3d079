package jobs

import "context"

// EnqueueByRiver is EnqueueMany through River's own statement on both databases.
func (q *Queue) EnqueueByRiver(ctx context.Context, jobs ...Job) error {
	params, err := q.params(ctx, jobs)
	if err != nil {
		return err
	}

	return q.inserter.insertByRiver(ctx, params)
}
