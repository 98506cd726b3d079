package moduletest

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/inbound"
)

// Notify sends a notification as a vendor does, without a token: the bytes as they are, as JSON unless the headers, pairs of
// name and value, say otherwise. The Sign… functions of platform/inbound/verify make signatures.
func (a *App) Notify(t testing.TB, path string, body []byte, headers ...string) Response {
	t.Helper()

	return a.Call(t, "", http.MethodPost, path, body, headers...)
}

// deliveryRow is a row of the log of notifications.
type deliveryRow struct {
	database.Tenant

	ID uuid.UUID `gorm:"primaryKey"`
}

// TableName implements the naming that GORM asks for.
func (deliveryRow) TableName() string { return "inbound_deliveries" }

// Received returns the notifications of a company, the earliest first.
func (a *App) Received(t testing.TB, of Company) []inbound.Recorded {
	t.Helper()
	var rows []deliveryRow
	require.NoError(t, a.DB.Conn(a.as(t, of)).Order("id").Find(&rows).Error)
	all := make([]inbound.Recorded, 0, len(rows))
	for _, row := range rows {
		r, _, err := a.Inbox.Find(a.as(t, of), row.ID)
		require.NoError(t, err)
		all = append(all, r)
	}

	return all
}

// WaitHandled waits until the company has had n notifications and none of them waits for being processed, and
// returns them, the earliest first.
func (a *App) WaitHandled(t testing.TB, of Company, n int) []inbound.Recorded {
	t.Helper()
	var all []inbound.Recorded
	a.Eventually(t, func() bool {
		all = a.Received(t, of)

		return len(all) == n && !slices.ContainsFunc(all, func(r inbound.Recorded) bool { return r.State == inbound.Received })
	}, "the notifications are processed")

	return all
}
