package custommodules

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/views"
	"github.com/dispatchd/dispatchd/platform/audit"
)

// recordView tells of a view that was made, changed or deleted; before is the zero row for a new one, after for
// one that is gone.
func (s *service) recordView(ctx context.Context, d *definition, before, after viewRow) error {
	action, id := "custom_modules.view.updated", after.ID
	switch uuid.Nil {
	case before.ID:
		action = "custom_modules.view.created"
	case after.ID:
		action, id = "custom_modules.view.deleted", before.ID
	}
	changes := map[string]audit.Change{}
	add(changes, "name", before.Name, after.Name)
	add(changes, "shared", before.shared(), after.shared())
	was, err := before.trail(d)
	if err != nil {
		return err
	}
	is, err := after.trail(d)
	if err != nil {
		return err
	}
	for key, change := range map[string]audit.Change{
		"filter": {Before: was.Filter, After: is.Filter}, "sort": {Before: was.Sort, After: is.Sort}, "columns": {Before: was.Columns, After: is.Columns},
	} {
		if !reflect.DeepEqual(change.Before, change.After) {
			changes[key] = change
		}
	}

	return s.audit.Record(ctx, audit.Entry{Action: action, Item: audit.Item{Type: "custom_modules.view", UUID: id}, Changes: changes})
}

func (v viewRow) shared() bool { return v.ID != uuid.Nil && v.OwnerID == nil }

// sensitiveValue stands for what a view compares a sensitive field with, or one that is gone and may have been.
const sensitiveValue = "(not kept)"

// trail is what a view says, by the ids of fields, without values of sensitive ones.
func (v viewRow) trail(d *definition) (views.Content, error) {
	var kept views.Content
	if v.ID == uuid.Nil {
		return kept, nil
	}
	if err := json.Unmarshal(v.Content, &kept); err != nil {
		return kept, fmt.Errorf("view %s: %w", v.ID, err)
	}
	for i, condition := range kept.Filter {
		id, err := uuid.Parse(condition.Field)
		if err != nil {
			continue // what every record has
		}
		if f := d.fieldByID(id); f == nil || f.sensitive {
			kept.Filter[i].Value = sensitiveValue
		}
	}

	return kept, nil
}
