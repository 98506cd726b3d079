package ledger

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// maxFindings is how many findings of a kind a report has at most.
	maxFindings = 100
	// verifyEvery is how often the ledgers of all companies are verified.
	verifyEvery = 24 * time.Hour
)

// Report is the result of verifying the ledger of a company.
type Report struct {
	Company      uuid.UUID
	Transactions int64
	Postings     int64
	// Findings are empty if the ledger is intact. There are at most 100 of each kind.
	Findings []Finding
}

// Finding is a contradiction in a ledger.
type Finding struct {
	// Kind is unbalanced, incomplete, misdated, balance or reversal.
	Kind string `json:"kind"`
	// ID is that of the transaction or, for a balance, of the account.
	ID     uuid.UUID `json:"uuid"`
	Detail string    `json:"detail"`
}

// Companies returns the companies that have a ledger.
func (l *Ledger) Companies(ctx context.Context) ([]uuid.UUID, error) { return l.rows.companies(ctx) }

// Verify recomputes the ledger of the caller's company: every transaction adds up to zero and has all its postings, every balance
// is the sum of its postings, and every reversal is the opposite of its transaction. Transactions may be posted meanwhile.
func (l *Ledger) Verify(ctx context.Context) (Report, error) {
	report := Report{Company: principal.CompanyOf(ctx), Findings: []Finding{}}
	var err error
	if report.Transactions, report.Postings, err = l.rows.sizes(ctx); err != nil {
		return report, fmt.Errorf("verify ledger: %w", err)
	}
	for _, check := range checks {
		found, err := l.rows.find(ctx, check)
		if err != nil {
			return report, fmt.Errorf("verify ledger: %s: %w", check.kind, err)
		}
		report.Findings = append(report.Findings, found...)
	}

	return report, nil
}

// check is a statement that selects contradictions of one kind: an id, and two numbers for the detail.
type check struct {
	kind, query string
	detail      func(a, b int64) string
}

// checks are all of Verify's; @company is the company.
var checks = []check{
	{"unbalanced", `
		SELECT p.transaction_id AS id, COUNT(*) AS a, SUM(p.amount) AS b
		FROM ledger_postings p JOIN ledger_accounts a ON a.company_id = p.company_id AND a.id = p.account_id
		WHERE p.company_id = @company GROUP BY p.transaction_id, a.currency HAVING SUM(p.amount) <> 0`, func(a, b int64) string {
		return fmt.Sprintf("the %d postings in a currency add up to %d units, not to zero", a, b)
	}},
	{"incomplete", `
		SELECT t.id AS id, COUNT(p.n) AS a, COALESCE(MAX(p.n), 0) AS b
		FROM ledger_transactions t LEFT JOIN ledger_postings p ON p.company_id = t.company_id AND p.transaction_id = t.id
		WHERE t.company_id = @company GROUP BY t.id HAVING COUNT(p.n) < 2 OR COUNT(p.n) <> MAX(p.n)`, func(a, b int64) string {
		return fmt.Sprintf("there are %d postings, and the last one is number %d", a, b)
	}},
	{"misdated", `
		SELECT t.id AS id, SUM(CASE WHEN p.day <> t.day THEN 1 ELSE 0 END) AS a, COUNT(*) AS b
		FROM ledger_transactions t JOIN ledger_postings p ON p.company_id = t.company_id AND p.transaction_id = t.id
		WHERE t.company_id = @company GROUP BY t.id HAVING SUM(CASE WHEN p.day <> t.day THEN 1 ELSE 0 END) > 0`, func(a, b int64) string {
		return fmt.Sprintf("%d of its %d postings have another day", a, b)
	}},
	{"balance", `
		SELECT account_id AS id, SUM(debits) AS a, SUM(credits) AS b FROM (
			SELECT account_id, day, debits, credits FROM ledger_balances WHERE company_id = @company
			UNION ALL
			SELECT account_id, day, CASE WHEN amount > 0 THEN -amount ELSE 0 END, CASE WHEN amount < 0 THEN amount ELSE 0 END
			FROM ledger_postings WHERE company_id = @company
		) both_sides GROUP BY account_id, day HAVING SUM(debits) <> 0 OR SUM(credits) <> 0`, func(a, b int64) string {
		return fmt.Sprintf("on a day, the stored debits are %d units more than those posted, and the credits %d", a, b)
	}},
	{"reversal", `
		SELECT t.id AS id, COUNT(*) AS a, SUM(p.amount) AS b
		FROM ledger_transactions t JOIN ledger_postings p ON p.company_id = t.company_id AND p.transaction_id IN (t.id, t.reverses_id)
		WHERE t.company_id = @company AND t.reverses_id IS NOT NULL GROUP BY t.id, p.account_id HAVING SUM(p.amount) <> 0`, func(a, b int64) string {
		return fmt.Sprintf("after %d postings, it leaves %d units of what it reverses on an account", a, b)
	}},
}

const whyVerify = "a ledger is verified by whole tables; each statement names the company"

func (r repository) find(ctx context.Context, c check) ([]Finding, error) {
	var rows []struct {
		ID   uuid.UUID
		A, B int64
	}
	query := fmt.Sprintf("SELECT id, CAST(a AS bigint) AS a, CAST(b AS bigint) AS b FROM (%s) found ORDER BY id LIMIT %d", c.query, maxFindings)
	err := r.db.Raw(ctx, whyVerify).Raw(query, map[string]any{"company": principal.CompanyOf(ctx)}).Scan(&rows).Error
	found := make([]Finding, len(rows))
	for i, row := range rows {
		found[i] = Finding{Kind: c.kind, ID: row.ID, Detail: c.detail(row.A, row.B)}
	}

	return found, database.Translate(err)
}

func (r repository) sizes(ctx context.Context) (transactions, postings int64, err error) {
	if transactions, err = database.Count(r.db.Conn(ctx).Model(&transactionRow{})); err != nil {
		return 0, 0, err
	}
	postings, err = database.Count(r.db.Conn(ctx).Model(&postingRow{}))

	return transactions, postings, err
}

func (r repository) companies(ctx context.Context) (ids []uuid.UUID, err error) {
	ctx = database.AcrossCompanies(ctx, "the ledgers of all companies are verified")
	err = r.db.Conn(ctx).Model(&bookRow{}).Order("company_id").Pluck("company_id", &ids).Error

	return ids, database.Translate(err)
}

// verifyArgs are the arguments of the job that verifies all ledgers.
type verifyArgs struct{}

// Kind implements jobs.Args.
func (verifyArgs) Kind() string { return "ledger.verify" }

// Schedule has the queue verify all ledgers every day; findings are logged as errors. It is called before the queue starts.
func (l *Ledger) Schedule(q *jobs.Queue, log *slog.Logger) error {
	err := jobs.Add(q, "ledger", func(ctx context.Context, _ verifyArgs) error {
		companies, err := l.Companies(ctx)
		if err != nil {
			return err
		}
		for _, company := range companies {
			report, err := l.Verify(principal.AsCompany(ctx, company))
			if err != nil {
				return err
			}
			for _, f := range report.Findings {
				log.LogAttrs(ctx, slog.LevelError, "the ledger of a company contradicts itself",
					slog.String("company_id", company.String()), slog.String("kind", f.Kind), slog.String("uuid", f.ID.String()))
			}
		}

		return nil
	})
	if err != nil {
		return err
	}

	return jobs.AddEvery(q, verifyEvery, verifyArgs{})
}
