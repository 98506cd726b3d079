package audit

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
)

// Diff returns what differs between two versions of a thing, by the keys of its JSON: for areas whose rows are no resources, and
// that show them in bodies. What says which version it is, who made it and when, is left out.
func Diff(before, after any) (map[string]Change, error) {
	was, err := members(before)
	if err != nil {
		return nil, err
	}
	is, err := members(after)
	if err != nil {
		return nil, err
	}
	keys := maps.Clone(was) // a body may leave out what is empty
	maps.Copy(keys, is)
	changes := map[string]Change{}
	for key := range keys {
		if !reflect.DeepEqual(was[key], is[key]) && !isStamp(key) {
			changes[key] = Change{Before: was[key], After: is[key]}
		}
	}

	return changes, nil
}

func members(v any) (all map[string]any, err error) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}

	return all, err
}

func isStamp(key string) bool {
	return key == "version" || strings.HasPrefix(key, "updated_") || strings.HasPrefix(key, "created_")
}
