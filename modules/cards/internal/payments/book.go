// Package payments saves cards, charges and refunds them: it takes orders, hands them to vendors at most once (platform/handover), and
// applies what vendors report.
package payments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/cardnumber"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Book is the shelf of the area: its tables, their database, and the clock by which rows are stamped (ADR 0106).
type Book struct {
	DB       *database.DB
	Payments *resource.Resource[store.Payment]
	Refunds  *resource.Resource[store.Refund]
	Cards    *resource.Resource[store.Card]
	Disputes *resource.Resource[store.Dispute]
	Payouts  *resource.Resource[store.Payout]
	Clock    clock.Clock
}

// NewBook returns a Book.
func NewBook(
	db *database.DB, p *resource.Resource[store.Payment], r *resource.Resource[store.Refund], c *resource.Resource[store.Card],
	d *resource.Resource[store.Dispute], o *resource.Resource[store.Payout], clk clock.Clock,
) *Book {
	return &Book{DB: db, Payments: p, Refunds: r, Cards: c, Disputes: d, Payouts: o, Clock: clk}
}

// asService returns a context in which the service acts instead of the caller.
func asService(ctx context.Context) context.Context {
	return principal.AsCompany(ctx, principal.CompanyOf(ctx))
}

func (b *Book) now() time.Time { return b.Clock.Now() }

// changePayment holds a payment, and has do change it, as the service.
func (b *Book) changePayment(ctx context.Context, id uuid.UUID, verb resource.Verb, do func(context.Context, *store.Payment) error) (store.Payment, error) {
	return b.Payments.Change(asService(ctx), id, web.IfMatch{}, verb, do)
}

func (b *Book) changeCard(ctx context.Context, id uuid.UUID, verb resource.Verb, do func(context.Context, *store.Card) error) (store.Card, error) {
	return b.Cards.Change(asService(ctx), id, web.IfMatch{}, verb, do)
}

// first returns the first of some rows, nil if there is none.
func first[R any](rows []R, err error) (*R, error) {
	if err != nil || len(rows) == 0 {
		return nil, err
	}

	return &rows[0], nil
}

// fingerprint tells one order from another with the same reference.
func fingerprint(order any) (string, error) {
	text, err := json.Marshal(order)
	sum := sha256.Sum256(text)

	return hex.EncodeToString(sum[:]), err
}

// failure is what a row keeps of a vendor's refusal.
type failure struct {
	Reason, Code, Detail, Explanation string
	Final                             bool
}

const longestDetail = 500

func failureOf(err error, explain func(string) string) failure {
	refusal := accounts.Refusal(err)
	if refusal == nil {
		return failure{}
	}

	return newFailure(refusal.Reason, refusal.Code, refusal.Detail, accounts.IsFinal(err), explain)
}

func newFailure(reason cardsapi.Reason, code, detail string, final bool, explain func(string) string) failure {
	f := failure{Reason: string(reason), Code: clip(code), Detail: clip(detail), Explanation: reason.Explain(), Final: final}
	if explain != nil && code != "" {
		if text := explain(code); text != "" {
			f.Explanation = text
		}
	}

	return f
}

// clip shortens a vendor's text. A card number in it, which no vendor should send, is not kept.
func clip(text string) string {
	if cardnumber.In([]byte(text)) {
		return ""
	}
	if runes := []rune(text); len(runes) > longestDetail {
		text = string(runes[:longestDetail])
	}

	return text
}

func setPaymentFailure(row *store.Payment, f failure) {
	row.Reason, row.Code, row.Detail, row.Explanation, row.Final = f.Reason, f.Code, f.Detail, f.Explanation, f.Final
}

func setRefundFailure(row *store.Refund, f failure) {
	row.Reason, row.Code, row.Detail, row.Explanation = f.Reason, f.Code, f.Detail, f.Explanation
}

func setCardFailure(row *store.Card, f failure) {
	row.Reason, row.Code, row.Detail, row.Explanation = f.Reason, f.Code, f.Detail, f.Explanation
}

// lastDay is the last day of a month, "" for none.
func lastDay(year, month int) string {
	if year == 0 || month < 1 || month > 12 {
		return ""
	}

	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// amountOf reads an amount of the contract. Errors: cards.currency_mismatch, cards.invalid.
func amountOf(m cardsapi.Money) (money.Amount, money.Currency, error) {
	in, err := money.ParseCurrency(m.Currency)
	if err != nil {
		return "", "", store.ErrCurrency.WithField("currency", "The currency must be a three-letter ISO 4217 currency code, such as USD.")
	}
	if m.Units <= 0 || m.Units > mostUnits {
		return "", "", store.ErrInvalid.WithField("amount", "The amount must be more than 0 and at most 99,999,999.99.")
	}

	return store.AmountOf(m.Units, in), in, nil
}

// MoneyOf reads an amount of a request. Errors: cards.invalid, cards.currency_mismatch, money.scale.
func MoneyOf(amount money.Amount, in money.Currency) (cardsapi.Money, error) {
	if amount == "" || in == "" {
		return cardsapi.Money{}, store.ErrInvalid.WithField("amount", "The amount and the currency are required.")
	}
	m, err := money.Of(amount, in)
	if err != nil {
		return cardsapi.Money{}, err
	}
	units, ok := m.Units()
	if !ok {
		return cardsapi.Money{}, store.ErrInvalid.WithField("amount", in.AmountBetween("amount", 1, math.MaxInt64))
	}
	read := cardsapi.Money{Units: units, Currency: string(in)}
	_, _, err = amountOf(read)

	return read, err
}

const mostUnits = 9_999_999_999
