package exchange

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// status is where an import is.
type status string

const (
	ready       status = "ready"
	checking    status = "checking"
	running     status = "running"
	completed   status = "completed"
	cancelled   status = "cancelled"
	stopped     status = "stopped"
	undoing     status = "undoing"
	undone      status = "undone"
	undoStopped status = "undo_stopped"
)

// atWork reports whether a worker has the import.
func (s status) atWork() bool { return s == checking || s == running || s == undoing }

// importItem is the type of imports.
const importItem = "custom_modules.import"

// The verbs that the service takes by itself.
const (
	verbReport   = "report"
	verbComplete = "complete"
	verbStop     = "stop"
	verbTookBack = "take_back"
)

// Lifecycle is the life of an import.
func Lifecycle() state.Machine[status] {
	service := state.Who{Kinds: []principal.Kind{principal.System}}

	return state.Machine[status]{
		Item: importItem, Initial: ready, Final: []status{undone},
		Steps: []state.Step[status]{
			{From: []status{ready}, Verb: "dry_run", To: checking},
			{From: []status{checking}, Verb: verbReport, To: ready, Who: service},
			{From: []status{ready}, Verb: "start", To: running},
			{From: []status{running}, Verb: verbComplete, To: completed, Who: service},
			{From: []status{ready, running}, Verb: "cancel", To: cancelled},
			{From: []status{checking}, Verb: "cancel", To: ready},
			{From: []status{cancelled, stopped}, Verb: "resume", To: running},
			{From: []status{running}, Verb: verbStop, To: stopped, Who: service},
			{From: []status{checking}, Verb: verbStop, To: ready, Who: service},
			{From: []status{completed, cancelled, stopped, undoStopped}, Verb: "undo", To: undoing},
			{From: []status{undoing}, Verb: verbTookBack, To: undone, Who: service},
			{From: []status{undoing}, Verb: verbStop, To: undoStopped, Who: service},
		},
	}
}

// current implements state.Handlers.
func (m *Importer) current(ctx context.Context, id uuid.UUID) (status, any, error) {
	row, _, err := m.visible(ctx, id)

	return row.State, row, err
}

// move implements state.Handlers: a step that the caller takes.
func (m *Importer) move(ctx context.Context, move state.Move, match web.IfMatch) (*web.Resource[importBody], error) {
	seen, table, err := m.visible(ctx, move.UUID)
	if err != nil {
		return nil, err
	}
	if move.Verb != "cancel" {
		if err := m.reader.MayWrite(ctx, seen.ModuleID); err != nil {
			return nil, err
		}
	}
	var row importRow
	err = m.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = m.repo.hold(ctx, move.UUID); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		from := row.State
		move.Thing = row
		if row.State, err = Lifecycle().Apply(ctx, m.states, row.State, move); err != nil {
			return err
		}
		if row.State.atWork() {
			if err := row.checkFor(row.State, table); err != nil {
				return err
			}
			row.begin(ctx, from)
			if err := m.repo.forgetKeys(ctx, row.ID); err != nil {
				return err
			}
			if err := m.work(ctx, &row); err != nil {
				return err
			}
		}
		row.Version++
		row.UpdatedAt = m.clock.Now()

		return m.repo.save(ctx, &row)
	})
	if err != nil {
		return nil, err
	}

	return row.resource(table), nil
}

// begin makes an import ready for the work of its state.
func (row *importRow) begin(ctx context.Context, from status) {
	row.Actor = actorOf(ctx)
	row.Problem = ""
	switch {
	case row.State == checking:
		row.Trial, row.TrialNext = &trial{}, 0
	case row.State == undoing && from != undoStopped:
		row.UndoNext = row.Next
	}
}

// work has the import worked on, by a worker that is new to it.
func (m *Importer) work(ctx context.Context, row *importRow) error {
	row.Claims, row.Beat, row.Runner = 0, m.clock.Now(), uuid.Nil

	return m.jobs.Enqueue(ctx, workArgs{Import: row.ID})
}

// step takes a step of the service's own, in the transaction in ctx.
func (m *Importer) step(ctx context.Context, row *importRow, verb, problem string) (err error) {
	row.State, err = Lifecycle().Apply(m.asService(ctx), m.states, row.State, state.Move{Verb: verb, UUID: row.ID})
	row.Problem = problem
	row.Version++
	row.UpdatedAt = m.clock.Now()

	return err
}

func (m *Importer) asService(ctx context.Context) context.Context {
	caller, _ := principal.From(ctx)

	return principal.With(ctx, principal.ForCompany(caller.Company))
}
