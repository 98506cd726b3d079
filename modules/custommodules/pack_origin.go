package custommodules

import (
	"encoding/json"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// packOrigin is the pack that a module comes from; all of it is nil for a module of the company's own.
type packOrigin struct {
	PackName    *string
	PackKey     *string
	PackVersion *int
	// PackBase is a packBase.
	PackBase *rawjson.Object
}

// packBase is what a version of a pack said of a module.
type packBase struct {
	Module packs.Module `json:"module"`
	// Fields are the fields that it made, by their keys in the pack.
	Fields map[string]uuid.UUID `json:"fields"`
}

// newOrigin is the origin of a module that a pack has made or changed.
func newOrigin(p packs.Pack, m packs.Module, fields map[string]uuid.UUID) (packOrigin, error) {
	text, err := json.Marshal(packBase{Module: m, Fields: fields})

	return packOrigin{PackName: &p.Name, PackKey: &m.Key, PackVersion: &p.Version, PackBase: new(rawjson.Object(text))}, err
}

// from reports whether the module comes from a module of a pack.
func (o packOrigin) from(pack, key string) bool {
	return o.PackName != nil && o.PackKey != nil && *o.PackName == pack && *o.PackKey == key
}

// base is what the pack said of the module, nil if it comes from none.
func (o packOrigin) base() *packBase {
	if o.PackBase == nil {
		return nil
	}
	var b packBase
	if json.Unmarshal(*o.PackBase, &b) != nil {
		return nil
	}

	return &b
}

// same reports whether two origins say the same.
func (o packOrigin) same(other packOrigin) bool {
	return o.PackName != nil && other.PackName != nil && *o.PackName == *other.PackName && *o.PackKey == *other.PackKey &&
		*o.PackVersion == *other.PackVersion && rawjson.Same(*o.PackBase, *other.PackBase)
}

// packShown is the origin of a module as answers show it.
type packShown struct {
	Name    string `json:"name"`
	Key     string `json:"key" doc:"What the pack calls the module."`
	Version int    `json:"version" doc:"The version of the pack that was imported last."`
}

func (o packOrigin) shown() *packShown {
	if o.PackName == nil || o.PackKey == nil || o.PackVersion == nil {
		return nil
	}

	return &packShown{Name: *o.PackName, Key: *o.PackKey, Version: *o.PackVersion}
}
