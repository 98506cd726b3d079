package resource

import (
	"context"
	"encoding/json"

	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/web"
)

// MarshalRow is for the method MarshalJSON of a struct of which fields have a scope: it leaves out those that the caller may not see. Plain is
// the row as a type without methods.
func MarshalRow(row *columns.Row, plain any) ([]byte, error) { return columns.MarshalRow(row, plain) }

// withheldBy is the failure of who writes a field without its scope.
func (r *table) withheldBy(scope, key string) error {
	if scope == r.area+":sensitive" {
		return r.withheld
	}

	return web.ScopeMissing(scope, "Setting "+key)
}

// maySet is Resource.MaySet.
func (r *table) maySet(ctx context.Context, key string) error {
	f := r.plan.ByKey[key]
	if f.SeenBy(r.sees(ctx)) {
		return nil
	}

	return r.withheldBy(f.Scope, key)
}

// seesField is Resource.Sees.
func (r *table) seesField(ctx context.Context, key string) bool {
	return r.plan.ByKey[key].SeenBy(r.sees(ctx))
}

// ShowChange returns a value of an item of any type, from an entry of the audit trail, as the caller may see it: nil for what requires a scope
// that the caller does not have. What is no field of a resource is returned as it is.
func (e *Engine) ShowChange(ctx context.Context, item, key string, value any) any {
	if r, known := e.resources[item]; known {
		return r.showChange(ctx, key, value)
	}

	return value
}

func (r *table) showChange(ctx context.Context, key string, value any) any {
	f, sees := r.plan.ByKey[key], r.sees(ctx)
	if f == nil || r.plan.Whole(sees) {
		return value
	}
	text, err := json.Marshal(value) // of its own, so that masking changes nothing else
	var own any
	if err != nil || json.Unmarshal(text, &own) != nil || !f.MaskJSON(own, sees) {
		return nil
	}

	return own
}
