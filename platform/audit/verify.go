package audit

import (
	"bytes"
	"context"
	"fmt"

	"github.com/google/uuid"
)

// batch is how many entries are read at a time.
const batch = 1000

// Report says how a chain was found.
type Report struct {
	Company uuid.UUID
	// Entries is how many entries were found right, from the first on.
	Entries int64
	// Head is the hash of the last of them. Kept elsewhere, it proves later that the chain up to
	// there was not made anew.
	Head []byte
	// Broken says what is wrong at the entry after that, "" if nothing is.
	Broken string
	// Unsealed is how many entries were not part of the chain yet when its reading began, counted up to a thousand.
	Unsealed int
}

// Companies returns whose chains there are; uuid.Nil is that of the operator and of callers without
// a company.
func (l *Log) Companies(ctx context.Context) ([]uuid.UUID, error) { return l.repository.companies(ctx) }

// Verify reads the chain of a company from its first entry on. Writes may go on meanwhile; what they
// add is not looked at. The error is that of the database; what is wrong with the chain is in the
// report.
func (l *Log) Verify(ctx context.Context, company uuid.UUID) (Report, error) {
	report := Report{Company: company, Head: genesisHash(company)}
	// Read before the chain: what is sealed in between is in both, and no entry is in neither.
	var err error
	if report.Unsealed, err = l.repository.countUnsealed(ctx, company, batch); err != nil {
		return report, err
	}
	head, err := l.repository.head(ctx, company)
	if err != nil {
		return report, err
	}
	for report.Broken == "" && report.Entries < head.Seq {
		rows, err := l.repository.after(ctx, company, report.Entries, int(min(batch, head.Seq-report.Entries)))
		if err != nil {
			return report, err
		}
		if err := report.read(rows); err != nil {
			return report, err
		}
	}
	if report.Broken != "" {
		return report, nil
	}
	if !bytes.Equal(report.Head, head.Hash) {
		report.Broken = "the head of the chain does not have the hash of the last entry"

		return report, nil
	}

	return report, l.checkBeyondHead(ctx, &report)
}

// read adds the next entries to the report.
func (r *Report) read(rows []entryRow) error {
	if len(rows) == 0 {
		r.Broken = fmt.Sprintf("entry %d is missing", r.Entries+1)
	}
	for _, row := range rows {
		if row.Seq == nil || *row.Seq != r.Entries+1 {
			r.Broken = fmt.Sprintf("entry %d is missing", r.Entries+1)

			return nil
		}
		digest, err := row.digest()
		if err != nil {
			return err
		}
		if !bytes.Equal(row.Hash, chainHash(r.Head, digest)) {
			r.Broken = fmt.Sprintf("entry %d is not what was recorded", *row.Seq)

			return nil
		}
		r.Entries, r.Head = *row.Seq, row.Hash
	}

	return nil
}

// checkBeyondHead looks for entries after the head, which none is once their transaction is over.
func (l *Log) checkBeyondHead(ctx context.Context, report *Report) error {
	rows, err := l.repository.after(ctx, report.Company, report.Entries, 1)
	if err != nil || len(rows) == 0 {
		return err
	}
	head, err := l.repository.head(ctx, report.Company)
	if first := *rows[0].Seq; err == nil && head.Seq < first {
		report.Broken = fmt.Sprintf("entry %d comes after the head of the chain", first)
	}

	return err
}
