package identity

import (
	"fmt"
	"slices"
	"strings"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
)

// Role is a named set of scopes that a user has.
type Role string

// The built-in roles, which every company has.
const (
	Owner      Role = "owner"
	Admin      Role = "admin"
	Dispatcher Role = "dispatcher"
	Accountant Role = "accountant"
	Viewer     Role = "viewer"
)

// BuiltInNames lists the built-in roles by name.
var BuiltInNames = []Role{Accountant, Admin, Dispatcher, Owner, Viewer}

func (r Role) builtIn() bool { return slices.Contains(BuiltInNames, r) }

// roleNames lists the built-in roles for a message.
func roleNames() string {
	names := make([]string, 0, len(BuiltInNames))
	for _, role := range BuiltInNames {
		names = append(names, string(role))
	}

	return strings.Join(names, ", ")
}

// Grants is the manifest line of a built-in role that may do more in the area than every role of its name:
//
//	identity.Grants(identity.Dispatcher, "write", "send"),
//
// Without a line an owner may do everything, an administrator read and write, and everybody else read. "*" grants all
// actions of the area.
func Grants(role Role, actions ...string) fx.Option {
	return module.Contribute("grants", string(role), grant{role: role, actions: actions}, nil)
}

type grant struct {
	role    Role
	actions []string
}

// Withholds is the manifest line of an area that a built-in role does not read, unlike all others. Its scope "*:read" is then one scope for
// each other area.
func Withholds(role Role) fx.Option {
	return module.Contribute("withholds", string(role), withholding{role: role}, nil)
}

type withholding struct{ role Role }

// readsAll is the scope to read in all areas.
const readsAll = anything + ":read"

// withhold gives the role of an area that withholds itself from it the scopes to read the others.
func (r Roles) withhold(areas []module.Module) {
	unread := map[Role][]string{}
	for _, area := range areas {
		for _, w := range module.Values[withholding](area) {
			unread[w.role] = append(unread[w.role], area.Prefix())
		}
	}
	for role, not := range unread {
		r[role] = slices.DeleteFunc(r[role], func(scope string) bool { return scope == readsAll })
		for _, area := range areas {
			if scope := area.Prefix() + ":read"; !slices.Contains(not, area.Prefix()) && !slices.Contains(r[role], scope) {
				r[role] = append(r[role], scope)
			}
		}
	}
}

// Roles are the built-in roles with their scopes, sorted. Nothing changes them.
type Roles map[Role][]string

// NewRoles returns the built-in roles with what the areas grant them. It reports a grant to a role that is not built in.
func NewRoles(areas ...module.Module) (Roles, error) {
	roles := Roles{
		Owner:      {"*"},
		Admin:      {readsAll, "*:write"},
		Dispatcher: {readsAll},
		Accountant: {readsAll},
		Viewer:     {readsAll},
	}
	for _, area := range areas {
		for _, g := range module.Values[grant](area) {
			if !g.role.builtIn() {
				return nil, fmt.Errorf("area %q grants %s to the role %q: the built-in roles are %s",
					area.ID(), strings.Join(g.actions, ", "), g.role, roleNames())
			}
			for _, action := range g.actions {
				roles[g.role] = append(roles[g.role], area.Prefix()+":"+action)
			}
		}
	}
	roles.withhold(areas)
	for _, scopes := range roles {
		slices.Sort(scopes)
	}

	return roles, nil
}
