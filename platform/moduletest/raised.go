package moduletest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Raised is an event that was published, and committed.
type Raised struct {
	// Name is what EventName says: "sms.message.sent".
	Name string
	// Payload is the event as JSON.
	Payload string
}

// Get returns the value at a path of the payload, such as "message"; see Response.Get.
func (r Raised) Get(path string) gjson.Result { return gjson.Get(r.Payload, path) }

// eventRow is a row of the event log.
type eventRow struct {
	database.Tenant

	ID      uuid.UUID `gorm:"primaryKey"`
	Name    string
	Payload database.JSON
}

// TableName implements the naming that GORM asks for.
func (eventRow) TableName() string { return "events_log" }

// Events returns the events of a company that areas publish, the earliest first: without those of every write of a
// resource. One that was published in a transaction that was rolled back is not among them, whether somebody listens or not.
func (a *App) Events(t testing.TB, of Company) []Raised {
	t.Helper()
	var rows []eventRow
	require.NoError(t, a.DB.Conn(a.as(t, of)).Where("name NOT LIKE ?", "%"+resource.WrittenEvent).Order("at, id").Find(&rows).Error)
	raised := make([]Raised, 0, len(rows))
	for _, row := range rows {
		raised = append(raised, Raised{Name: row.Name, Payload: string(row.Payload)})
	}

	return raised
}

// EventNames returns the names of a company's events, the earliest first; with prefixes, only of those that begin with one of them, such as
// "loads.load.".
func (a *App) EventNames(t testing.TB, of Company, prefixes ...string) []string {
	t.Helper()
	raised := a.Events(t, of)
	names := make([]string, 0, len(raised))
	for _, e := range raised {
		begins := func(prefix string) bool { return strings.HasPrefix(e.Name, prefix) }
		if len(prefixes) == 0 || slices.ContainsFunc(prefixes, begins) {
			names = append(names, e.Name)
		}
	}

	return names
}

// auditRow is a row of the audit trail.
type auditRow struct {
	database.Tenant

	ID     uuid.UUID `gorm:"primaryKey"`
	Action string
}

// TableName implements the naming that GORM asks for.
func (auditRow) TableName() string { return "audit_entries" }

// Audited returns the actions in a company's audit trail, the earliest first.
func (a *App) Audited(t testing.TB, of Company) []string {
	t.Helper()
	var rows []auditRow
	require.NoError(t, a.DB.Conn(a.as(t, of)).Order("at, id").Find(&rows).Error)
	actions := make([]string, 0, len(rows))
	for _, row := range rows {
		actions = append(actions, row.Action)
	}

	return actions
}

// Sealed waits until a company's audit trail is sealed, by the service or by another call of it, and returns how many entries it
// has. It fails the test if the chain is broken.
func (a *App) Sealed(t testing.TB, of Company) (entries int64) {
	t.Helper()
	a.Eventually(t, func() bool {
		report, err := a.Audit.Verify(t.Context(), of.ID)
		require.NoError(t, err)
		require.Empty(t, report.Broken)
		entries = report.Entries

		return report.Unsealed == 0
	}, "the audit trail is sealed")

	return entries
}

// as is the context of the service itself at work for a company.
func (a *App) as(t testing.TB, of Company) context.Context {
	t.Helper()

	return principal.With(t.Context(), principal.ForCompany(of.ID))
}

// AwaitLock waits until a request waits for the lock of another transaction, on PostgreSQL.
func (a *App) AwaitLock(t testing.TB) {
	t.Helper()
	a.Eventually(t, func() bool {
		var waits int
		err := a.DB.SQL().QueryRowContext(t.Context(),
			"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&waits)

		return err == nil && waits > 0
	}, "a request waits for a lock")
}

// patience is how long Eventually waits. Jobs and events come within a poll of the queue.
const patience = 30 * time.Second

// Eventually waits until a condition holds that a job or a listener brings about, and fails the test
// if it does not.
func (a *App) Eventually(t testing.TB, holds func() bool, what string) {
	t.Helper()
	require.Eventually(t, holds, patience, 10*time.Millisecond, what)
}
