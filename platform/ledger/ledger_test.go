package ledger_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
)

var (
	ann        = item.Ref{Type: "contacts.contact", UUID: uuid.MustParse("0190d0c0-0000-7000-8000-000000000001")}
	receivable = ledger.Account{Code: "receivable:ann", Kind: ledger.Asset, Subject: ann}
	cash       = ledger.Account{Code: "cash", Kind: ledger.Asset}
	fee        = ledger.Account{Code: "income:broker_fee", Kind: ledger.Income}
)

func usd(amount string) money.Money {
	return money.Money{Amount: money.Amount(amount), Currency: "USD"}
}

// invoice is a transaction of an amount.
func invoice(reference, amount string) ledger.Transaction {
	return ledger.Transaction{
		Reference: reference, Kind: "invoice_issued", Source: item.Ref{Type: "invoices.invoice", UUID: ann.UUID},
		Postings: []ledger.Posting{ledger.Debit(receivable, usd(amount)), ledger.Credit(fee, usd(amount))},
	}
}

// each runs a test on both databases, with the ledger of a company and a clock at noon of 24 November 2026.
func each(t *testing.T, test func(t *testing.T, a *moduletest.App, clk *clock.Fake)) {
	t.Helper()
	moduletest.BootEach(t, nil, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		clk := clock.NewFake(time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC))
		a.Ledger = ledger.New(a.DB, clk, utc{clk}, a.Audit)
		test(t, a, clk)
	})
}

// as returns a context in which a company is calling.
func as(t *testing.T, c moduletest.Company) context.Context {
	t.Helper()

	return principal.AsCompany(t.Context(), c.ID)
}

// utc is the time zone of all companies.
type utc struct{ clk clock.Clock }

func (z utc) Now(context.Context) (time.Time, error) { return z.clk.Now().UTC(), nil }

func requireBalance(t require.TestingT, ctx context.Context, books *ledger.Ledger, a ledger.Account, asOf field.Date, want string) { //nolint:revive // the test leads
	got, err := books.Balance(ctx, a.Code, "USD", asOf)
	require.NoError(t, err)
	require.Equal(t, usd(want), got, a.Code)
}

func TestPost_MovesBothSides(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ *clock.Fake) {
		t.Helper()
		ctx := as(t, a.Owner)
		id, err := a.Ledger.Post(ctx, invoice("i1", "200.00"))
		require.NoError(t, err)
		_, err = a.Ledger.Post(ctx, ledger.Transaction{
			Reference: "p1", Kind: "payment", Day: "2026-11-20", Memo: "Check 17",
			Postings: []ledger.Posting{ledger.Debit(cash, usd("150.00")), ledger.Credit(receivable, usd("150.00"))},
		})
		require.NoError(t, err)

		requireBalance(t, ctx, a.Ledger, receivable, "", "50.00")
		requireBalance(t, ctx, a.Ledger, receivable, "2026-11-23", "-150.00")
		requireBalance(t, ctx, a.Ledger, fee, "", "-200.00")
		all, err := a.Ledger.Balances(ctx, ledger.Query{Subject: ann})
		require.NoError(t, err)
		require.Equal(t, []ledger.Balance{{Account: receivable, Debits: usd("200.00"), Credits: usd("150.00"), Net: usd("50.00")}}, all)

		found, err := a.Ledger.Find(ctx, id)
		require.NoError(t, err)
		require.Equal(t, field.Date("2026-11-24"), found.Day, "today in the company's time zone")
		require.Equal(t, invoice("i1", "200.00").Postings, found.Postings)

		other := as(t, a.NewCompany(t))
		requireBalance(t, other, a.Ledger, receivable, "", "0.00")
		_, err = a.Ledger.Find(other, id)
		require.ErrorIs(t, err, ledger.ErrNotFound)
	})
}

