package modeling

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
)

const (
	// indexBatch is how many records are indexed in one transaction.
	indexBatch = 200
	// BuildTime is how long the job runs at most. A larger module takes it several attempts, and each
	// passes over what is done.
	BuildTime = 9 * time.Minute
)

// BuildIndex is the job that copies the values of a field into its slot, and its words into the index of
// words, for the records that were written before the field had them; or takes its words out of it.
type BuildIndex struct {
	Module uuid.UUID `json:"module"`
	Field  uuid.UUID `json:"field"`
	// Since is the revision of the module from which on writes fill the slot.
	Since int64 `json:"since"`
	// Words says that the job is for the words.
	Words bool `json:"words,omitempty"`
}

// Kind implements jobs.Args.
func (BuildIndex) Kind() string { return "custom_modules.build_index" }

// index keeps what giveSlot has decided about a field of a module that is there: which slots were used
// and, if records may have to be indexed, the job that does it.
func (s *Service) index(ctx context.Context, module definition.ModuleRow, row definition.FieldRow) error {
	if row.Slot == nil {
		return nil
	}
	if err := s.repo.SetUsedSlots(ctx, module); err != nil || row.SlotReady {
		return err
	}

	return s.Jobs.Enqueue(ctx, BuildIndex{Module: row.ModuleID, Field: row.ID, Since: *row.SlotSince})
}

// ReindexWords has the words of a module's records written anew.
func (s *Service) ReindexWords(ctx context.Context, module definition.ModuleRow, field uuid.UUID) error {
	return s.Jobs.Enqueue(ctx, BuildIndex{Module: module.ID, Field: field, Since: module.Revision, Words: true})
}

// Build does such a job. It goes through the module once, by id: what is written meanwhile is written
// with the slot. After an interruption it begins anew, and passes over what is done.
func (s *Service) Build(ctx context.Context, job BuildIndex) error {
	if err := s.records.AwaitWriters(ctx); err != nil {
		return fmt.Errorf("index of field %s: %w", job.Field, err)
	}
	last := uuid.Nil
	for {
		next, err := s.buildSome(ctx, job, last)
		if errors.Is(err, definition.ErrModuleNotFound) || errors.Is(err, definition.ErrFieldNotFound) {
			return nil // nobody needs the index any more
		}
		if err != nil {
			return fmt.Errorf("index of field %s: %w", job.Field, err)
		}
		if next == uuid.Nil {
			return nil
		}
		last = next
	}
}

// buildSome indexes the records after one, and returns the last of them; uuid.Nil when there are no more,
// and then the index is ready.
func (s *Service) buildSome(ctx context.Context, job BuildIndex, after uuid.UUID) (last uuid.UUID, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		last = uuid.Nil
		if err := s.repo.Hold(ctx, job.Module); err != nil {
			return err
		}
		d, err := s.definitions.Load(ctx, job.Module)
		if err != nil {
			return err
		}
		if d.Item() != "" {
			last, err = s.followRows(ctx, d, job, after)

			return err
		}
		rows, err := s.repo.Unindexed(ctx, job.Module, job.Since, after, indexBatch)
		if err != nil {
			return err
		}
		for _, row := range rows {
			last = row.ID
			made, err := s.recompute(ctx, d, row)
			if err != nil {
				return err
			}
			if err := s.Fill(ctx, d, row, made); err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil || last != uuid.Nil {
		return last, err
	}

	return uuid.Nil, s.finishIndex(ctx, job)
}

// Fill leaves everything to be kept anew that queries find a record by, unless the record has another version or
// other rollups by then. It counts as written by the definition from then on, so the jobs that build indexes pass
// over it: no part may be left out.
func (s *Service) Fill(ctx context.Context, d *definition.Definition, row definition.RecordRow, made definition.Draft) error {
	if err := s.repo.SetSlots(ctx, row, d.Revision, made.Keys); err != nil { // holds the record
		return err
	}
	if err := s.repo.SetIndexedAt(ctx, row, made.Overflow, d.OverflowFields()); err != nil {
		return err
	}

	return s.repo.SetWordsAt(ctx, row, d.Words(made.Document))
}

// finishIndex lets queries go by the index, unless the field has been given another one meanwhile.
func (s *Service) finishIndex(ctx context.Context, job BuildIndex) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.repo.Advance(ctx, job.Module, s.records.Change(ctx)); err != nil {
			return err
		}
		row, err := s.repo.Field(ctx, job.Module, job.Field)
		if err != nil {
			return err
		}
		if row.SlotSince != nil && *row.SlotSince == job.Since {
			row.SlotReady = true
		}
		if row.SearchSince != nil && *row.SearchSince == job.Since {
			row.SearchReady = true
		}

		return s.repo.UpdateField(ctx, row)
	})
}
