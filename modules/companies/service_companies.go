package companies

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
)

// companies makes and changes companies.
type companies struct {
	identity *identity.Service
	inviter  *inviter
	journal  *journal.Journal
	db       *database.DB
}

func newCompanies(who *identity.Service, i *inviter, j *journal.Journal, db *database.DB) *companies {
	return &companies{identity: who, inviter: i, journal: j, db: db}
}

// createCompany makes a company for the operator, with an invitation for its first owner.
func (s *companies) createCompany(ctx context.Context, n identity.NewCompany, owner newInvitation) (identity.Company, invitationMade, error) {
	var company identity.Company
	var made invitationMade
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if company, err = s.identity.CreateCompany(ctx, n); err != nil {
			return err
		}
		ctx = journal.ActingFor(ctx, company.ID)
		err = s.journal.Record(ctx, "company_created", companyItem, company.ID,
			companyDiff(identity.Company{}, company), companiesapi.CompanyCreated{Name: company.Name})
		if err != nil {
			return err
		}
		owner.Role = identity.Owner
		made, err = s.inviter.invite(ctx, owner)

		return err
	})

	return company, made, err
}

// updateCompany changes the caller's company, or the one that the operator is at work for; match is
// asked about the version that is to be changed.
func (s *companies) updateCompany(
	ctx context.Context, id uuid.UUID, match func(int64) error, change func(*identity.Company),
) (company identity.Company, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.identity.Hold(ctx, id); err != nil {
			return err
		}
		before, err := s.identity.Company(ctx, id)
		if err == nil {
			err = match(before.Version)
		}
		if err != nil {
			return err
		}
		company = before
		change(&company)
		if company, err = s.identity.UpdateCompany(ctx, company); err != nil {
			return err
		}

		return s.journal.Record(journal.ActingFor(ctx, id), "company_updated", companyItem, id, companyDiff(before, company))
	})

	return company, err
}

// suspend makes a company unusable, or usable again.
func (s *companies) suspend(ctx context.Context, id uuid.UUID, suspended bool) (company identity.Company, err error) {
	set, action, event := s.identity.SuspendCompany, "company_suspended", events.Event(companiesapi.CompanySuspended{})
	if !suspended {
		set, action, event = s.identity.ResumeCompany, "company_resumed", companiesapi.CompanyResumed{}
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.identity.Hold(ctx, id); err != nil {
			return err
		}
		before, err := s.identity.Company(ctx, id)
		if err != nil {
			return err
		}
		company = before
		if (before.SuspendedAt != nil) == suspended {
			return nil
		}
		if err := set(ctx, id); err != nil {
			return err
		}
		if company, err = s.identity.Company(ctx, id); err != nil {
			return err
		}

		return s.journal.Record(journal.ActingFor(ctx, id), action, companyItem, id, companyDiff(before, company), event)
	})

	return company, err
}

func companyDiff(a, b identity.Company) journal.Diff {
	return journal.Diff{}.
		Set("name", a.Name, b.Name).Set("legal_name", a.LegalName, b.LegalName).Set("dba", a.DBA, b.DBA).
		Set("usdot_number", a.USDOTNumber, b.USDOTNumber).Set("mc_number", a.MCNumber, b.MCNumber).
		Set("address", a.Address, b.Address).Set("time_zone", a.TimeZone, b.TimeZone).
		Set("currency", a.Currency, b.Currency).Set("suspended_at", a.SuspendedAt, b.SuspendedAt)
}
