package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Company is a tenant.
type Company struct {
	ID   uuid.UUID `json:"uuid"`
	Name string    `json:"name"`
	Profile
	// SuspendedAt is since when its tokens are refused, nil if they are not.
	SuspendedAt *time.Time `json:"suspended_at"`
	// Version grows with every change.
	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// NewCompany is what a company is made from.
type NewCompany struct {
	// ID is made when it is zero.
	ID   uuid.UUID
	Name string
	Profile
}

// CreateCompany makes a company. Errors: identity.invalid, identity.company_exists.
func (s *Service) CreateCompany(ctx context.Context, n NewCompany) (Company, error) {
	var wrong complaints
	now := s.clock.Now()
	company := Company{
		ID: idOr(n.ID), Name: wrong.name(n.Name), Profile: wrong.profile(n.Profile),
		Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if err := wrong.result(); err != nil {
		return Company{}, err
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error { return s.rows.createCompany(ctx, company) })
	if errors.Is(err, database.ErrDuplicate) {
		return Company{}, errCompanyTaken.WithCause(err)
	}
	if err != nil {
		return Company{}, fmt.Errorf("company %s: %w", company.ID, err)
	}

	return company, nil
}

// idOr returns the id, or a new one if it is zero.
func idOr(id uuid.UUID) uuid.UUID {
	if id == uuid.Nil {
		return database.NewID()
	}

	return id
}

// Company returns a company. Errors: identity.company_not_found.
func (s *Service) Company(ctx context.Context, id uuid.UUID) (Company, error) {
	if _, err := actingFor(ctx, id); err != nil {
		return Company{}, err
	}
	company, err := s.rows.company(ctx, id)
	if errors.Is(err, database.ErrNotFound) {
		return Company{}, ErrCompanyNotFound
	}
	if err != nil {
		return Company{}, fmt.Errorf("company %s: %w", id, err)
	}

	return company, nil
}

// Currency returns the currency of the caller's company, an ISO 4217 code.
func (s *Service) Currency(ctx context.Context) (string, error) {
	who, _ := principal.From(ctx)
	company, err := s.Company(ctx, who.Company)

	return cmp.Or(company.Currency, usualCurrency), err
}

// CompanyNames returns the names of companies by their ids, without those that do not exist. It asks nobody's permission: the caller decides who
// may know them.
func (s *Service) CompanyNames(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	names, err := companyNames(ctx, s.rows.db, ids)
	if err != nil {
		return nil, fmt.Errorf("company names: %w", err)
	}

	return names, nil
}

// UpdateCompany stores the name and the profile of a company as they are in c, and returns it with
// its new version. Errors: identity.invalid, identity.company_not_found.
func (s *Service) UpdateCompany(ctx context.Context, c Company) (Company, error) {
	var wrong complaints
	c.Name, c.Profile = wrong.name(c.Name), wrong.profile(c.Profile)
	if err := wrong.result(); err != nil {
		return Company{}, err
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		now, err := s.Company(ctx, c.ID)
		if err != nil {
			return err
		}
		c.Version, c.UpdatedAt = now.Version+1, s.clock.Now()

		return s.rows.updateCompany(ctx, c)
	})
	if err != nil {
		return Company{}, fmt.Errorf("company %s: %w", c.ID, err)
	}

	return c, nil
}

// Hold keeps the users and roles of a company, and the company itself, as they are until the
// caller's transaction ends: everything that changes them holds the company first. Errors:
// identity.company_not_found.
func (s *Service) Hold(ctx context.Context, company uuid.UUID) error {
	if _, err := actingFor(ctx, company); err != nil {
		return err
	}
	err := s.rows.lockCompany(ctx, company)
	if errors.Is(err, database.ErrNotFound) {
		return ErrCompanyNotFound
	}

	return err
}

// Active reports whether there is such a company, and it is not suspended. It asks nobody who is
// calling.
func (s *Service) Active(ctx context.Context, id uuid.UUID) (bool, error) {
	company, err := s.rows.company(ctx, id)
	if errors.Is(err, database.ErrNotFound) {
		return false, nil
	}

	return company.SuspendedAt == nil, err
}

// PageCompanies lists all companies. It is for the operator, and asks nobody. The query is parsed
// with CompanySchema.
func (s *Service) PageCompanies(ctx context.Context, q list.Query) (list.Page[Company], error) {
	page, err := s.rows.pageCompanies(ctx, q)

	return list.Convert(page, companyRow.company), err
}

// ListCompanies lists all companies, oldest first. It is for the operator, and asks nobody.
func (s *Service) ListCompanies(ctx context.Context) ([]Company, error) {
	return s.rows.companies(ctx)
}

// Empty reports whether there is no company yet.
func (s *Service) Empty(ctx context.Context) (bool, error) { return s.rows.noCompany(ctx) }

// SuspendCompany makes every token of the company refused, by every replica as soon as it is
// committed. Suspending it again changes nothing. Errors: identity.company_not_found.
func (s *Service) SuspendCompany(ctx context.Context, id uuid.UUID) error {
	return s.setSuspended(ctx, id, new(s.clock.Now()))
}

// ResumeCompany undoes SuspendCompany.
func (s *Service) ResumeCompany(ctx context.Context, id uuid.UUID) error {
	return s.setSuspended(ctx, id, nil)
}

func (s *Service) setSuspended(ctx context.Context, id uuid.UUID, at *time.Time) error {
	company, err := s.Company(ctx, id)
	if err != nil {
		return err
	}
	if (company.SuspendedAt == nil) == (at == nil) {
		return nil
	}
	err = s.change(ctx, companyChanged, id, func(ctx context.Context) error {
		return s.rows.suspend(ctx, id, at, s.clock.Now())
	})
	if err != nil {
		return fmt.Errorf("company %s: %w", id, err)
	}

	return nil
}
