package cli_test

import (
	"database/sql"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/state"
)

func TestAuditVerify_FailsWhereSomebodyTamperedWithTheTrail(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir()}
	require.Contains(t, c.ok(t, "audit", "verify"), "COMPANY")

	db, err := sql.Open("sqlite", filepath.Join(c.dir, "dispatchd.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	company := uuid.NewString()
	_, err = db.ExecContext(t.Context(), "INSERT INTO audit_heads (company_id, seq, hash) VALUES (?, 1, x'00')", company)
	require.NoError(t, err)

	code, stdout, stderr := c.run(t.Context(), "audit", "verify")
	require.Equal(t, 1, code)
	require.Contains(t, stdout, "entry 1 is missing")
	require.Contains(t, stderr, "the audit trail was tampered with")
	var chains []map[string]any
	_, stdout, _ = c.run(t.Context(), "audit", "verify", "--company", company, "--output", "json")
	require.NoError(t, json.Unmarshal([]byte(stdout), &chains))
	require.Equal(t, company, chains[0]["company"])
	require.Equal(t, "entry 1 is missing", chains[0]["broken"])
	c.ok(t, "audit", "verify", "--company", uuid.NewString())
}

func TestStates_DrawsTheMachinesOfTheAreas(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir(), modules: areas()}
	require.Empty(t, c.ok(t, "states"))

	c.modules = []module.Module{module.New("loads", "Loads", state.Life(state.Machine[string]{
		Item: "loads.load", Initial: "draft", Final: []string{"done"},
		Steps: []state.Step[string]{{From: []string{"draft"}, Verb: "finish", To: "done"}},
	}))}
	page := c.ok(t, "states")
	require.Contains(t, page, "## loads.load\n\n```mermaid\nstateDiagram-v2\n")
	require.Contains(t, page, "draft --> done: finish")
	require.Regexp(t, `state.Machine +loads.load`, c.ok(t, "modules", "explain", "loads"))
}
