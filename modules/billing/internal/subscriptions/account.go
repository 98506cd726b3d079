package subscriptions

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/billing/internal/catalogue"
	"github.com/dispatchd/dispatchd/modules/billing/internal/charging"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Account says what a company has subscribed to, and owes.
type Account struct {
	tables *store.Tables
	wallet *charging.Wallet
	plans  *catalogue.Plans
}

// NewAccount returns an Account.
func NewAccount(t *store.Tables, w *charging.Wallet, p *catalogue.Plans) *Account {
	return &Account{tables: t, wallet: w, plans: p}
}

// AccountRoutes are the operations on the account of a company.
func AccountRoutes(r *web.Router, s *Account) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/account", ID: "read_account", Access: web.Read, Summary: "Read what the company has subscribed to, and what it owes",
		Errors: []*errs.Error{store.ErrNoSeller},
	}, s.getAccount)
}

// accountBody is what a company has subscribed to, and owes.
type accountBody struct {
	Subscription *store.Subscription `json:"subscription" doc:"Null without one."`
	Plan         *store.Plan         `json:"plan" doc:"Null without a subscription."`
	Flags        map[string]bool     `json:"flags" nullable:"false" doc:"Features of the plan, by name."`
	Limits       map[string]int64    `json:"limits" nullable:"false" doc:"Limits of the plan, by name; what is absent is not limited."`
	Due          []money.Money       `json:"due" nullable:"false" doc:"What is left to pay of open invoices."`
	Cards        []charging.CardBody `json:"cards" nullable:"false"`
}

// SchemaName implements web.SchemaNamer.
func (accountBody) SchemaName() string { return "BillingAccount" }

type accountOutput struct{ Body accountBody }

func (s *Account) getAccount(ctx context.Context, _ *struct{}) (*accountOutput, error) {
	cards, err := s.wallet.Shown(ctx)
	if err != nil {
		return nil, err
	}
	out := &accountOutput{accountBody{Flags: map[string]bool{}, Limits: map[string]int64{}, Due: []money.Money{}, Cards: cards}}
	if out.Body.Due, err = s.due(ctx); err != nil {
		return nil, err
	}
	sub, err := s.tables.Current(ctx)
	if errs.KindOf(err) == errs.NotFound {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := s.plans.Find(ctx, sub.Plan)
	if err != nil {
		return nil, err
	}
	if full, _ := store.Granted(sub.State); full && p.Features.V.Flags != nil {
		out.Body.Flags = p.Features.V.Flags
	}
	if p.Limits.V != nil {
		out.Body.Limits = p.Limits.V
	}
	out.Body.Subscription, out.Body.Plan = &sub, &p

	return out, s.tables.Subscriptions.Show(ctx, nil, &sub)
}

// due adds up what is left to pay, by currency.
func (s *Account) due(ctx context.Context) ([]money.Money, error) {
	open, err := s.tables.Invoices.Where(ctx, "state = ?", store.InvoiceOpen)
	if err != nil {
		return nil, err
	}
	all := []money.Money{}
	for _, i := range open {
		added := false
		for n := range all {
			if all[n].Currency == i.Currency {
				added = true
				if all[n], err = all[n].Add(i.Money(i.Balance)); err != nil {
					return nil, err
				}
			}
		}
		if !added {
			all = append(all, i.Money(i.Balance))
		}
	}

	return all, nil
}
