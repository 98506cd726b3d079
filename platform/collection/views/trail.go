package views

import (
	"context"
	"reflect"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/collection"
)

// record tells the trail of a view that was made, changed or deleted; before is the zero row for a new one, after for
// one that is gone.
func (v *Views) record(ctx context.Context, l collection.Listing, before, after viewRow) error {
	item := l.Area + ".view"
	action, id := item+".updated", after.ID
	switch uuid.Nil {
	case before.ID:
		action = item + ".created"
	case after.ID:
		action, id = item+".deleted", before.ID
	}
	was, err := before.trail(l)
	if err != nil {
		return err
	}
	is, err := after.trail(l)
	if err != nil {
		return err
	}
	changes := map[string]audit.Change{}
	for key, change := range map[string]audit.Change{
		"name": {Before: before.Name, After: after.Name}, "shared": {Before: before.shared(), After: after.shared()},
		"filter": {Before: was.Filter, After: is.Filter}, "sort": {Before: was.Sort, After: is.Sort}, "columns": {Before: was.Columns, After: is.Columns},
	} {
		if !reflect.DeepEqual(change.Before, change.After) {
			changes[key] = change
		}
	}

	return v.audit.Record(ctx, audit.Entry{Action: action, Item: audit.Item{Type: item, UUID: id, Part: l.Part}, Changes: changes})
}

func (v viewRow) shared() bool { return v.ID != uuid.Nil && v.OwnerID == nil }

// notKept stands for what a view compares a sensitive field with, or one that is gone and may have been.
const notKept = "(not kept)"

// trail is what a view says, by the ids of fields, without values of sensitive ones.
func (v viewRow) trail(l collection.Listing) (Content, error) {
	if v.ID == uuid.Nil {
		return Content{}, nil
	}
	kept, err := v.storedContent()
	for i, condition := range kept.Filter {
		if l.Hides(condition.Field) {
			kept.Filter[i].Value = notKept
		}
	}

	return kept, err
}