func TestPost_RefusesWhatIsNoTransaction(t *testing.T) {
	t.Parallel()
	euros := money.Money{Amount: "1.00", Currency: "EUR"}
	each(t, func(t *testing.T, a *moduletest.App, _ *clock.Fake) {
		t.Helper()
		ctx := as(t, a.Owner)
		_, err := a.Ledger.Post(ctx, invoice("before", "1.00"))
		require.NoError(t, err)
		for name, test := range map[string]struct {
			postings []ledger.Posting
			want     *errs.Error
		}{
			"one side":              {[]ledger.Posting{ledger.Debit(cash, usd("1.00"))}, ledger.ErrInvalid},
			"a cent off":            {[]ledger.Posting{ledger.Debit(cash, usd("1.00")), ledger.Credit(fee, usd("0.99"))}, ledger.ErrUnbalanced},
			"two currencies":        {[]ledger.Posting{ledger.Debit(cash, usd("1.00")), ledger.Credit(fee, euros)}, ledger.ErrUnbalanced},
			"nothing":               {[]ledger.Posting{ledger.Debit(cash, usd("0.00")), ledger.Credit(fee, usd("0.00"))}, ledger.ErrInvalid},
			"half a cent":           {[]ledger.Posting{ledger.Debit(cash, usd("0.005")), ledger.Credit(fee, usd("0.005"))}, money.ErrScale},
			"too much":              {[]ledger.Posting{ledger.Debit(cash, usd("10000000000000.01")), ledger.Credit(fee, usd("10000000000000.01"))}, ledger.ErrTooLarge},
			"more than fits":        {[]ledger.Posting{ledger.Debit(cash, usd("900000000000000000.00")), ledger.Credit(fee, usd("900000000000000000.00"))}, ledger.ErrTooLarge},
			"an account's new kind": {[]ledger.Posting{ledger.Debit(ledger.Account{Code: fee.Code, Kind: ledger.Asset}, usd("1.00")), ledger.Credit(fee, usd("1.00"))}, ledger.ErrAccountConflict},
			"another subject":       {[]ledger.Posting{ledger.Debit(ledger.Account{Code: receivable.Code, Kind: ledger.Asset}, usd("1.00")), ledger.Credit(fee, usd("1.00"))}, ledger.ErrAccountConflict},
			"no kind":               {[]ledger.Posting{ledger.Debit(ledger.Account{Code: "x"}, usd("1.00")), ledger.Credit(fee, usd("1.00"))}, ledger.ErrInvalid},
		} {
			_, err := a.Ledger.Post(ctx, ledger.Transaction{Reference: name, Kind: "test", Postings: test.postings})
			require.ErrorIs(t, err, test.want, name)
		}
		requireBalance(t, ctx, a.Ledger, fee, "", "-1.00")
	})
}

func TestPost_OfAReferenceHappensOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ *clock.Fake) {
		t.Helper()
		ctx := as(t, a.Owner)
		ids := make([]uuid.UUID, 8)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				id, err := a.Ledger.Post(ctx, invoice("i1", "200.00"))
				if err == nil {
					ids[i] = id
				}
			})
		}
		all.Wait()
		for _, id := range ids {
			require.NotEqual(t, uuid.Nil, id)
			require.Equal(t, ids[0], id)
		}
		requireBalance(t, ctx, a.Ledger, receivable, "", "200.00")

		for name, change := range map[string]func(*ledger.Transaction){
			"amount":   func(t *ledger.Transaction) { *t = invoice("i1", "200.01") },
			"kind":     func(t *ledger.Transaction) { t.Kind = "payment" },
			"day":      func(t *ledger.Transaction) { t.Day = "2026-11-23" },
			"source":   func(t *ledger.Transaction) { t.Source = item.Ref{} },
			"postings": func(t *ledger.Transaction) { t.Postings[0], t.Postings[1] = t.Postings[1], t.Postings[0] },
		} {
			changed := invoice("i1", "200.00")
			change(&changed)
			_, err := a.Ledger.Post(ctx, changed)
			require.ErrorIs(t, err, ledger.ErrReferenceConflict, name)
			conflict, _ := errors.AsType[*errs.Error](err)
			require.Equal(t, ids[0].String(), conflict.Details["transaction"])
		}
	})
}

func TestPost_LeavesNothingOfARolledBackTransaction(t *testing.T) {
	t.Parallel()
	failed := errors.New("the caller failed")
	each(t, func(t *testing.T, a *moduletest.App, _ *clock.Fake) {
		t.Helper()
		ctx := as(t, a.Owner)
		err := a.DB.InTx(ctx, func(ctx context.Context) error {
			_, err := a.Ledger.Post(ctx, invoice("i1", "200.00"))
			require.NoError(t, err)

			return failed
		})
		require.ErrorIs(t, err, failed)
		all, err := a.Ledger.Balances(ctx, ledger.Query{})
		require.NoError(t, err)
		require.Empty(t, all)
	})
}

