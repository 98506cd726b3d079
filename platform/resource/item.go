package resource

import (
	"context"
	"errors"
	"reflect"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// classify fills in the part of an item that is about to be stored, or adds to a refusal why it cannot be. If asked to follow merges, the item becomes the one
// that it was merged into.
func (e *Engine) classify(ctx context.Context, key string, i *columns.Item, follow bool, refusal *errs.Error) (*errs.Error, error) {
	if target, ok := e.resources[i.Type]; ok && follow && target.merges() {
		now, there, err := e.standing(ctx, i.Ref())
		if err != nil {
			return refusal, err
		}
		if there {
			i.UUID = now
		}
	}
	class, there := mentionedIn(ctx).classes[i.Ref()]
	var err error
	if !there {
		class, there, err = e.items.ClassOf(ctx, i.Ref())
	}
	if unknown, ok := errors.AsType[*errs.Error](err); ok && unknown.Kind == errs.Invalid {
		return refusal.WithField(key+".type", unknown.Message), nil
	}
	if err == nil && !there {
		refusal = refusal.WithField(key+".uuid", "There is no such "+e.titleOfType(i.Type)+".")
	}
	i.Part = class.Part

	return refusal, err
}

// partOf is the part of the item that a row is about, "" for none: what is kept from a caller with the item is kept with
// the row.
func (r *table) partOf(row any) string {
	for _, f := range r.plan.Fields {
		if i, is := reflect.TypeAssert[columns.Item](f.Of(columns.ValueOf(row))); is && i.Part != "" {
			return i.Part
		}
		if part, is := f.Plain(columns.ValueOf(row)).(string); is && f.Part {
			return part
		}
	}

	return ""
}
