package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// billingSection is subscriptions renewed and money posted, as --only names it.
	billingSection = "billing"
	// renewalPatience bounds the wait for the last renewal.
	renewalPatience = 2 * time.Hour
)

// billed is how fast subscriptions are renewed, and how fast the ledger takes postings.
type billed struct {
	renewals int
	// issued and paid are renewals a minute: until the last invoice was issued, and until the last one was paid. Parallel is how many
	// calls the vendor answered at the same time.
	issued, paid float64
	parallel     int
	posted, bare []float64 // transactions of two postings a second
}

// billing measures, with a service in this process, renewals through a vendor that takes its time, and the ledger.
func (t *trial) billing(ctx context.Context) (found *billed, err error) {
	if !t.options.asks(billingSection) {
		return nil, nil //nolint:nilnil // not asked for
	}
	b, err := t.billingStore(ctx)
	if err != nil {
		return nil, err
	}
	s, err := newBillingService(ctx, b.url, filepath.Join(t.product.dir, "billing"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Stop(context.WithoutCancel(ctx))) }()
	found = &billed{renewals: t.options.renewals}
	for round := range t.options.rounds {
		if err := t.postings(ctx, round, s, b, found); err != nil {
			return nil, err
		}
	}
	if err := t.say("ledger: %.0f transactions/s, bare %.0f/s", median(found.posted), median(found.bare)); err != nil {
		return nil, err
	}
	subscription, card, err := s.subscribe(ctx)
	if err != nil {
		return nil, err
	}
	fill := billingFill{db: s.DB.SQL(), postgres: t.db.name() == postgresName, subscription: subscription, card: card, company: s.customer}
	if err := fill.run(ctx, found.renewals); err != nil {
		return nil, err
	}
	if err := t.renew(ctx, s, found); err != nil {
		return nil, err
	}

	return found, t.say("%d renewals: issued %.0f a minute, paid %.0f a minute, %d calls at once", found.renewals, found.issued, found.paid, found.parallel)
}

// renew has the operator renew what is due until nothing is, and waits until all invoices are paid.
func (t *trial) renew(ctx context.Context, s *billingService, found *billed) error {
	begin := time.Now()
	for {
		var ran struct{ Done, Failed int }
		if err := s.operator.call(ctx, http.MethodPost, "/billing/api/v1/run", nil, &ran); err != nil {
			return err
		}
		if ran.Failed > 0 {
			return fmt.Errorf("%d subscriptions failed", ran.Failed)
		}
		if ran.Done == 0 {
			break
		}
	}
	perMinute := func() float64 { return float64(found.renewals) / time.Since(begin).Minutes() }
	found.issued = perMinute()
	for {
		var paid int
		row := s.DB.SQL().QueryRowContext(ctx, "SELECT COUNT(*) FROM billing_invoices WHERE state = 'paid'")
		if err := row.Scan(&paid); err != nil {
			return err
		}
		if paid == found.renewals+1 { // and the first one
			break
		}
		if time.Since(begin) > renewalPatience {
			return fmt.Errorf("%d of %d renewals are paid", paid-1, found.renewals)
		}
		time.Sleep(50 * time.Millisecond)
	}
	found.paid = perMinute()
	charged := 0
	if charged, found.parallel = s.vendor.most(); charged != found.renewals+1 {
		return fmt.Errorf("the vendor was asked for %d charges instead of %d", charged, found.renewals+1)
	}

	return nil
}

// postings measures transactions of two postings: each client debits an account of its own, and all credit the same one.
func (t *trial) postings(ctx context.Context, round int, s *billingService, b billingStore, found *billed) error {
	as := principal.AsCompany(ctx, s.house)
	for client := range publishers { // the accounts are there before
		if _, err := s.ledger.Post(as, benchTransaction(client, fmt.Sprintf("first %d", round))); err != nil {
			return err
		}
	}

	return inTurns(round, func() error {
		var posted atomic.Int64
		group, as := errgroup.WithContext(as)
		begin := time.Now()
		for client := range publishers {
			group.Go(func() error {
				for n := 0; time.Since(begin) < t.options.duration(); n++ {
					if _, err := s.ledger.Post(as, benchTransaction(client, fmt.Sprintf("%d %d", round, n))); err != nil {
						return err
					}
					posted.Add(1)
				}

				return nil
			})
		}
		err := group.Wait()
		found.posted = append(found.posted, float64(posted.Load())/time.Since(begin).Seconds())

		return err
	}, func() error {
		rate, err := b.insert(ctx, s, round, t.options.duration())
		found.bare = append(found.bare, rate)

		return err
	})
}

const (
	benchReceivable = "receivable:bench"
	benchIncome     = "income:bench"
)

func benchTransaction(client int, reference string) ledger.Transaction {
	price := money.OfUnits(9900, "USD")

	return ledger.Transaction{
		Reference: fmt.Sprintf("bench %d %s", client, reference), Kind: "bench",
		Postings: []ledger.Posting{
			ledger.Debit(ledger.Account{Code: fmt.Sprintf("%s%d", benchReceivable, client), Kind: ledger.Asset}, price),
			ledger.Credit(ledger.Account{Code: benchIncome, Kind: ledger.Income}, price),
		},
	}
}
