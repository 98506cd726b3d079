package custommodules

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// deletedList is what a list of the deleted records of a module may be asked for.
func (d *definition) deletedList() list.Schema {
	return list.Schema{
		ID: list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true},
		Fields: []list.Field{
			{Name: "deleted_at", Expr: "deleted_at", Kind: list.Time, Sortable: true, Filterable: true},
		},
		DefaultSort: []string{"-deleted_at"},
		Keys:        append([]string{"deleted_at"}, d.schema.Keys...),
	}
}

func (s *service) listDeletedRecords(ctx context.Context, module, view uuid.UUID, in *list.Input) (*list.Output[record], error) {
	if view != uuid.Nil {
		return nil, errInvalidRecord.WithField("view", "A view is of records that are there: it does not go with deleted.")
	}
	var answer *list.Output[record]
	err := s.definitions.use(ctx, module, func(ctx context.Context, d *definition) error {
		q, err := in.Parse(ctx, d.deletedList())
		if err != nil {
			return err
		}
		page, err := s.repo.deletedRecordsOf(ctx, module, q)
		if err != nil {
			return err
		}
		if err := s.confirm(ctx, d, page.Data); err != nil {
			return err
		}
		answer = list.Answer(q, list.Convert(page, func(row recordRow) record { return d.show(row) }))

		return nil
	})

	return answer, err
}

// readDeleted returns a record that is deleted, as it was last, or errRecordNotFound.
func (s *service) readDeleted(ctx context.Context, id uuid.UUID) (stored, error) {
	row, err := s.repo.deletedRecord(ctx, id)
	if err != nil {
		return stored{}, err
	}
	read := stored{recordRow: row}
	err = s.definitions.usePresent(ctx, row.ModuleID, func(_ context.Context, d *definition) error {
		read.definition = d

		return nil
	})
	if errors.Is(err, errModuleNotFound) {
		err = errRecordNotFound
	}

	return read, err
}

func (s *service) getDeletedRecord(ctx context.Context, in *getRecordInput) (*web.Resource[record], error) {
	if in.Version != 0 || !in.AsOf.IsZero() {
		return nil, errInvalidRecord.WithField("deleted", "The deleted goes neither with the version nor with the as of.")
	}
	read, err := s.readDeleted(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	answer := read.resource()
	if in.Expand == "" {
		return answer, nil
	}

	return answer, s.embedOne(ctx, read, in.Expand, &answer.Body)
}
