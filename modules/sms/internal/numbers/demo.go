package numbers

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// The account and the number of the demo company have the same ids everywhere, so that a request from the documentation
// works as it stands.
const (
	demoAccount = "0190d0c0-0000-7000-8000-000000000401"
	demoNumber  = "0190d0c0-0000-7000-8000-000000000402"
	demoE164    = "+12025550160"
)

// DemoSeed makes what the demo company has.
type DemoSeed struct {
	store    *store.Repository
	vendors  *vendors.Service
	defaults *Defaults
	clock    clock.Clock
	settings *settings.Settings
}

// NewDemoSeed returns a DemoSeed.
func NewDemoSeed(r *store.Repository, v *vendors.Service, d *Defaults, c clock.Clock, s *settings.Settings) *DemoSeed {
	return &DemoSeed{store: r, vendors: v, defaults: d, clock: c, settings: s}
}

// Seed gives the demo company a sandbox account, and a number that is everybody's default.
func (s *DemoSeed) Seed(ctx context.Context) error {
	now := s.clock.Now()
	account := store.Account{Account: s.vendors.Accounts.NewAccount("Sandbox", sandbox.Name)}
	account.ID = uuid.MustParse(demoAccount)
	if err := s.vendors.Accounts.Seal(ctx, &account, nil); err != nil {
		return err
	}
	if err := s.vendors.Accounts.Create(ctx, &account, nil); err != nil {
		return err
	}
	row := demoLine(now)
	row.PerMinute = int64(s.settings.PerMinute)
	if err := s.store.Insert(ctx, &row); err != nil {
		return err
	}
	_, err := s.defaults.setCompany(ctx, &row.ID)

	return err
}

// demoLine is a number as the sandbox sells it.
func demoLine(now time.Time) store.Number {
	return store.Number{
		ID: uuid.MustParse(demoNumber), AccountID: uuid.MustParse(demoAccount), Number: demoE164, Label: "Dispatch", Kind: provider.Local,
		SMS: true, MMS: true, Voice: true, Registration: provider.Registered, ProviderID: "PN12025550160", State: store.NumberActive,
		Version: 1, CreatedAt: now, UpdatedAt: now,
	}
}
