package custommodules

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func (s *service) listDeletedRecords(ctx context.Context, module, view uuid.UUID, in *list.Input) (*list.Output[records.Record], error) {
	if view != uuid.Nil {
		return nil, definition.ErrInvalidRecord.WithField("view", "A view does not show deleted records: send either view or deleted.")
	}
	var answer *list.Output[records.Record]
	err := s.definitions.Use(ctx, module, func(ctx context.Context, d *definition.Definition) error {
		q, err := in.Parse(ctx, d.DeletedList())
		if err != nil {
			return err
		}
		page, err := s.repo.DeletedRecordsOf(ctx, module, q)
		if err != nil {
			return err
		}
		if err := s.records.ConfirmUnchanged(ctx, d, page.Data); err != nil {
			return err
		}
		answer = list.Answer(q, list.Convert(page, func(row definition.RecordRow) records.Record { return records.ShownOf(d, row) }))

		return nil
	})

	return answer, err
}

func (s *service) getDeletedRecord(ctx context.Context, in *getRecordInput) (*web.Resource[records.Record], error) {
	if in.Version != 0 || !in.AsOf.IsZero() {
		return nil, definition.ErrInvalidRecord.WithField("deleted", "`deleted` cannot be combined with `version` or `as_of`.")
	}
	read, err := s.records.ReadDeleted(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	answer := read.Resource()
	if in.Expand == "" {
		return answer, nil
	}

	return answer, s.records.EmbedOne(ctx, read, in.Expand, &answer.Body)
}
