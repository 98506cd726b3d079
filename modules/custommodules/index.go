package custommodules

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// indexState says whether queries may go by the index of a field.
type indexState string

const (
	noIndex       indexState = "none"
	indexBuilding indexState = "building"
	indexReady    indexState = "ready"
)

func (f fieldRow) indexState() indexState {
	switch {
	case f.Slot == nil:
		return noIndex
	case f.SlotReady:
		return indexReady
	default:
		return indexBuilding
	}
}

func (f fieldRow) searchState() indexState {
	switch {
	case !f.Searchable:
		return noIndex
	case f.SearchReady:
		return indexReady
	default:
		return indexBuilding
	}
}

const (
	// indexBatch is how many records are indexed in one transaction.
	indexBatch = 200
	// buildTime is how long the job runs at most. A larger module takes it several attempts, and each
	// passes over what is done.
	buildTime = 9 * time.Minute
)

// buildIndex is the job that copies the values of a field into its slot, and its words into the index of
// words, for the records that were written before the field had them; or takes its words out of it.
type buildIndex struct {
	Module uuid.UUID `json:"module"`
	Field  uuid.UUID `json:"field"`
	// Since is the revision of the module from which on writes fill the slot.
	Since int64 `json:"since"`
	// Words says that the job is for the words.
	Words bool `json:"words,omitempty"`
}

// Kind implements jobs.Args.
func (buildIndex) Kind() string { return "custom_modules.build_index" }

// index keeps what giveSlot has decided about a field of a module that is there: which slots were used
// and, if records may have to be indexed, the job that does it.
func (s *service) index(ctx context.Context, module moduleRow, row fieldRow) error {
	if row.Slot == nil {
		return nil
	}
	if err := s.repo.setUsedSlots(ctx, module); err != nil || row.SlotReady {
		return err
	}

	return s.jobs.Enqueue(ctx, buildIndex{Module: row.ModuleID, Field: row.ID, Since: *row.SlotSince})
}

// reindexWords has the words of a module's records written anew.
func (s *service) reindexWords(ctx context.Context, module moduleRow, field uuid.UUID) error {
	return s.jobs.Enqueue(ctx, buildIndex{Module: module.ID, Field: field, Since: module.Revision, Words: true})
}

// build does such a job. It goes through the module once, by id: what is written meanwhile is written
// with the slot. After an interruption it begins anew, and passes over what is done.
func (s *service) build(ctx context.Context, job buildIndex) error {
	if err := s.awaitWriters(ctx); err != nil {
		return fmt.Errorf("index of field %s: %w", job.Field, err)
	}
	last := uuid.Nil
	for {
		next, err := s.buildSome(ctx, job, last)
		if errors.Is(err, errModuleNotFound) || errors.Is(err, errFieldNotFound) {
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
func (s *service) buildSome(ctx context.Context, job buildIndex, after uuid.UUID) (last uuid.UUID, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		last = uuid.Nil
		if err := s.repo.hold(ctx, job.Module); err != nil {
			return err
		}
		d, err := s.definitions.load(ctx, job.Module)
		if err != nil {
			return err
		}
		if d.item() != "" {
			last, err = s.followRows(ctx, d, job, after)

			return err
		}
		rows, err := s.repo.unindexed(ctx, job.Module, job.Since, after, indexBatch)
		if err != nil {
			return err
		}
		for _, row := range rows {
			last = row.ID
			made, err := s.recompute(ctx, d, row)
			if err != nil {
				return err
			}
			if err := s.fill(ctx, d, row, made); err != nil {
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

// fill leaves everything to be kept anew that queries find a record by, unless the record has another version or
// other rollups by then. It counts as written by the definition from then on, so the jobs that build indexes pass
// over it: no part may be left out.
func (s *service) fill(ctx context.Context, d *definition, row recordRow, made draft) error {
	if err := s.repo.setSlots(ctx, row, d.revision, made.keys); err != nil { // holds the record
		return err
	}
	if err := s.repo.setIndexedAt(ctx, row, made.overflow, d.overflowFields()); err != nil {
		return err
	}

	return s.repo.setWordsAt(ctx, row, d.words(made.document))
}

// finishIndex lets queries go by the index, unless the field has been given another one meanwhile.
func (s *service) finishIndex(ctx context.Context, job buildIndex) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.repo.advance(ctx, job.Module, s.change(ctx)); err != nil {
			return err
		}
		row, err := s.repo.field(ctx, job.Module, job.Field)
		if err != nil {
			return err
		}
		if row.SlotSince != nil && *row.SlotSince == job.Since {
			row.SlotReady = true
		}
		if row.SearchSince != nil && *row.SearchSince == job.Since {
			row.SearchReady = true
		}

		return s.repo.updateField(ctx, row)
	})
}
