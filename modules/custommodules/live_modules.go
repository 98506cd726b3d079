package custommodules

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/live"
	"github.com/dispatchd/dispatchd/platform/events"
)

// liveModules are the modules of a company for those who listen to changes.
type liveModules struct{ definitions *definitions }

func newHub(bus *events.Bus, d *definitions) *live.Hub { return live.NewHub(bus, liveModules{d}) }

// Current implements live.Modules.
func (m liveModules) Current(ctx context.Context, module uuid.UUID) (live.Module, error) {
	def, err := m.definitions.present(ctx, module)
	if errors.Is(err, errModuleNotFound) {
		return nil, nil //nolint:nilnil // it is gone
	}

	return liveModule{def}, err
}

// present returns the definition of a module as it is in the database now, or errModuleNotFound.
func (d *definitions) present(ctx context.Context, module uuid.UUID) (*definition, error) {
	def, cached, err := d.get(ctx, module)
	if err != nil || !cached {
		return def, err
	}

	return d.newer(ctx, def)
}

// usePresent is use with the definition as it is in the database now: for what stores no records, and would
// not notice that a definition is old.
func (d *definitions) usePresent(ctx context.Context, module uuid.UUID, work func(context.Context, *definition) error) error {
	def, err := d.present(ctx, module)
	if err != nil {
		return err
	}

	return permitted(ctx, def, mayRead, func(ctx context.Context, def *definition) error { return work(ctx, def.seenBy(ctx)) })
}

// Records implements live.Modules.
func (m liveModules) Records(ctx context.Context, module uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]live.Record, error) {
	asked := map[uuid.UUID]bool{}
	for _, id := range ids {
		asked[id] = true
	}
	rows, err := m.definitions.repo.recordsNamed(ctx, asked)
	if err != nil {
		return nil, err
	}
	all := map[uuid.UUID]live.Record{}
	for _, row := range rows {
		if row.ModuleID == module {
			all[row.ID] = liveRecord(row)
		}
	}

	return all, nil
}

type liveModule struct{ *definition }

// Readable implements live.Module.
func (m liveModule) Readable(ctx context.Context) bool { return m.permissions.allow(ctx, mayRead) }

// Sees implements live.Module.
func (m liveModule) Sees(ctx context.Context) live.View { return liveView{m.seenBy(ctx)} }

type liveView struct{ *definition }

// Shows implements live.View. A key that a field does not have any more may have been that of a sensitive one.
func (v liveView) Shows(key string) bool { return len(v.withheld) == 0 || v.field(key) != nil }

type liveRecord recordRow

// As implements live.Record.
func (r liveRecord) As(v live.View) (json.RawMessage, error) {
	view, ok := v.(liveView)
	if !ok {
		return nil, errors.New("a view of something else")
	}

	return json.Marshal(view.show(recordRow(r)))
}
