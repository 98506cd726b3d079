// Package companies keeps companies, their brand, users, roles and access tokens, and logs people in.
//
// It owns the companies_* tables and every operation under /companies/api/v1. What the rest of the
// service must know of companies and users is platform/identity's.
package companies

import (
	"time"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/companies/internal/access"
	"github.com/dispatchd/dispatchd/modules/companies/internal/brand"
	"github.com/dispatchd/dispatchd/modules/companies/internal/journal"
	"github.com/dispatchd/dispatchd/modules/companies/internal/letterhead"
	"github.com/dispatchd/dispatchd/modules/companies/internal/overview"
	"github.com/dispatchd/dispatchd/modules/companies/internal/series"
	"github.com/dispatchd/dispatchd/modules/companies/internal/tokens"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Module is the companies area.
var Module = module.New(companiesapi.Area, "Companies, users, roles and access tokens",
	module.Essential(),
	identity.Grants(identity.Admin, "*"),
	config.Section(defaults()),
	fx.Provide(newRepository, journal.New, newStaff, newSeats, newCredentials, newLogins, newOwnPassword, newPasswordResets, newPasswordHandlers, fx.Private),
	fx.Provide(newInvitationBook, newInviter, newAcceptor, newInvitationHandlers, newUsers, newResetLinks, newRoles, tokens.New, newCompanies, access.NewDesk, fx.Private),
	fx.Provide(newOwnItem, overview.NewBoard, overview.NewFeatures, fx.Private),
	fx.Provide(brand.NewRepository, brand.NewDesk, brand.NewLogos, letterhead.NewRepository, letterhead.NewDesk, letterhead.NewIssuer, series.NewDesk, fx.Private),
	fx.Provide(brand.NewContract, letterhead.NewContract),
	web.Routes(companyRoutes),
	web.Routes(brand.Routes),
	web.Routes(brand.LogoRoutes),
	web.Routes(letterhead.Routes),
	web.Routes(series.Routes),
	web.Routes(userRoutes),
	web.Routes(resetLinkRoutes),
	web.Routes(invitationRoutes),
	web.Routes(loginRoutes),
	web.Routes(passwordRoutes),
	web.Routes(roleRoutes),
	web.Routes(tokens.Routes),
	web.Routes(access.PortalRoutes),
	web.Routes(access.LinkRoutes),
	web.Routes(overview.ScopeRoutes),
	web.Routes(overview.DashboardRoutes),
	web.Routes(overview.FeatureRoutes),
	port.Provides[document.Letterheads, *letterhead.Issuer](companiesapi.Area),
	item.Type(companyItem, "Company", (*ownItem).describeCompanies, (*ownItem).companyFields, (*ownItem).companyValues),
	link.Declare(inviting, link.Rules{Uses: 1, Life: maxInvitationLife}),
	link.Declare(resetting, link.Rules{Uses: 1, Life: maxResetLife}),
	dashboard.Count("users", "Active users", (*staff).countUsers),
	dashboard.Count("open_invitations", "Open invitations", (*invitationBook).countOpen),
	jobs.On((*logins).dropAttempts),
	jobs.On((*brand.Logos).Drop),
	jobs.Every(time.Hour, dropAttempts{}),
	events.Publishes(companiesapi.CompanyCreated{}),
	events.Publishes(companiesapi.CompanySuspended{}),
	events.Publishes(companiesapi.CompanyResumed{}),
	events.Publishes(companiesapi.UserInvited{}),
	events.Publishes(companiesapi.UserJoined{}),
	events.Publishes(companiesapi.UserRoleChanged{}),
	events.Publishes(companiesapi.UserDeactivated{}),
	events.Publishes(companiesapi.UserReactivated{}),
	events.Publishes(companiesapi.LetterheadUpdated{}),
	events.Publishes(companiesapi.LogoUpdated{}),
	events.Publishes(companiesapi.LogoRemoved{}),
)
