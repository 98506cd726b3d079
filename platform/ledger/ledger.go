package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// MaxUnits is the largest amount of a posting, in the smallest unit of its currency: ten trillion dollars. The sums of an
	// account and a day stay within an int64.
	MaxUnits = 1_000_000_000_000_000
	// MaxPostings is how many postings a transaction has at most.
	MaxPostings = 1_000

	maxText = 200
)

// Kind is a class of accounts. Assets and expenses normally have debit balances, the others credit balances.
type Kind string

// The kinds of accounts.
const (
	Asset     Kind = "asset"
	Liability Kind = "liability"
	Equity    Kind = "equity"
	Income    Kind = "income"
	Expense   Kind = "expense"
)

// Account names an account. It is opened by the first posting in each currency; its kind and subject cannot change after that.
type Account struct {
	// Code identifies the account within the company: "income:broker_fee", "receivable:<uuid of the contact>". It has at
	// most 200 characters.
	Code string
	Kind Kind
	// Subject is the item that the account is about; the zero value for none.
	Subject item.Ref
}

// Posting is a line of a transaction: a debit or a credit of an account.
type Posting struct {
	Account Account
	// Amount is more than zero for a debit and less than zero for a credit.
	Amount money.Money
}

// Debit debits an account with an amount. A negative amount credits it.
func Debit(a Account, amount money.Money) Posting { return Posting{Account: a, Amount: amount} }

// Credit credits an account with an amount. A negative amount debits it.
func Credit(a Account, amount money.Money) Posting {
	credit, err := amount.Neg()
	if err != nil { // an amount that cannot be negated is refused when it is posted, as it is
		credit = amount
	}

	return Posting{Account: a, Amount: credit}
}

// Transaction is what is posted together.
type Transaction struct {
	// Reference identifies the transaction within the company, such as "payments.payment:<uuid>:captured". It has at most
	// 200 characters.
	Reference string
	// Kind says what happened: "invoice_issued".
	Kind string
	// Day is the effective date; "" is today in the company's time zone.
	Day field.Date
	// Source is the item that the transaction is about; the zero value for none.
	Source item.Ref
	Memo   string
	// Postings add up to zero in each currency.
	Postings []Posting
}

// Posted is a transaction of the ledger.
type Posted struct {
	UUID uuid.UUID
	Transaction

	// Reverses is the transaction that this one reverses; nil for none.
	Reverses *uuid.UUID
	PostedAt time.Time
	PostedBy *uuid.UUID
}

// Zones knows the time in the caller's company.
type Zones interface {
	// Now returns the present in the time zone of the calling company.
	Now(ctx context.Context) (time.Time, error)
}

// Trail records that a period was closed or reopened.
type Trail interface {
	Record(ctx context.Context, e audit.Entry) error
}

// Ledger posts transactions and knows balances. It may be used from several goroutines.
type Ledger struct {
	db    *database.DB
	rows  repository
	clock clock.Clock
	zones Zones
	trail Trail
}

// New returns the ledger of a database.
func New(db *database.DB, clk clock.Clock, zones Zones, trail Trail) *Ledger {
	return &Ledger{db: db, rows: repository{db}, clock: clk, zones: zones, trail: trail}
}

// Post posts a transaction, in the caller's database transaction if there is one, and returns its id. If the reference was
// posted before with the same day, kind, source and postings, it returns the id of that transaction, even if the period has
// been closed since; a Day of "" matches any day.
//
// Errors: ledger.unbalanced, ledger.invalid_transaction, ledger.too_large, ledger.reference_conflict, ledger.account_conflict,
// ledger.period_closed; money.scale for an amount that the currency does not have.
func (l *Ledger) Post(ctx context.Context, t Transaction) (uuid.UUID, error) {
	lines, err := linesOf(t)
	if err != nil {
		return uuid.Nil, fmt.Errorf("ledger transaction %s: %w", t.Reference, err)
	}
	var id uuid.UUID
	err = l.db.InTx(ctx, func(ctx context.Context) error {
		id, err = l.post(ctx, t, lines, nil)

		return err
	})
	if err != nil {
		return uuid.Nil, fmt.Errorf("ledger transaction %s: %w", t.Reference, err)
	}

	return id, nil
}

