package store

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/summary"
)

// Summary is how many files an item has.
type Summary struct {
	Files int64 `json:"files"`
}

// Summarize counts the files of an item that are not deleted.
func (s Summaries) Summarize(ctx context.Context, about summary.Subject) (Summary, error) {
	n, err := database.Count(s.db.Conn(ctx).Model(&Attachment{}).
		Where("owner_type = ? AND owner_id = ? AND deleted_at IS NULL", about.Item.Type, about.Item.UUID))

	return Summary{Files: n}, err
}

// Summaries says what the area knows of items of others.
type Summaries struct{ db *database.DB }

// NewSummaries returns the summaries of what a repository keeps.
func NewSummaries(rows *Repository) Summaries { return Summaries{rows.DB} }
