package app

import (
	"slices"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/web"
)

// offAreas are the areas of the binary that the deployment has switched off.
type offAreas []string

func newOffAreas(all, enabled []module.Module) offAreas {
	var off offAreas
	for _, m := range all {
		if !slices.ContainsFunc(enabled, func(on module.Module) bool { return on.ID() == m.ID() }) {
			off = append(off, m.ID())
		}
	}

	return off
}

// knowScopes has tokens and roles take the scopes of the enabled areas alone, and any of an area that is off,
// of which only the name is known.
func knowScopes(who *identity.Service, api *web.API, off offAreas) {
	who.KnowScopes(func(area, action string) bool {
		return area == "*" && action == "*" || slices.Contains(off, area) || slices.ContainsFunc(api.Scopes(), func(s web.ScopeInfo) bool {
			return (area == "*" || area == s.Area) && (action == "*" || action == s.Action)
		})
	})
}

func newRoles(areas areaList) (identity.Roles, error) { return identity.NewRoles(areas...) }
