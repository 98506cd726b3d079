package messages

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
)

// Describe tells what messages are called, for areas that point to them. Their texts are not part of it.
func (s *Desk) Describe(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	rows, err := s.store.MessagesByID(ctx, ids)
	found := make(map[uuid.UUID]item.Description, len(rows))
	for _, row := range rows {
		found[row.ID] = item.Description{Title: row.Title()}
	}

	return found, err
}

// Fields are the fields of messages that others can show.
func (s *Desk) Fields(context.Context, []string) (map[string][]item.Field, error) {
	return map[string][]item.Field{"": {
		{Key: "direction", Label: "Direction", Kind: kind.Text},
		{Key: "from", Label: "From", Kind: kind.Text},
		{Key: "to", Label: "To", Kind: kind.Text},
		{Key: "body", Label: "Text", Kind: kind.Text, Sensitive: true},
		{Key: "state", Label: "State", Kind: kind.Text},
		{Key: "created_at", Label: "Created", Kind: kind.Time},
	}}, nil
}

// Values are the values of messages by the keys of their fields.
func (s *Desk) Values(ctx context.Context, ids []uuid.UUID, keys []string) (map[uuid.UUID]item.Values, error) {
	rows, err := s.store.MessagesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[uuid.UUID]item.Values, len(rows))
	for _, row := range rows {
		found[row.ID], err = item.ValuesOf(map[string]any{
			"direction": row.Direction, "from": row.Sender, "to": row.Recipient, "body": row.Body, "state": row.State, "created_at": row.CreatedAt,
		}, keys)
		if err != nil {
			return nil, err
		}
	}

	return found, nil
}
