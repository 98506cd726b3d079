package records

import (
	"context"
	"fmt"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/web"
)

// roomForRecord returns ErrTooManyRecords if the company may have no more records.
func (s *Service) roomForRecord(ctx context.Context) error { return s.roomForRecords(ctx, 1) }

// roomForRecords is roomForRecord for some more.
func (s *Service) roomForRecords(ctx context.Context, more int) error {
	if s.settings.MaxRecords == 0 || more == 0 {
		return nil
	}
	count, err := s.meter.Records(ctx)
	if err == nil && count+int64(more) > int64(s.settings.MaxRecords) {
		err = definition.ErrTooManyRecords.
			WithMessage("The company has %d records, and %d are allowed.", count, s.settings.MaxRecords).
			WithDetail("used", count).WithDetail("limit", s.settings.MaxRecords)
	}
	if err == nil {
		web.SetHeader(ctx, "Limits", fmt.Sprintf("records;used=%d;limit=%d", count+int64(more), s.settings.MaxRecords))
	}

	return err
}
