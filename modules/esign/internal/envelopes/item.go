package envelopes

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
)

// Describe tells what envelopes are called, for areas that point to them.
func (s *Service) Describe(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	rows, err := s.store.EnvelopesByID(ctx, ids)
	found := make(map[uuid.UUID]item.Description, len(rows))
	for _, row := range rows {
		found[row.ID] = item.Description{Title: row.Subject}
	}

	return found, err
}

// ItemFields lists what an envelope shows as an item.
func (s *Service) ItemFields(context.Context, []string) (map[string][]item.Field, error) {
	return map[string][]item.Field{"": {
		{Key: "subject", Label: "Subject", Kind: kind.Text},
		{Key: "state", Label: "State", Kind: kind.Text},
		{Key: "reason", Label: "Reason", Kind: kind.Text},
		{Key: "source", Label: "Source", Kind: kind.Text},
		{Key: "created_at", Label: "Created", Kind: kind.Time},
		{Key: "sent_at", Label: "Sent", Kind: kind.Time},
		{Key: "completed_at", Label: "Completed", Kind: kind.Time},
	}}, nil
}

// Values returns the item values of envelopes.
func (s *Service) Values(ctx context.Context, ids []uuid.UUID, keys []string) (map[uuid.UUID]item.Values, error) {
	rows, err := s.store.EnvelopesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[uuid.UUID]item.Values, len(rows))
	for _, row := range rows {
		found[row.ID], err = item.ValuesOf(map[string]any{
			"subject": row.Subject, "state": row.State, "reason": row.Reason, "source": row.Source, "created_at": row.CreatedAt,
			"sent_at": row.SentAt, "completed_at": row.CompletedAt,
		}, keys)
		if err != nil {
			return nil, err
		}
	}

	return found, nil
}
