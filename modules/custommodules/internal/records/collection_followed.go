package records

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/collection"
)

// Events implements collection.Followed.
func (moduleCollections) Events() []string {
	return []string{
		custommodulesapi.RecordCreated{}.EventName(), custommodulesapi.RecordUpdated{}.EventName(),
		custommodulesapi.RecordDeleted{}.EventName(), custommodulesapi.RecordRestored{}.EventName(),
		custommodulesapi.RecordsChanged{}.EventName(),
		custommodulesapi.ModuleUpdated{}.EventName(), custommodulesapi.ModuleDeleted{}.EventName(),
		custommodulesapi.ModuleRestored{}.EventName(),
	}
}

// whatOf says what an event of the area tells of a module.
func whatOf(event string) collection.What {
	switch event {
	case custommodulesapi.RecordCreated{}.EventName():
		return collection.Created
	case custommodulesapi.RecordUpdated{}.EventName():
		return collection.Updated
	case custommodulesapi.RecordDeleted{}.EventName():
		return collection.Deleted
	case custommodulesapi.RecordRestored{}.EventName():
		return collection.Restored
	case custommodulesapi.RecordsChanged{}.EventName():
		return collection.AllRows
	default:
		return collection.Around
	}
}

// ReadEvent implements collection.Followed.
func (moduleCollections) ReadEvent(event string, payload []byte) (collection.EventContent, error) {
	var about custommodulesapi.RecordUpdated // the others have less
	if err := json.Unmarshal(payload, &about); err != nil {
		return collection.EventContent{}, fmt.Errorf("%s: %w", event, err)
	}
	told := collection.EventContent{Collection: collection.Name(about.Module), What: whatOf(event), Version: about.Version, Changed: about.Changed}
	if about.Record.Record == "" {
		return told, nil
	}
	var err error
	told.Row, err = uuid.Parse(about.Record.Record)

	return told, err
}

// Now implements collection.Followed.
func (m moduleCollections) Now(ctx context.Context, name collection.Name) (collection.Present, error) {
	id, err := uuid.Parse(string(name))
	if err != nil {
		return nil, nil //nolint:nilnil,nilerr // there is none of that name
	}
	def, err := m.service.definitions.Current(ctx, id)
	if errors.Is(err, definition.ErrModuleNotFound) {
		return nil, nil //nolint:nilnil // it is gone
	}

	return currentModule{def}, err
}

// Rows implements collection.Followed.
func (m moduleCollections) Rows(ctx context.Context, name collection.Name, ids []uuid.UUID) (map[uuid.UUID]collection.Shown, error) {
	asked := map[uuid.UUID]bool{}
	for _, id := range ids {
		asked[id] = true
	}
	rows, _, err := m.service.repo.RecordsNamed(ctx, asked, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	all := map[uuid.UUID]collection.Shown{}
	for _, row := range rows {
		if definition.CollectionOf(row.ModuleID) == name {
			all[row.ID] = shownRecord(row)
		}
	}

	return all, nil
}

type currentModule struct{ definition *definition.Definition }

// Readable implements collection.Present.
func (m currentModule) Readable(ctx context.Context) bool {
	return m.definition.Permissions.Allow(ctx, definition.MayRead)
}

// Sees implements collection.Present.
func (m currentModule) Sees(ctx context.Context) collection.Sight {
	return seenModule{m.definition.SeenBy(ctx)}
}

// MayKnowOf implements collection.Present: who reads a module reads all of its records.
func (currentModule) MayKnowOf(context.Context, collection.EventContent) (bool, error) {
	return true, nil
}

type seenModule struct{ definition *definition.Definition }

// Shows implements collection.Sight. A key without a field may have been that of a sensitive one.
func (s seenModule) Shows(key string) bool {
	return len(s.definition.Withheld) == 0 || s.definition.Field(key) != nil
}

type shownRecord definition.RecordRow

// As implements collection.Shown.
func (r shownRecord) As(s collection.Sight) (json.RawMessage, error) {
	seen, ok := s.(seenModule)
	if !ok {
		return nil, errors.New("the viewer belongs to another collection")
	}

	return json.Marshal(ShownOf(seen.definition, definition.RecordRow(r)))
}
