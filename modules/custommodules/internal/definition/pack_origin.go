package definition

import (
	"encoding/json"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// PackOrigin is the pack that a module comes from; all of it is nil for a module of the company's own.
type PackOrigin struct {
	PackName    *string
	PackKey     *string
	PackVersion *int
	// PackBase is a PackBase.
	PackBase *rawjson.Object
}

// PackBase is what a version of a pack said of a module.
type PackBase struct {
	Module packs.Module `json:"module"`
	// Fields are the fields that it made, by their keys in the pack.
	Fields map[string]uuid.UUID `json:"fields"`
}

// NewOrigin is the origin of a module that a pack has made or changed.
func NewOrigin(p packs.Pack, m packs.Module, fields map[string]uuid.UUID) (PackOrigin, error) {
	text, err := json.Marshal(PackBase{Module: m, Fields: fields})

	return PackOrigin{PackName: &p.Name, PackKey: &m.Key, PackVersion: &p.Version, PackBase: new(rawjson.Object(text))}, err
}

// From reports whether the module comes from a module of a pack.
func (o PackOrigin) From(pack, key string) bool {
	return o.PackName != nil && o.PackKey != nil && *o.PackName == pack && *o.PackKey == key
}

// Base is what the pack said of the module, nil if it comes from none.
func (o PackOrigin) Base() *PackBase {
	if o.PackBase == nil {
		return nil
	}
	var b PackBase
	if json.Unmarshal(*o.PackBase, &b) != nil {
		return nil
	}

	return &b
}

// Same reports whether two origins say the same.
func (o PackOrigin) Same(other PackOrigin) bool {
	return o.PackName != nil && other.PackName != nil && *o.PackName == *other.PackName && *o.PackKey == *other.PackKey &&
		*o.PackVersion == *other.PackVersion && rawjson.Equal(*o.PackBase, *other.PackBase)
}

// PackShown is the origin of a module as answers show it.
type PackShown struct {
	Name    string `json:"name"`
	Key     string `json:"key" doc:"Key of the module in the pack."`
	Version int    `json:"version" doc:"The last imported version of the pack."`
}

// Shown is how answers show it, nil for a module that comes from no pack.
func (o PackOrigin) Shown() *PackShown {
	if o.PackName == nil || o.PackKey == nil || o.PackVersion == nil {
		return nil
	}

	return &PackShown{Name: *o.PackName, Key: *o.PackKey, Version: *o.PackVersion}
}
