package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// workTime is how long a job of an import may run. It gives way to a next one before.
	workTime = 9 * time.Minute
	workFor  = 8 * time.Minute
	// mostClaims is how many workers in a row may fail at the same part of a file.
	mostClaims = 10
)

// workArgs is the job that works on an import: what there is to do, its state says.
type workArgs struct {
	Import uuid.UUID `json:"import"`
}

// Kind implements jobs.Args.
func (workArgs) Kind() string { return "collection.import" }

// errOver says that there is nothing more to do for this worker.
var errOver = errors.New("the import is finished, or another process works on it")

// runJob does a job, a chunk at a time. After an interruption, whoever takes the import on goes on behind the
// last chunk that was committed.
func (m *Importer) runJob(ctx context.Context, job workArgs) error {
	me, until := database.NewID(), m.clock.Now().Add(workFor)
	err := m.claim(ctx, job.Import, me)
	for err == nil {
		if m.clock.Now().After(until) {
			return jobs.Later(0)
		}
		err = m.advance(ctx, job.Import, me)
	}
	if errors.Is(err, errOver) || errors.Is(err, ErrImportNotFound) {
		return nil
	}

	return fmt.Errorf("import %s: %w", job.Import, err)
}

// claim makes a worker the one that has an import.
func (m *Importer) claim(ctx context.Context, id, me uuid.UUID) error {
	return m.db.InTx(ctx, func(ctx context.Context) error {
		row, err := m.repo.findForUpdate(ctx, id)
		if err != nil {
			return err
		}
		if !row.State.atWork() {
			return errOver
		}
		row.Runner, row.Beat = me, m.clock.Now()
		if row.Claims++; row.Claims > mostClaims {
			if err := m.step(ctx, &row, verbStop, "The service failed again and again at this part of the file."); err != nil {
				return err
			}
		}

		return m.repo.saveProgress(ctx, &row)
	})
}

// haltError is why nothing of an import can be done at present.
type haltError struct{ refusal *errs.Error }

// Error implements error.
func (h haltError) Error() string { return h.refusal.Error() }

// advance does one chunk. What keeps the import from going on stops it, with nothing of the chunk done.
func (m *Importer) advance(ctx context.Context, id, me uuid.UUID) error {
	err := m.withImport(ctx, id, me, func(ctx context.Context, row *importRow) error {
		switch row.State {
		case checking:
			return m.tryChunk(ctx, row)
		case running:
			return m.runChunk(ctx, row)
		case undoing:
			return m.undoChunk(ctx, row)
		default:
			return errOver
		}
	})
	halt, halted := errors.AsType[haltError](err)
	if !halted {
		return err
	}

	return m.withImport(ctx, id, me, func(ctx context.Context, row *importRow) error {
		return m.step(ctx, row, verbStop, halt.refusal.Message+columnMessages(halt.refusal))
	})
}

// columnMessages are the messages of a refusal about columns.
func columnMessages(refusal *errs.Error) string {
	var all []string
	for _, messages := range refusal.Fields {
		all = append(all, messages...)
	}
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)

	return readers.Truncate(" "+strings.Join(all, " "), longestProblem)
}

// withImport runs work on an import in a transaction in which a worker has it, and stores it.
func (m *Importer) withImport(ctx context.Context, id, me uuid.UUID, work func(context.Context, *importRow) error) error {
	return m.db.InTx(ctx, func(ctx context.Context) error {
		row, err := m.repo.findForUpdate(ctx, id)
		if err != nil {
			return err
		}
		if !row.State.atWork() || row.Runner != me {
			return errOver
		}
		if err := work(ctx, &row); err != nil {
			return err
		}
		row.Claims, row.Beat = 0, m.clock.Now()

		return m.repo.saveProgress(ctx, &row)
	})
}

// writing returns a context in which who started an import is calling, and how its rows become records now.
// Both hold until the transaction ends.
func (m *Importer) writing(ctx context.Context, row *importRow) (context.Context, *plan, error) {
	acting, err := m.acting(ctx, row)
	if err != nil {
		return nil, nil, haltOn(err)
	}
	into, table, err := m.holdCollection(acting, row.Collection)
	if err != nil {
		return nil, nil, haltOn(err)
	}
	p, err := planOf(row, into, table)
	if err != nil {
		return nil, nil, haltOn(err)
	}
	p.lookup = lookup{collections: m.collections, people: m.people}

	return acting, p, nil
}

// holdCollection returns a collection with the fields that the caller may write; both hold until the transaction ends.
func (m *Importer) holdCollection(ctx context.Context, name collection.Name) (collection.Collection, described, error) {
	into, err := m.collections.Open(ctx, name, collection.Write)
	if err != nil {
		return nil, described{}, err
	}
	d, err := into.Hold(ctx)
	if err != nil {
		return nil, described{}, err
	}
	t, err := m.describeIn(ctx, d)

	return into, t, err
}

// haltOn makes a refusal one that stops the import.
func haltOn(err error) error {
	if refusal, ok := errors.AsType[*errs.Error](err); ok && refusal.Kind != errs.Unavailable {
		return haltError{refusal}
	}

	return err
}
