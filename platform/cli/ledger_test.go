package cli_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestLedgerVerify_FailsIfALedgerContradictsItself(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir()}
	require.Contains(t, c.ok(t, "ledger", "verify"), "COMPANY")

	db, err := sql.Open("sqlite", filepath.Join(c.dir, "dispatchd.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	company := uuid.NewString()
	_, err = db.ExecContext(t.Context(), "INSERT INTO ledger_books (company_id, updated_at) VALUES (?, '2026-11-24')", company)
	require.NoError(t, err)
	require.Contains(t, c.ok(t, "ledger", "verify"), "0 findings")
	_, err = db.ExecContext(t.Context(), `INSERT INTO ledger_transactions (company_id, id, reference, kind, day, source_type, memo, posted_at)
		VALUES (?, ?, 'by hand', 'x', '2026-11-24', '', '', '2026-11-24')`, company, uuid.NewString())
	require.NoError(t, err)

	code, stdout, stderr := c.run(t.Context(), "ledger", "verify", "--company", company)
	require.Equal(t, 1, code)
	require.Contains(t, stdout, "there are 0 postings")
	require.Contains(t, stderr, "the ledger contradicts itself")
}
