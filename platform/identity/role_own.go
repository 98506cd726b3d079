package identity

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
)

const (
	// roleNameKey is the unique index on the name of a role.
	roleNameKey = "identity_roles_company_id_name_key"
	// maxRoles is how many roles a company may define.
	maxRoles = 100
	// maxScopes is how many scopes a role may have.
	maxScopes = 200
)

var roleName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// OwnRole is a role that a company has defined.
type OwnRole struct {
	ID uuid.UUID `json:"uuid"`
	// Name is what users have as their role. It stays.
	Name Role `json:"name"`
	// Title is what people call it.
	Title     string    `json:"title"`
	Scopes    []string  `json:"scopes"`
	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// BuiltInRoles returns the roles that every company has, with their scopes in this deployment.
func (s *Service) BuiltInRoles() Roles { return s.roles }

// RoleScopes returns the scopes of a role of a company, one of its own or a built-in one. Errors:
// identity.role_unknown.
func (s *Service) RoleScopes(ctx context.Context, company uuid.UUID, name Role) ([]string, error) {
	if scopes, builtIn := s.roles[name]; builtIn {
		return scopes, nil
	}
	ctx, err := actingFor(ctx, company)
	if err != nil {
		return nil, ErrRoleUnknown
	}
	own, err := s.rows.roleNamed(ctx, name)
	if errors.Is(err, database.ErrNotFound) {
		return nil, ErrRoleUnknown
	}

	return own.Scopes, err
}

// OwnRoles lists the roles that a company has defined, by name.
func (s *Service) OwnRoles(ctx context.Context, company uuid.UUID) ([]OwnRole, error) {
	ctx, err := actingFor(ctx, company)
	if err != nil {
		return nil, err
	}

	return s.rows.ownRoles(ctx)
}

// OwnRole returns a role that a company has defined. Errors: identity.role_not_found.
func (s *Service) OwnRole(ctx context.Context, company, id uuid.UUID) (OwnRole, error) {
	ctx, err := actingFor(ctx, company)
	if err != nil {
		return OwnRole{}, ErrRoleNotFound
	}
	own, err := s.rows.role(ctx, id)

	return own, orRoleNotFound(err)
}

// CreateRole defines a role of a company, from its name, title and scopes. Errors: identity.invalid,
// identity.role_taken, identity.too_many_roles.
func (s *Service) CreateRole(ctx context.Context, company uuid.UUID, n OwnRole) (OwnRole, error) {
	var wrong complaints
	now := s.clock.Now()
	n.ID, n.Version, n.CreatedAt, n.UpdatedAt = idOr(n.ID), 1, now, now
	if !roleName.MatchString(string(n.Name)) {
		wrong.add("name", "The name must have at most 40 lower case letters, digits and underscores, and start with a letter.")
	}
	wrong.ownRole(&n)
	wrong.added(n.Scopes, s.known)
	if err := wrong.result(); err != nil {
		return OwnRole{}, err
	}
	if n.Name.builtIn() {
		return OwnRole{}, ErrRoleTaken
	}
	ctx, err := actingFor(ctx, company)
	if err != nil {
		return OwnRole{}, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.rows.lockCompany(ctx, company); err != nil {
			return err
		}
		others, err := s.rows.ownRoles(ctx)
		if err == nil && len(others) >= maxRoles {
			err = ErrTooManyRoles
		}
		if err != nil {
			return err
		}

		return s.rows.createRole(ctx, n)
	})
	if database.ConstraintOf(err) == roleNameKey {
		return OwnRole{}, ErrRoleTaken.WithCause(err)
	}
	if err != nil {
		return OwnRole{}, fmt.Errorf("role %s: %w", n.Name, err)
	}

	return n, nil
}

// UpdateRole stores the title and scopes of a role as they are in o, and returns it with its new
// version. What its users may do changes with the commit, everywhere. Errors: identity.invalid,
// identity.role_not_found.
func (s *Service) UpdateRole(ctx context.Context, company uuid.UUID, o OwnRole) (OwnRole, error) {
	var wrong complaints
	wrong.ownRole(&o)
	if err := wrong.result(); err != nil {
		return OwnRole{}, err
	}
	ctx, err := actingFor(ctx, company)
	if err != nil {
		return OwnRole{}, err
	}
	err = s.change(ctx, companyChanged, company, func(ctx context.Context) error {
		if err := s.rows.lockCompany(ctx, company); err != nil {
			return err
		}
		now, err := s.rows.role(ctx, o.ID)
		if err != nil {
			return err
		}
		wrong.added(slices.DeleteFunc(slices.Clone(o.Scopes), func(scope string) bool { return slices.Contains(now.Scopes, scope) }), s.known)
		if err := wrong.result(); err != nil {
			return err
		}
		o.Version, o.UpdatedAt = now.Version+1, s.clock.Now()

		return s.rows.updateRole(ctx, o)
	})

	return o, orRoleNotFound(err)
}

// DeleteRole removes a role that no user has. Errors: identity.role_not_found, identity.role_in_use
// with details.users.
func (s *Service) DeleteRole(ctx context.Context, company, id uuid.UUID) error {
	ctx, err := actingFor(ctx, company)
	if err != nil {
		return ErrRoleNotFound
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.rows.lockCompany(ctx, company); err != nil {
			return err
		}
		own, err := s.rows.role(ctx, id)
		if err != nil {
			return err
		}
		users, err := s.rows.usersWith(ctx, own.Name)
		if err != nil {
			return err
		}
		if users > 0 {
			return ErrRoleInUse.WithMessage("%d users have this role. Give them another role first.", users).
				WithDetail("users", users)
		}

		return s.rows.deleteRole(ctx, id)
	})

	return orRoleNotFound(err)
}

func orRoleNotFound(err error) error {
	if errors.Is(err, database.ErrNotFound) {
		return ErrRoleNotFound
	}
	if err != nil && errs.KindOf(err) == errs.Internal {
		return fmt.Errorf("role: %w", err)
	}

	return err
}

// ownRole checks the title and scopes of a role, and brings them into one form.
func (c *complaints) ownRole(o *OwnRole) {
	o.Title = c.text("title", o.Title)
	if o.Title == "" {
		c.add("title", "The title is required.")
	}
	c.scopes(o.Scopes)
	if len(o.Scopes) > maxScopes {
		c.add("scopes", fmt.Sprintf("There must be at most %d scopes.", maxScopes))
	}
	o.Scopes = slices.Compact(slices.Sorted(slices.Values(o.Scopes)))
}