// Reverse posts the opposite of a transaction, today in the company's time zone, and returns the id of the reversal. A transaction
// is reversed once, and a reversal cannot be reversed: post the transaction again under another reference.
//
// Errors: ledger.not_found, ledger.already_reversed, ledger.is_reversal, ledger.invalid_transaction without a reason.
func (l *Ledger) Reverse(ctx context.Context, id uuid.UUID, reason string) (uuid.UUID, error) {
	var reversal uuid.UUID
	err := l.db.InTx(ctx, func(ctx context.Context) error {
		original, err := l.Find(ctx, id)
		switch {
		case err != nil:
			return err
		case original.Reverses != nil:
			return ErrIsReversal
		case strings.TrimSpace(reason) == "":
			return ErrInvalid.WithMessage("A reversal needs a reason.")
		}
		if earlier, err := l.rows.reversalOf(ctx, id); err != nil || earlier != uuid.Nil {
			return alreadyReversed(earlier, err)
		}
		t := Transaction{
			Reference: "reversal:" + id.String(), Kind: original.Kind, Source: original.Source, Memo: reason,
			Postings: make([]Posting, len(original.Postings)),
		}
		for i, p := range original.Postings {
			t.Postings[i] = Credit(p.Account, p.Amount)
		}
		lines, err := linesOf(t)
		if err != nil {
			return err
		}
		reversal, err = l.post(ctx, t, lines, &id)

		return err
	})
	if err != nil {
		return uuid.Nil, fmt.Errorf("reversal of ledger transaction %s: %w", id, err)
	}

	return reversal, nil
}

func alreadyReversed(by uuid.UUID, err error) error {
	if err != nil {
		return err
	}

	return ErrAlreadyReversed.WithDetail("reversal", by.String())
}

// Find returns a transaction, or ledger.not_found.
func (l *Ledger) Find(ctx context.Context, id uuid.UUID) (Posted, error) {
	row, err := l.rows.transaction(ctx, "id = ?", id)
	if err != nil {
		return Posted{}, err
	}
	if row == nil {
		return Posted{}, ErrNotFound
	}

	return l.posted(ctx, *row)
}

func (l *Ledger) posted(ctx context.Context, row transactionRow) (Posted, error) {
	lines, err := l.rows.lines(ctx, row.ID)
	if err != nil {
		return Posted{}, err
	}
	p := Posted{
		UUID: row.ID, Reverses: row.ReversesID, PostedAt: row.PostedAt, PostedBy: row.PostedBy,
		Transaction: Transaction{
			Reference: row.Reference, Kind: row.Kind, Day: row.Day, Source: ref(row.SourceType, row.SourceID), Memo: row.Memo,
			Postings: make([]Posting, len(lines)),
		},
	}
	for i, line := range lines {
		p.Postings[i] = Posting{Account: line.account, Amount: money.OfUnits(line.units, line.currency)}
	}

	return p, nil
}

// line is a posting in units of its currency.
type line struct {
	account  Account
	currency money.Currency
	units    int64
}

// linesOf checks a transaction and returns its postings in units.
func linesOf(t Transaction) ([]line, error) {
	switch {
	case t.Reference == "" || len(t.Reference) > maxText:
		return nil, ErrInvalid.WithMessage("The reference must have 1 to %d characters.", maxText)
	case t.Kind == "" || len(t.Kind) > maxText:
		return nil, ErrInvalid.WithMessage("The kind must have 1 to %d characters.", maxText)
	case len(t.Postings) < 2 || len(t.Postings) > MaxPostings:
		return nil, ErrInvalid.WithMessage("A transaction must have 2 to %d postings, not %d.", MaxPostings, len(t.Postings))
	}
	lines, sums := make([]line, len(t.Postings)), map[money.Currency]int64{}
	for i, p := range t.Postings {
		if err := p.Account.check(); err != nil {
			return nil, err
		}
		amount, err := money.Of(p.Amount.Amount, p.Amount.Currency)
		if err != nil {
			return nil, err
		}
		units, ok := amount.Units()
		switch {
		case !ok || units > MaxUnits || units < -MaxUnits:
			return nil, ErrTooLarge.WithMessage("The amount is too large for the ledger, which takes at most %s %s.", largest(amount.Currency), amount.Currency).
				WithDetail("maximum", largest(amount.Currency))
		case units == 0:
			return nil, ErrInvalid.WithMessage("The posting to %s has the amount zero.", p.Account.Code)
		}
		lines[i] = line{account: p.Account, currency: amount.Currency, units: units}
		sums[amount.Currency] += units
	}
	for currency, sum := range sums {
		if sum != 0 {
			return nil, ErrUnbalanced.WithMessage("The postings add up to %s, not to zero.", money.OfUnits(sum, currency))
		}
	}

	return lines, nil
}

