package quotes

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// sender freezes drafts, so that customers can be shown them.
type sender struct {
	quotes   *resource.Resource[quote]
	trade    *trade
	settings *settings.Settings[preferences]
	clock    clock.Clock
}

func newSender(quotes *resource.Resource[quote], t *trade, terms *settings.Settings[preferences], c clock.Clock) *sender {
	return &sender{quotes, t, terms, c}
}

// release freezes a draft, and gives its prices to the load.
func (s *sender) release(ctx context.Context, id uuid.UUID, match web.IfMatch, tariff money.Amount) (quote, error) {
	terms, err := s.settings.Read(ctx)
	if err != nil {
		return quote{}, err
	}
	now := s.clock.Now()
	q, err := s.quotes.Change(ctx, id, match, verbSend, func(ctx context.Context, q *quote) error {
		if err := s.quotes.Step(ctx, q, state.Move{Verb: string(verbSend)}); err != nil {
			return err
		}
		of, err := s.trade.offered(ctx, q)
		if err != nil {
			return err
		}
		if err := unchanged(of, q.Offered.V); err != nil {
			return err
		}
		if of.AvailableFrom != q.Offered.V.AvailableFrom {
			return errChanged.WithDetail("fields", []string{loadsapi.FieldDay})
		}
		if units, _ := q.units(q.Tariff); units == 0 {
			return errNoPrice
		}
		if err := q.named(ctx, tariff, q.Tariff, match); err != nil {
			return err
		}
		if err := s.trade.samePlan(ctx, *q, q.Options.V...); err != nil {
			return err
		}
		if q.ValidUntil == nil {
			until := now.AddDate(0, 0, int(terms.Now.ValidDays))
			q.ValidUntil = &until
		}
		if !q.ValidUntil.After(now) {
			return errInvalid.WithField("valid_until", "`valid_until` must be in the future.")
		}
		q.SentAt, q.Terms = &now, terms.Now.Terms

		return nil
	})
	if err != nil {
		return q, err
	}

	return q, s.trade.quote(ctx, q)
}

// named refuses what the company does with a price without saying which one, or saying another one. Customers name the quote that they were shown.
func (q *quote) named(ctx context.Context, said, is money.Amount, match web.IfMatch) error {
	asked, ok := q.units(said)
	price, _ := q.units(is)
	switch {
	case said == "" && match.IfMatch != "" && match.IfMatch != "*":
		return nil
	case said == "":
		return errInvalid.WithField("tariff", "The `tariff` is required, as you read it. Or send If-Match with the ETag of the quote.")
	case !ok || asked != price:
		if who, _ := principal.From(ctx); !who.Allows(loadsapi.Margins) {
			return errTariff
		}

		return errTariff.WithDetail("tariff", is)
	}

	return nil
}