func TestReverse_TakesATransactionBackOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, clk *clock.Fake) {
		t.Helper()
		ctx := as(t, a.Owner)
		id, err := a.Ledger.Post(ctx, invoice("i1", "200.00"))
		require.NoError(t, err)
		clk.Advance(24 * time.Hour)
		_, err = a.Ledger.Reverse(ctx, id, " ")
		require.ErrorIs(t, err, ledger.ErrInvalid)

		reversal, err := a.Ledger.Reverse(ctx, id, "Wrong customer")
		require.NoError(t, err)
		requireBalance(t, ctx, a.Ledger, receivable, "", "0.00")
		requireBalance(t, ctx, a.Ledger, receivable, "2026-11-24", "200.00")
		found, err := a.Ledger.Find(ctx, reversal)
		require.NoError(t, err)
		require.Equal(t, &id, found.Reverses)
		require.Equal(t, "Wrong customer", found.Memo)

		_, err = a.Ledger.Reverse(ctx, id, "Again")
		require.ErrorIs(t, err, ledger.ErrAlreadyReversed)
		_, err = a.Ledger.Reverse(ctx, reversal, "Back")
		require.ErrorIs(t, err, ledger.ErrIsReversal)
		_, err = a.Ledger.Reverse(ctx, uuid.New(), "Unknown")
		require.ErrorIs(t, err, ledger.ErrNotFound)
	})
}

func TestClose_KeepsPostingsOutOfThePeriod(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ *clock.Fake) {
		t.Helper()
		ctx := as(t, a.Owner)
		early := invoice("i1", "200.00")
		early.Day = "2026-10-31"
		first, err := a.Ledger.Post(ctx, early)
		require.NoError(t, err)
		require.ErrorIs(t, a.Ledger.Close(ctx, "2026-11-24"), ledger.ErrNotOver)
		require.NoError(t, a.Ledger.Close(ctx, "2026-10-31"))
		require.ErrorIs(t, a.Ledger.Close(ctx, "2026-10-30"), ledger.ErrOnlyForward)

		late := invoice("i2", "1.00")
		late.Day = "2026-10-31"
		_, err = a.Ledger.Post(ctx, late)
		require.ErrorIs(t, err, ledger.ErrPeriodClosed)
		again, err := a.Ledger.Post(ctx, early)
		require.NoError(t, err, "who repeats what was posted is not refused")
		require.Equal(t, first, again)
		_, err = a.Ledger.Reverse(ctx, first, "The reversal is of today")
		require.NoError(t, err)
		requireBalance(t, ctx, a.Ledger, receivable, "2026-10-31", "200.00")

		require.ErrorIs(t, a.Ledger.Reopen(ctx, "2026-11-01"), ledger.ErrNotClosed)
		require.NoError(t, a.Ledger.Reopen(ctx, "2026-10-15"))
		through, err := a.Ledger.ClosedThrough(ctx)
		require.NoError(t, err)
		require.Equal(t, field.Date("2026-10-14"), through)
		_, err = a.Ledger.Post(ctx, late)
		require.NoError(t, err)
		require.Equal(t, []string{"ledger.period_closed", "ledger.period_reopened"}, a.Audited(t, a.Owner))
	})
}

func TestTables_RefuseChangesOfWhatWasPosted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ *clock.Fake) {
		t.Helper()
		ctx := as(t, a.Owner)
		id, err := a.Ledger.Post(ctx, invoice("i1", "200.00"))
		require.NoError(t, err)
		for _, statement := range []string{
			"UPDATE ledger_postings SET amount = 1 WHERE transaction_id = ?",
			"DELETE FROM ledger_postings WHERE transaction_id = ?",
			"UPDATE ledger_transactions SET memo = 'x' WHERE id = ?",
			"DELETE FROM ledger_transactions WHERE id = ?",
		} {
			require.ErrorContains(t, execute(ctx, a, statement, id), "append-only", statement)
		}
		if a.DB.Dialect() == database.Postgres {
			require.ErrorContains(t, execute(ctx, a, `INSERT INTO ledger_transactions
				(company_id, id, reference, kind, day, source_type, memo, posted_at)
				VALUES (?, ?, 'by hand', 'x', '2026-11-24', '', '', now())`, a.Owner.ID, uuid.New()), "do not add up to zero")
		}
	})
}

