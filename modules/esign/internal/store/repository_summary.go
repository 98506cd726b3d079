package store

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/summary"
)

// Summarize returns how many envelopes about an item there are in each state.
func (s Summaries) Summarize(ctx context.Context, about summary.Subject) (map[Status]int64, error) {
	var rows []struct {
		State Status
		N     int64
	}
	err := s.db.Conn(ctx).Model(&Envelope{}).Select("state, count(*) AS n").Where("item_type = ? AND item_id = ?", about.Item.Type, about.Item.UUID).
		Group("state").Find(&rows).Error
	counts := make(map[Status]int64, len(rows))
	for _, row := range rows {
		counts[row.State] = row.N
	}

	return counts, database.Translate(err)
}

// Summaries says what the area knows of items of others.
type Summaries struct{ db *database.DB }

// NewSummaries returns the summaries of what a repository keeps.
func NewSummaries(rows *Repository) Summaries { return Summaries{rows.DB} }
