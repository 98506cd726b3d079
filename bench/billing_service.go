package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing"
	"github.com/dispatchd/dispatchd/modules/cards"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/module"
)

// slowCards is a vendor of card payments that captures everything after a while.
type slowCards struct {
	mu           sync.Mutex
	charged      int
	inside, peak int // at the same time
}

func (*slowCards) Capabilities() cardsapi.Capabilities {
	return cardsapi.Capabilities{DedupesFor: 24 * time.Hour}
}
func (*slowCards) Explain(string) string { return "" }

func (v *slowCards) Open(cardsapi.Opening) (cardsapi.Account, error) { //nolint:unparam // as all vendors have it
	return cardsapi.AccountOf(slowCardAccount{vendor: v}), nil
}

// most returns how many charges were made, and how many at the same time.
func (v *slowCards) most() (charged, most int) {
	v.mu.Lock()
	defer v.mu.Unlock()

	return v.charged, v.peak
}

var (
	_ cardsapi.VendorVault    = slowCardAccount{}
	_ cardsapi.VendorPayments = slowCardAccount{}
)

// slowCardAccount leaves what is not called to the interface that it has not.
type slowCardAccount struct {
	cardsapi.Account

	vendor *slowCards
}

func (slowCardAccount) Health(context.Context) error { return nil }
func (slowCardAccount) Page() cardsapi.PageConfig    { return cardsapi.PageConfig{} }

func (slowCardAccount) Payouts(context.Context, cardsapi.Window) ([]cardsapi.VendorPayout, string, error) {
	return nil, "", nil
}

func (slowCardAccount) SaveCard(_ context.Context, o cardsapi.VendorCardOrder) (cardsapi.VendorCard, error) {
	return cardsapi.VendorCard{ID: o.Reference, Customer: "C", Brand: "visa", Last4: "1111", Month: 12, Year: 2099, Enabled: true}, nil
}

func (a slowCardAccount) Charge(_ context.Context, o cardsapi.VendorCharge) (cardsapi.VendorPayment, error) {
	v := a.vendor
	v.mu.Lock()
	v.inside++
	v.peak = max(v.peak, v.inside)
	v.mu.Unlock()
	time.Sleep(vendorLatency)
	v.mu.Lock()
	v.inside--
	v.charged++
	v.mu.Unlock()

	return cardsapi.VendorPayment{ID: "V" + o.Reference, Reference: o.Reference, State: cardsapi.PaymentCaptured, Amount: o.Amount, Fee: 317}, nil
}

// billingService is a service in this process that sells subscriptions.
type billingService struct {
	*app.App

	ledger          *ledger.Ledger
	vendor          *slowCards
	house, customer uuid.UUID
	operator, buyer api
}

func newBillingService(ctx context.Context, url, dir string) (*billingService, error) {
	s := &billingService{vendor: &slowCards{}}
	areas := []module.Module{billing.Module, cards.Module, companies.Module, slowCardsArea(s.vendor)}
	cfg, err := app.Load(config.LoadOptions{Modules: areas, Set: []string{
		"secret.key=" + masterKey, "database.url=" + url, "data_dir=" + dir, "log.level=error", "web.address=127.0.0.1:0",
	}})
	if err != nil {
		return nil, err
	}
	if s.App, err = serving(cfg, areas, &s.ledger); err != nil {
		return nil, err
	}
	if err := s.Start(ctx); err != nil {
		return nil, err
	}

	return s, s.open(ctx)
}

// open sets up the seller and a company.
func (s *billingService) open(ctx context.Context) error {
	base := "http://" + s.API.Address()
	token := func(name string) (uuid.UUID, api, error) {
		company, err := s.Identity.CreateCompany(ctx, identity.NewCompany{Name: name})
		if err != nil {
			return company.ID, api{}, err
		}
		_, text, err := s.Identity.IssueToken(ctx, identity.NewToken{Company: company.ID, Name: "bench", Scopes: []string{"*"}})

		return company.ID, api{base: base, token: text}, err
	}
	_, text, err := s.Identity.IssueOperatorToken(ctx, identity.NewToken{Name: "bench", Scopes: []string{"*"}})
	if err != nil {
		return err
	}
	s.operator = api{base: base, token: text}
	house, seller, err := token("House")
	if err != nil {
		return err
	}
	s.house = house
	if s.customer, s.buyer, err = token("Customer"); err != nil {
		return err
	}
	body := fmt.Appendf(nil, `{"company_uuid": %q, "name": "Bench Inc."}`, house)
	if err := s.operator.call(ctx, http.MethodPut, "/billing/api/v1/seller", body, &struct{}{}); err != nil {
		return err
	}
	err = s.operator.post(ctx, "/billing/api/v1/plans", map[string]any{
		"code": "pro", "name": "Pro", "interval": "month", "price": "99.00", "currency": "USD", "public": true,
	}, &struct{}{})
	if err != nil {
		return err
	}

	return seller.post(ctx, "/cards/api/v1/accounts", map[string]any{"name": "Slow", "provider": "slow"}, &struct{}{})
}

// subscribe subscribes the company, and returns its subscription and its card once the first invoice is paid.
func (s *billingService) subscribe(ctx context.Context) (subscription, card string, err error) {
	var answer created
	if err := s.buyer.post(ctx, "/billing/api/v1/cards", map[string]any{"token": "tok"}, &answer); err != nil {
		return "", "", err
	}
	card = answer.UUID
	err = s.buyer.post(ctx, "/billing/api/v1/subscriptions", map[string]any{"plan_code": "pro", "card_uuid": card}, &answer)
	if err != nil {
		return "", "", err
	}
	for range 1000 {
		var now struct{ State string }
		if err := s.buyer.call(ctx, http.MethodGet, "/billing/api/v1/subscriptions/"+answer.UUID, nil, &now); err != nil {
			return "", "", err
		}
		if now.State == "active" {
			return answer.UUID, card, nil
		}
		time.Sleep(10 * time.Millisecond)
	}

	return "", "", errors.New("the first invoice was not paid")
}
