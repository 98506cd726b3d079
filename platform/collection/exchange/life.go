package exchange

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Status is where an import is.
type Status string

const (
	ready       Status = "ready"
	checking    Status = "checking"
	running     Status = "running"
	completed   Status = "completed"
	cancelled   Status = "cancelled"
	stopped     Status = "stopped"
	undoing     Status = "undoing"
	undone      Status = "undone"
	undoStopped Status = "undo_stopped"
)

// atWork reports whether a worker has the import.
func (s Status) atWork() bool { return s == checking || s == running || s == undoing }

// itemOf is the type of imports into the collections of an area, as an item.
func itemOf(area string) string { return area + ".import" }

// The verbs that the service takes by itself.
const (
	verbReport   = "report"
	verbComplete = "complete"
	verbStop     = "stop"
	verbTookBack = "take_back"
)

// Lifecycle is the life of an import into a collection of an area.
func Lifecycle(area string) state.Machine[Status] {
	service := state.Who{Kinds: []principal.Kind{principal.System}}

	return state.Machine[Status]{
		Item: itemOf(area), Initial: ready, Final: []Status{undone},
		Steps: []state.Step[Status]{
			{From: []Status{ready}, Verb: "dry_run", To: checking},
			{From: []Status{checking}, Verb: verbReport, To: ready, Who: service},
			{From: []Status{ready}, Verb: "start", To: running},
			{From: []Status{running}, Verb: verbComplete, To: completed, Who: service},
			{From: []Status{ready, running}, Verb: "cancel", To: cancelled},
			{From: []Status{checking}, Verb: "cancel", To: ready},
			{From: []Status{cancelled, stopped}, Verb: "resume", To: running},
			{From: []Status{running}, Verb: verbStop, To: stopped, Who: service},
			{From: []Status{checking}, Verb: verbStop, To: ready, Who: service},
			{From: []Status{completed, cancelled, stopped, undoStopped}, Verb: "undo", To: undoing},
			{From: []Status{undoing}, Verb: verbTookBack, To: undone, Who: service},
			{From: []Status{undoing}, Verb: verbStop, To: undoStopped, Who: service},
		},
	}
}

// move takes a step of the caller's.
func (m *Importer) move(ctx context.Context, move state.Move, match web.IfMatch) (Import, error) {
	seen, table, err := m.visible(ctx, move.UUID)
	if err != nil {
		return Import{}, err
	}
	if move.Verb != "cancel" {
		if _, err := m.openToWrite(ctx, seen.Collection); err != nil {
			return Import{}, err
		}
	}
	var row importRow
	err = m.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = m.repo.findForUpdate(ctx, move.UUID); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		from := row.State
		move.Thing, move.Part = row, row.Part
		if row.State, err = Lifecycle(row.Area).Apply(ctx, m.states, row.State, move); err != nil {
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
			if err := m.enqueue(ctx, &row); err != nil {
				return err
			}
		}
		row.Version++
		row.UpdatedAt = m.clock.Now()

		return m.repo.save(ctx, &row)
	})
	if err != nil {
		return Import{}, err
	}

	return row.shown(table), nil
}

// begin makes an import ready for the work of its state.
func (row *importRow) begin(ctx context.Context, from Status) {
	row.Actor = actorOf(ctx)
	row.Problem = ""
	switch {
	case row.State == checking:
		row.Trial, row.TrialNext = &trial{}, 0
	case row.State == undoing && from != undoStopped:
		row.UndoNext = row.Next
	}
}

// enqueue has the import worked on, by a worker that is new to it.
func (m *Importer) enqueue(ctx context.Context, row *importRow) error {
	row.Claims, row.Beat, row.Runner = 0, m.clock.Now(), uuid.Nil

	return m.jobs.Enqueue(ctx, workArgs{Import: row.ID})
}

// step takes a step of the service's own, in the transaction in ctx.
func (m *Importer) step(ctx context.Context, row *importRow, verb, problem string) (err error) {
	row.State, err = Lifecycle(row.Area).Apply(m.asService(ctx), m.states, row.State, state.Move{Verb: verb, UUID: row.ID, Part: row.Part})
	row.Problem = problem
	row.Version++
	row.UpdatedAt = m.clock.Now()

	return err
}

func (m *Importer) asService(ctx context.Context) context.Context {
	caller, _ := principal.From(ctx)

	return principal.With(ctx, principal.ForCompany(caller.Company))
}
