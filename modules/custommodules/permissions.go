package custommodules

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// action is what the permissions of a module are about.
type action string

// The actions. Whoever may not read a module does not learn that it is there, and may do nothing with it.
const (
	mayRead   action = "read"
	mayWrite  action = "write"
	mayDelete action = "delete"
	mayDefine action = "define"
)

func actions() []action { return []action{mayRead, mayWrite, mayDelete, mayDefine} }

const (
	// everybody in a list of roles is every role, and every program.
	everybody = "*"
	// tokens is what lists of roles call the tokens that are no user's.
	tokens = "service"
	// owner is the role that may do everything, so that nobody is locked out for good.
	owner = "owner"
)

// permissions are the roles that may do something with a module and its records. What an action has no
// list for is allowed to everybody who has the scope.
type permissions map[action][]string

// GormDataType implements schema.GormDataTypeInterface.
func (permissions) GormDataType() string { return "json" }

// Value implements driver.Valuer.
func (p permissions) Value() (driver.Value, error) {
	if len(p) == 0 {
		return nil, nil //nolint:nilnil // NULL
	}
	text, err := json.Marshal(p)

	return string(text), err
}

// Scan implements sql.Scanner.
func (p *permissions) Scan(from any) error {
	*p = nil
	if from == nil {
		return nil
	}
	var text rawjson.Object
	if err := text.Scan(from); err != nil {
		return err
	}

	return json.Unmarshal(text, p)
}

// roles are the roles of an action as answers show them.
func (p permissions) roles(a action) []string {
	if roles, limited := p[a]; limited {
		return roles
	}

	return []string{everybody}
}

// allow reports whether the caller may do something.
func (p permissions) allow(ctx context.Context, a action) bool {
	if of := p.item(); of != "" {
		return ownOf(ctx) == of
	}
	roles, limited := p[a]
	if !limited || asDefined(ctx) {
		return true
	}
	role, ruled := limitedRole(ctx)

	return !ruled || role != "" && slices.Contains(roles, role)
}

// limitedRole returns what lists of roles call the caller, and false for one whom they do not limit.
func limitedRole(ctx context.Context) (string, bool) {
	caller, _ := principal.From(ctx)
	switch caller.Kind {
	case principal.System:
		return "", false
	case principal.Service:
		return tokens, true
	case principal.User, principal.Operator:
	}

	return caller.Role, caller.Role != owner
}

// permit returns errModuleNotFound for a caller who may not even read, and errNotPermitted for one who may
// not do it.
func (p permissions) permit(ctx context.Context, a action) error {
	switch {
	case !p.allow(ctx, mayRead):
		return errModuleNotFound
	case !p.allow(ctx, a):
		return errNotPermitted.WithMessage("Your role does not have the permission %s for this module.", a).
			WithDetail("permission", a)
	default:
		return nil
	}
}

type asDefinedKey struct{}

// withDefined returns a context in which permissions are not asked for: what follows is what the definition
// of a module says, such as that records are deleted with the one that they point at.
func withDefined(ctx context.Context) context.Context {
	return context.WithValue(ctx, asDefinedKey{}, true)
}

func asDefined(ctx context.Context) bool { return ctx.Value(asDefinedKey{}) != nil }

// permissionsShown is how answers show permissions.
type permissionsShown struct {
	Read   []string `json:"read" nullable:"false" doc:"Who sees the module and its records."`
	Write  []string `json:"write" nullable:"false" doc:"Who creates and changes records."`
	Delete []string `json:"delete" nullable:"false" doc:"Who deletes and restores records."`
	Define []string `json:"define" nullable:"false" doc:"Who changes the module and its fields."`
}

func (p permissions) shown() permissionsShown {
	return permissionsShown{
		Read: p.roles(mayRead), Write: p.roles(mayWrite), Delete: p.roles(mayDelete), Define: p.roles(mayDefine),
	}
}

// amendPermissions applies a merge patch to permissions, and finds everything that is wrong with it.
func (s *service) amendPermissions(ctx context.Context, p permissions, patch []byte, found *problems) (permissions, error) {
	if len(rawjson.OrNothing(patch)) == 0 {
		return nil, nil //nolint:nilnil // everybody
	}
	if patch[0] != '{' {
		found.add("permissions", "The permissions must be an object.")

		return p, nil
	}
	made := permissions{}
	maps.Copy(made, p)
	for name, raw := range rawjson.Members(patch) {
		a := action(rawjson.Name(name))
		if !slices.Contains(actions(), a) {
			found.unknown("permissions", string(a), " in permissions", []string{"read", "write", "delete", "define"})

			continue
		}
		delete(made, a)
		if raw[0] == 'n' {
			continue
		}
		roles, err := s.rolesIn(ctx, "permissions."+string(a), raw, found)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(roles, everybody) {
			made[a] = roles
		}
	}

	return made, nil
}

// mostRoles bounds the roles of an action.
const mostRoles = 100

// rolesIn reads the roles of an action, sorted.
func (s *service) rolesIn(ctx context.Context, path string, raw []byte, found *problems) ([]string, error) {
	roles := []string{}
	if err := json.Unmarshal(raw, &roles); err != nil || len(roles) > mostRoles {
		found.add(path, fmt.Sprintf("The permission must be a list of at most %d roles.", mostRoles))

		return nil, nil //nolint:nilerr // it has been said
	}
	slices.Sort(roles)
	for _, role := range slices.Compact(roles) {
		if role == everybody || role == tokens {
			continue
		}
		known, err := s.others.knowsRole(ctx, role)
		if err != nil {
			return nil, err
		}
		if !known {
			found.add(path, "There is no role "+naming.Shorten(role)+`; beside roles, there are "`+tokens+`" for tokens of no user, and "*".`)
		}
	}

	return slices.Compact(roles), nil
}
