package records

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// EncodeChanges writes changes for the history.
func EncodeChanges(changes []definition.FieldChange) rawjson.Object {
	out := []byte{'{'}
	for i, c := range changes {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, c.Field.Stored...)
		out = append(out, '{')
		if c.Before != nil {
			out = append(append(out, `"before":`...), c.Before...)
		}
		if c.Before != nil && c.After != nil {
			out = append(out, ',')
		}
		if c.After != nil {
			out = append(append(out, `"after":`...), c.After...)
		}
		out = append(out, '}')
	}

	return append(out, '}')
}

// AsOf returns a record as it was at a version, or ErrVersionNotFound. Fields that are gone by now, and
// what they held, are not shown.
func (s *Service) AsOf(ctx context.Context, id uuid.UUID, version int64) (Stored, error) {
	read, err := s.ReadRecord(ctx, id)
	if err != nil || version == read.Version {
		return read, err
	}
	if version > read.Version {
		return Stored{}, definition.ErrVersionNotFound.WithMessage("The record has %s.", definition.Quantity(read.Version, "version")).
			WithDetail("current_version", read.Version)
	}
	later, err := s.repo.HistoryAfter(ctx, id, version)
	if err != nil {
		return Stored{}, fmt.Errorf("record %s: %w", id, err)
	}
	if read.Data, err = read.Definition.UndoneTo(read.Data, later, version); err != nil {
		return Stored{}, fmt.Errorf("record %s: %w", id, err)
	}
	if len(later) > 0 {
		read.Version = later[len(later)-1].Version - 1
	}

	return read, s.dated(ctx, &read)
}

// dated sets when a version came to be.
func (s *Service) dated(ctx context.Context, r *Stored) error {
	if r.Version == 1 {
		r.UpdatedAt, r.UpdatedBy = r.CreatedAt, r.CreatedBy

		return nil
	}
	row, err := s.repo.HistoryOf(ctx, r.ID, r.Version)
	r.UpdatedAt, r.UpdatedBy = row.At, row.ActorID

	return err
}

// VersionAt returns the version that a record had at a time, or ErrVersionNotFound before it was made.
func (s *Service) VersionAt(ctx context.Context, id uuid.UUID, at time.Time) (int64, error) {
	row, err := s.ReadRecord(ctx, id)
	if err != nil {
		return 0, err
	}
	if at.Before(row.CreatedAt) {
		return 0, definition.ErrVersionNotFound.WithMessage("The record was created at %s.", row.CreatedAt.Format(time.RFC3339Nano)).
			WithDetail("current_version", row.Version)
	}

	return s.repo.VersionAt(ctx, id, at)
}