func TestVerify_FindsWhatWasTamperedWith(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ *clock.Fake) {
		t.Helper()
		ctx := as(t, a.Owner)
		id, err := a.Ledger.Post(ctx, invoice("i1", "200.00"))
		require.NoError(t, err)
		reversed, err := a.Ledger.Post(ctx, invoice("i2", "3.00"))
		require.NoError(t, err)
		reversal, err := a.Ledger.Reverse(ctx, reversed, "Mistake")
		require.NoError(t, err)
		report, err := a.Ledger.Verify(ctx)
		require.NoError(t, err)
		require.Equal(t, ledger.Report{Company: a.Owner.ID, Transactions: 3, Postings: 6, Findings: []ledger.Finding{}}, report)

		unguarded(t, ctx, a)
		for _, tampering := range []string{
			"UPDATE ledger_postings SET amount = amount + 1 WHERE n = 1 AND transaction_id = '" + id.String() + "'",
			"UPDATE ledger_postings SET day = '2026-11-25' WHERE n = 2 AND transaction_id = '" + id.String() + "'",
			"DELETE FROM ledger_postings WHERE n = 1 AND transaction_id = '" + reversal.String() + "'",
		} {
			require.NoError(t, execute(ctx, a, tampering))
		}
		report, err = a.Ledger.Verify(ctx)
		require.NoError(t, err)
		found := map[string]bool{}
		for _, f := range report.Findings {
			found[f.Kind] = true
		}
		require.Equal(t, map[string]bool{"unbalanced": true, "incomplete": true, "misdated": true, "balance": true, "reversal": true}, found)
	})
}

// execute runs a statement past the ledger.
func execute(ctx context.Context, a *moduletest.App, statement string, args ...any) error {
	return a.DB.InTx(ctx, func(ctx context.Context) error { return a.DB.Raw(ctx, "test").Exec(statement, args...).Error })
}

// unguarded drops the triggers, as a person with the database's password could.
func unguarded(t *testing.T, ctx context.Context, a *moduletest.App) {
	t.Helper()
	drops := []string{
		"DROP TRIGGER ledger_postings_no_update", "DROP TRIGGER ledger_postings_no_delete",
	}
	if a.DB.Dialect() == database.Postgres {
		drops = []string{"DROP TRIGGER ledger_postings_append_only ON ledger_postings"}
	}
	for _, drop := range drops {
		require.NoError(t, execute(ctx, a, drop))
	}
}

// TestLedger_AgreesWithAModel posts, repeats, reverses and rolls back at random, and compares the balances of each day.
func TestLedger_AgreesWithAModel(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, nil, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		rapid.Check(t, func(t *rapid.T) {
			clk := clock.NewFake(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))
			books := ledger.New(a.DB, clk, utc{clk}, a.Audit)
			company, err := a.Identity.CreateCompany(t.Context(), identity.NewCompany{Name: "Company " + uuid.NewString()})
			require.NoError(t, err)
			runHistory(t, principal.AsCompany(t.Context(), company.ID), a, books, clk)
		})
	})
}

var errRolledBack = errors.New("rolled back")

func runHistory(t *rapid.T, ctx context.Context, a *moduletest.App, books *ledger.Ledger, clk *clock.Fake) { //nolint:revive // the test leads
	accounts := []ledger.Account{receivable, cash, fee, {Code: "payable:carrier", Kind: ledger.Liability}, {Code: "expense:fees", Kind: ledger.Expense}}
	model := map[string]map[field.Date]int64{}
	add := func(tr ledger.Transaction, day field.Date, sign int64) {
		for _, p := range tr.Postings {
			units, _ := p.Amount.Units()
			if model[p.Account.Code] == nil {
				model[p.Account.Code] = map[field.Date]int64{}
			}
			model[p.Account.Code][day] += sign * units
		}
	}
	posted, reversed := map[uuid.UUID]ledger.Transaction{}, map[uuid.UUID]bool{}
	var ids []uuid.UUID
	for step := range rapid.IntRange(1, 25).Draw(t, "steps") {
		clk.Advance(time.Duration(rapid.IntRange(0, 40).Draw(t, "hours")) * time.Hour)
		today := field.Date(clk.Now().Format(time.DateOnly))
		switch rapid.SampledFrom([]string{"post", "post", "repeat", "reverse", "roll back"}).Draw(t, "do") {
		case "post":
			tr := drawTransaction(t, accounts, strconv.Itoa(step))
			id, err := books.Post(ctx, tr)
			require.NoError(t, err)
			add(tr, today, 1)
			posted[id], ids = tr, append(ids, id)
		case "repeat":
			if len(ids) > 0 {
				id := rapid.SampledFrom(ids).Draw(t, "again")
				same, err := books.Post(ctx, posted[id])
				require.NoError(t, err)
				require.Equal(t, id, same)
			}
		case "reverse":
			if len(ids) > 0 {
				id := rapid.SampledFrom(ids).Draw(t, "reversed")
				_, err := books.Reverse(ctx, id, "Mistake")
				if reversed[id] {
					require.ErrorIs(t, err, ledger.ErrAlreadyReversed)
				} else {
					require.NoError(t, err)
					add(posted[id], today, -1)
					reversed[id] = true
				}
			}
		case "roll back":
			err := a.DB.InTx(ctx, func(ctx context.Context) error {
				_, err := books.Post(ctx, drawTransaction(t, accounts, "lost"+strconv.Itoa(step)))

				return errors.Join(err, errRolledBack)
			})
			require.ErrorIs(t, err, errRolledBack)
		}
	}
	asOf := field.Date(clk.Now().AddDate(0, 0, -rapid.IntRange(0, 5).Draw(t, "days ago")).Format(time.DateOnly))
	total := int64(0)
	for _, account := range accounts {
		want := int64(0)
		for day, units := range model[account.Code] {
			if day <= asOf {
				want += units
			}
		}
		requireBalance(t, ctx, books, account, asOf, string(money.OfUnits(want, "USD").Amount))
		total += want
	}
	require.Zero(t, total)
	report, err := books.Verify(ctx)
	require.NoError(t, err)
	require.Empty(t, report.Findings)
}

