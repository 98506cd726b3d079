package modeling

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// amendPermissions applies a merge patch to permissions, and finds everything that is wrong with it.
func (s *Service) amendPermissions(ctx context.Context, p definition.Permissions, patch []byte, found *definition.Problems) (definition.Permissions, error) {
	if len(rawjson.OrNothing(patch)) == 0 {
		return nil, nil //nolint:nilnil // everybody
	}
	if patch[0] != '{' {
		found.Add("permissions", "The permissions must be an object.")

		return p, nil
	}
	made := definition.Permissions{}
	maps.Copy(made, p)
	for name, raw := range rawjson.Members(patch) {
		a := definition.Action(rawjson.Name(name))
		if !slices.Contains(definition.Actions, a) {
			found.Unknown("permissions", string(a), " in permissions", []string{"read", "write", "delete", "define"})

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
		if !slices.Contains(roles, definition.Everybody) {
			made[a] = roles
		}
	}

	return made, nil
}

// rolesIn reads the roles of an action, sorted.
func (s *Service) rolesIn(ctx context.Context, path string, raw []byte, found *definition.Problems) ([]string, error) {
	roles := []string{}
	if err := json.Unmarshal(raw, &roles); err != nil || len(roles) > definition.MostRoles {
		found.Add(path, fmt.Sprintf("The permission must be a list of at most %d roles.", definition.MostRoles))

		return nil, nil //nolint:nilerr // it has been said
	}
	slices.Sort(roles)
	for _, role := range slices.Compact(roles) {
		if role == definition.Everybody || role == definition.Tokens {
			continue
		}
		known, err := s.others.KnowsRole(ctx, role)
		if err != nil {
			return nil, err
		}
		if !known {
			found.Add(path, "There is no role "+naming.Shorten(role)+`; beside roles, there are "`+definition.Tokens+`" for tokens of no user, and "*".`)
		}
	}

	return slices.Compact(roles), nil
}
