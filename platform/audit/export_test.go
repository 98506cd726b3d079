package audit

import (
	"context"

	"github.com/google/uuid"
)

// Entries returns the first entries of a company's chain.
func (l *Log) Entries(ctx context.Context, company uuid.UUID) ([]Recorded, error) {
	rows, err := l.repository.after(ctx, company, 0, batch)
	all := make([]Recorded, 0, len(rows))
	for _, row := range rows {
		all = append(all, row.recorded())
	}

	return all, err
}