// drawTransaction draws up to five postings, and one that balances them.
func drawTransaction(t *rapid.T, accounts []ledger.Account, reference string) ledger.Transaction {
	tr := ledger.Transaction{Reference: reference, Kind: "test"}
	sum := int64(0)
	for range rapid.IntRange(1, 5).Draw(t, "postings") {
		units := rapid.Int64Range(-1_000_000, 1_000_000).Filter(func(n int64) bool { return n != 0 }).Draw(t, "units")
		tr.Postings = append(tr.Postings, ledger.Debit(rapid.SampledFrom(accounts).Draw(t, "account"), money.OfUnits(units, "USD")))
		sum += units
	}
	if sum == 0 {
		sum, tr.Postings = -1, append(tr.Postings, ledger.Credit(cash, usd("0.01")))
	}
	tr.Postings = append(tr.Postings, ledger.Credit(rapid.SampledFrom(accounts).Draw(t, "against"), money.OfUnits(sum, "USD")))

	return tr
}

func TestPost_OfManyWritersToTheSameAccountsLosesNothing(t *testing.T) {
	t.Parallel()
	accounts := []ledger.Account{receivable, cash, fee}
	each(t, func(t *testing.T, a *moduletest.App, _ *clock.Fake) {
		t.Helper()
		ctx := as(t, a.Owner)
		failures := make([]error, 8)
		var all sync.WaitGroup
		for w := range failures {
			all.Go(func() {
				for i := range 10 {
					from, to := accounts[(w+i)%3], accounts[(w+2*i+1)%3]
					_, err := a.Ledger.Post(ctx, ledger.Transaction{
						Reference: strconv.Itoa(w) + "/" + strconv.Itoa(i), Kind: "test",
						Postings: []ledger.Posting{ledger.Debit(to, usd("1.00")), ledger.Credit(from, usd("1.00"))},
					})
					failures[w] = errors.Join(failures[w], err)
				}
			})
		}
		all.Wait()
		require.NoError(t, errors.Join(failures...))
		report, err := a.Ledger.Verify(ctx)
		require.NoError(t, err)
		require.Equal(t, int64(80), report.Transactions)
		require.Empty(t, report.Findings)
	})
}

func TestClose_WaitsForThoseWhoPost(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ *clock.Fake) {
		t.Helper()
		ctx := as(t, a.Owner)
		_, err := a.Ledger.Post(ctx, invoice("i0", "1.00"))
		require.NoError(t, err)
		var all sync.WaitGroup
		failures := make([]error, 8)
		for w := range failures {
			all.Go(func() {
				early := invoice("i"+strconv.Itoa(w+1), "1.00")
				early.Day = "2026-10-31"
				_, failures[w] = a.Ledger.Post(ctx, early)
			})
		}
		require.NoError(t, a.Ledger.Close(ctx, "2026-10-31"))
		atClose, err := a.Ledger.Balance(ctx, receivable.Code, "USD", "2026-10-31")
		require.NoError(t, err)
		all.Wait()
		requireBalance(t, ctx, a.Ledger, receivable, "2026-10-31", string(atClose.Amount))
		for _, err := range failures {
			if err != nil {
				require.ErrorIs(t, err, ledger.ErrPeriodClosed)
			}
		}
	})
}