func (a Account) check() error {
	switch a.Kind {
	case Asset, Liability, Equity, Income, Expense:
	default:
		return ErrInvalid.WithMessage("The account %s has the unknown kind %q.", a.Code, a.Kind)
	}
	if a.Code == "" || len(a.Code) > maxText {
		return ErrInvalid.WithMessage("The code of an account must have 1 to %d characters.", maxText)
	}

	return nil
}

// post stores a checked transaction.
func (l *Ledger) post(ctx context.Context, t Transaction, lines []line, reverses *uuid.UUID) (uuid.UUID, error) {
	row := transactionRow{
		ID: database.NewID(), Reference: t.Reference, Kind: t.Kind, Day: t.Day, SourceType: t.Source.Type, SourceID: idOf(t.Source),
		ReversesID: reverses, Memo: t.Memo, PostedAt: l.clock.Now().UTC(), PostedBy: principal.UserOf(ctx),
	}
	if row.Day == "" {
		var err error
		if row.Day, err = l.today(ctx); err != nil {
			return uuid.Nil, err
		}
	}
	closed, err := l.rows.shareBook(ctx, l.clock.Now())
	if err != nil {
		return uuid.Nil, err
	}
	if closed >= row.Day {
		return l.postedBefore(ctx, t, lines, ErrPeriodClosed.WithDetail("through", string(closed)))
	}
	accounts, err := l.rows.open(ctx, lines, row.PostedAt)
	if err != nil {
		return uuid.Nil, err
	}
	stored, err := l.rows.add(ctx, row, lines, accounts)
	if err != nil {
		return uuid.Nil, err
	}
	if !stored {
		return l.postedBefore(ctx, t, lines, ErrReferenceConflict)
	}

	return row.ID, nil
}

// postedBefore returns the id of the transaction that was posted under the reference of t if it is the same as t. If none was
// posted, the failure is missing; if another was, it is ledger.reference_conflict.
func (l *Ledger) postedBefore(ctx context.Context, t Transaction, lines []line, missing error) (uuid.UUID, error) {
	row, err := l.rows.transaction(ctx, "reference = ?", t.Reference)
	if err != nil {
		return uuid.Nil, err
	}
	if row == nil {
		return uuid.Nil, missing
	}
	stored, err := l.rows.lines(ctx, row.ID)
	if err != nil {
		return uuid.Nil, err
	}
	same := row.Kind == t.Kind && (t.Day == "" || row.Day == t.Day) && ref(row.SourceType, row.SourceID) == t.Source && len(stored) == len(lines)
	for i := 0; same && i < len(lines); i++ {
		same = stored[i] == lines[i]
	}
	if !same {
		return uuid.Nil, ErrReferenceConflict.WithDetail("transaction", row.ID.String())
	}

	return row.ID, nil
}

func ref(itemType string, id *uuid.UUID) item.Ref {
	if id == nil {
		return item.Ref{Type: itemType}
	}

	return item.Ref{Type: itemType, UUID: *id}
}

func idOf(r item.Ref) *uuid.UUID {
	if r.UUID == uuid.Nil {
		return nil
	}

	return &r.UUID
}

// largest is the most that a posting may have in a currency.
func largest(in money.Currency) money.Amount { return money.OfUnits(MaxUnits, in).Amount }
