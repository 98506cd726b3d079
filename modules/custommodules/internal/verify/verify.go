package verify

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// verifyBatch is how many records are read at once.
const verifyBatch = 500

// Finding is a place where what is kept of a company's records disagrees with itself.
type Finding struct {
	Company uuid.UUID
	Module  uuid.UUID
	Record  uuid.UUID
	Kind    FindingKind
	// Field is the key of a field, "" where none is concerned.
	Field string
	// Problem is a whole sentence. It repeats no value of a record.
	Problem string
	// Mended says that it has been put right.
	Mended bool
}

// FindingKind says what is wrong.
type FindingKind string

const (
	// wrongDocument is a document that is no JSON object, or holds a value that its field cannot read.
	wrongDocument FindingKind = "document"
	wrongSlot     FindingKind = "slot"
	// wrongIndex is a row of custom_modules_index that is missing, or has not the value of the document.
	wrongIndex  FindingKind = "index"
	wrongUnique FindingKind = "unique"
	wrongLink   FindingKind = "link"
	// wrongReference is a reference of a record that is there to one that is not. Restoring a module
	// may leave some: the records that its own point at may have been deleted meanwhile.
	wrongReference FindingKind = "reference"
	wrongHistory   FindingKind = "history"
	wrongRevision  FindingKind = "revision"
	// WrongWords is what a record is found by that is not in it, or the reverse.
	WrongWords FindingKind = "words"
	// WrongUsage is a number of records that is not what there are.
	WrongUsage FindingKind = "usage"
	// WrongRollup is a rollup that is not what the records that refer to the record come to, and not marked.
	WrongRollup FindingKind = "rollup"
	// WrongLookup is a lookup that is not what the record has which the record names, and not marked.
	WrongLookup FindingKind = "lookup"
	// WrongMark is a mark that no job has seen to in unseenFor.
	WrongMark FindingKind = "mark"
	// orphan is what is kept of a record that never was, or is gone for good.
	orphan FindingKind = "orphan"
)

// Verify compares everything that is derived from the documents of records with the documents, as the
// present definitions of their modules read them, and reports where they disagree: for one company, or
// with uuid.Nil for all. It may run while records change, and holds a record only to make sure of what
// seems to be wrong with it. It returns how many records it has read.
func (s *Service) Verify(ctx context.Context, company uuid.UUID, report func(Finding)) (records int64, err error) {
	return s.verifyAll(ctx, company, verification{service: s, report: report})
}

// Repair is verify that also mends what is kept beside the documents to count records and to find them by
// their words, and computes the rollups and lookups that wait for it.
func (s *Service) Repair(ctx context.Context, company uuid.UUID, report func(Finding)) (records int64, err error) {
	return s.verifyAll(ctx, company, verification{service: s, report: report, repair: true})
}

func (s *Service) verifyAll(ctx context.Context, company uuid.UUID, as verification) (records int64, err error) {
	companies := []uuid.UUID{company}
	if company == uuid.Nil {
		if companies, err = s.repo.Companies(ctx); err != nil {
			return 0, err
		}
	}
	for _, id := range companies {
		v := as
		v.company = id
		if err := v.run(principal.With(ctx, principal.ForCompany(id))); err != nil {
			return records, fmt.Errorf("company %s: %w", id, err)
		}
		records += v.records
	}

	return records, nil
}

// verification is the work of verify for one company.
type verification struct {
	service *Service

	company uuid.UUID
	report  func(Finding)
	repair  bool
	records int64
}

func (v *verification) run(ctx context.Context) error {
	modules, err := v.service.repo.EveryModule(ctx)
	if err != nil {
		return err
	}
	for _, module := range modules {
		if err := v.module(ctx, module); err != nil {
			return fmt.Errorf("module %s: %w", module, err)
		}
		if err := v.usage(ctx, module); err != nil {
			return fmt.Errorf("usage of module %s: %w", module, err)
		}
	}
	if err := v.checkOrphanUsage(ctx); err != nil {
		return err
	}
	if err := v.marks(ctx); err != nil {
		return err
	}
	for _, table := range store.PartTables {
		if err := v.orphans(ctx, table); err != nil {
			return err
		}
	}

	return nil
}

// module goes through the records of a module by their ids.
func (v *verification) module(ctx context.Context, module uuid.UUID) error {
	last := uuid.Nil
	for {
		rows, err := v.service.repo.Verifiable(ctx, module, last, verifyBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		found, err := v.examine(ctx, module, rows)
		if err != nil {
			return err
		}
		if err := v.makeSure(ctx, module, found); err != nil {
			return err
		}
		last = rows[len(rows)-1].ID
		v.records += int64(len(rows))
	}
}

// makeSure looks again at the records with which something seems to be wrong, and keeps them as they
// are meanwhile: they may have changed between two statements.
func (v *verification) makeSure(ctx context.Context, module uuid.UUID, suspects []Finding) error {
	seen := map[uuid.UUID]bool{}
	for _, suspect := range suspects {
		if seen[suspect.Record] {
			continue
		}
		seen[suspect.Record] = true
		var found []Finding
		err := v.service.db.InTx(ctx, func(ctx context.Context) error {
			if err := v.service.repo.HoldAny(ctx, module); err != nil {
				return err
			}
			rows, err := v.service.repo.VerifiableHeld(ctx, suspect.Record)
			if err != nil {
				return err
			}
			if found, err = v.examine(ctx, module, rows); err != nil || !v.repair {
				return err
			}

			return v.repairWords(ctx, module, rows, found)
		})
		if err != nil {
			return err
		}
		for _, f := range found {
			v.report(f)
		}
	}

	return nil
}

// orphans finds what a table keeps of records that are not there, deleted or not.
func (v *verification) orphans(ctx context.Context, table string) error {
	last := uuid.Nil
	for {
		ids, err := v.service.repo.Orphans(ctx, table, last, verifyBatch)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			v.report(Finding{Company: v.company, Record: id, Kind: orphan, Problem: "The table " + table + " has rows of a record that is not there."})
		}
		last = ids[len(ids)-1]
	}
}
