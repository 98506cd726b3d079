package definition

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"slices"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// MayShare returns ErrNotPermitted for who may not define the module: shared views are a part of it.
func (d *Definition) MayShare(ctx context.Context) error {
	caller, _ := principal.From(ctx)
	if !caller.Allows("custom_modules:define") {
		return principal.Lacks("custom_modules:define")
	}

	return d.Permissions.Permit(ctx, MayDefine)
}

// The fields that a company adds to the rows of a resource are those of a module that nobody else sees, with a record for
// each row that has values, under the row's id. What is written of such a record the resource tells: there are no events
// and no audit entries of it.

// OfItem is the entry of such a module among its permissions: the type of the items.
const OfItem Action = "item"

// Item is the type of the items whose fields a module has, "" for a module of people.
func (p Permissions) Item() string {
	if of := p[OfItem]; len(of) > 0 {
		return of[0]
	}

	return ""
}

// Item is the type of the items whose own fields these are, "" for those of a module.
func (d *Definition) Item() string { return d.Permissions.Item() }

// OwnKey is the key of a context for work on own fields (see AsOwn).
type OwnKey struct{}

// OwnOf is the type of the items whose own fields are worked on, "" for none.
func OwnOf(ctx context.Context) string {
	itemType, _ := ctx.Value(OwnKey{}).(string)

	return itemType
}

// Action is what the permissions of a module are about.
type Action string

// The actions. Whoever may not read a module does not learn that it is there, and may do nothing with it.
const (
	MayRead   Action = "read"
	MayWrite  Action = "write"
	MayDelete Action = "delete"
	MayDefine Action = "define"
)

// Actions are what permissions are about.
var Actions = []Action{MayRead, MayWrite, MayDelete, MayDefine}

const (
	// Everybody in a list of roles is every role, and every program.
	Everybody = "*"
	// Tokens is what lists of roles call the tokens that are no user's.
	Tokens = "service"
	// owner is the role that may do everything, so that nobody is locked out for good.
	owner = "owner"
)

// Permissions are the roles that may do something with a module and its records. What an action has no
// list for is allowed to everybody who has the scope.
type Permissions map[Action][]string

// GormDataType implements schema.GormDataTypeInterface.
func (Permissions) GormDataType() string { return "json" }

// Value implements driver.Valuer.
func (p Permissions) Value() (driver.Value, error) {
	if len(p) == 0 {
		return nil, nil //nolint:nilnil // NULL
	}
	text, err := json.Marshal(p)

	return string(text), err
}

// Scan implements sql.Scanner.
func (p *Permissions) Scan(from any) error {
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
func (p Permissions) roles(a Action) []string {
	if roles, limited := p[a]; limited {
		return roles
	}

	return []string{Everybody}
}

// Allow reports whether the caller may do something.
func (p Permissions) Allow(ctx context.Context, a Action) bool {
	if of := p.Item(); of != "" {
		return OwnOf(ctx) == of
	}
	roles, limited := p[a]
	if !limited || AsDefined(ctx) {
		return true
	}
	role, ruled := LimitedRole(ctx)

	return !ruled || role != "" && slices.Contains(roles, role)
}

// LimitedRole returns what lists of roles call the caller, and false for one whom they do not limit.
func LimitedRole(ctx context.Context) (string, bool) {
	caller, _ := principal.From(ctx)
	switch caller.Kind {
	case principal.System:
		return "", false
	case principal.Service:
		return Tokens, true
	case principal.User, principal.Operator:
	}

	return caller.Role, caller.Role != owner
}

// Permit returns ErrModuleNotFound for a caller who may not even read, and ErrNotPermitted for one who may
// not do it.
func (p Permissions) Permit(ctx context.Context, a Action) error {
	switch {
	case !p.Allow(ctx, MayRead):
		return ErrModuleNotFound
	case !p.Allow(ctx, a):
		return ErrNotPermitted.WithMessage("Your role lacks the permission %s for this module.", a).
			WithDetail("permission", a)
	default:
		return nil
	}
}

type asDefinedKey struct{}

// WithDefined returns a context in which permissions are not asked for: what follows is what the definition
// of a module says, such as that records are deleted with the one that they point at.
func WithDefined(ctx context.Context) context.Context {
	return context.WithValue(ctx, asDefinedKey{}, true)
}

// AsDefined reports whether a context is one of WithDefined.
func AsDefined(ctx context.Context) bool { return ctx.Value(asDefinedKey{}) != nil }

// PermissionsShown is how answers show permissions.
type PermissionsShown struct {
	Read   []string `json:"read" nullable:"false" doc:"Roles that may see the module and its records."`
	Write  []string `json:"write" nullable:"false" doc:"Roles that may create and change records."`
	Delete []string `json:"delete" nullable:"false" doc:"Roles that may delete and restore records."`
	Define []string `json:"define" nullable:"false" doc:"Roles that may change the module and its fields."`
}

// Shown is how answers show them.
func (p Permissions) Shown() PermissionsShown {
	return PermissionsShown{
		Read: p.roles(MayRead), Write: p.roles(MayWrite), Delete: p.roles(MayDelete), Define: p.roles(MayDefine),
	}
}

// MostRoles bounds the roles of an action.
const MostRoles = 100

// ReadersBeyond returns the roles that may read by these permissions and not by others: everybody alone, or their names.
func (p Permissions) ReadersBeyond(others Permissions) []string {
	allowed, limited := others[MayRead]
	if !limited {
		return nil
	}
	roles, some := p[MayRead]
	if !some {
		return []string{Everybody}
	}

	return slices.DeleteFunc(slices.Clone(roles), func(role string) bool { return role == owner || slices.Contains(allowed, role) })
}

// Permission is what making such a version of a record takes.
func (v Verb) Permission() Action {
	if v == Deleted || v == Restored {
		return MayDelete
	}

	return MayWrite
}
