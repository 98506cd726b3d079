package tasks

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/platform/summary"
)

// itemTasks is what is to be done about an item.
type itemTasks struct {
	Open    int        `json:"open"`
	Overdue int        `json:"overdue"`
	NextDue *time.Time `json:"next_due_at"`
}

func (s *service) summarize(ctx context.Context, about summary.Subject) (itemTasks, error) {
	rows, err := s.tasks.Where(ctx, "item_type = ? AND item_id = ? AND state IN ?", about.Item.Type, about.Item.UUID, []status{statusOpen, inProgress})
	all, now := itemTasks{Open: len(rows)}, s.clock.Now()
	for _, t := range rows {
		switch {
		case t.DueAt == nil:
		case t.DueAt.Before(now):
			all.Overdue++
		case all.NextDue == nil || t.DueAt.Before(*all.NextDue):
			all.NextDue = t.DueAt
		}
	}

	return all, err
}
