package modules_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/identity"
)

// notify sends a notification to a host, and returns the status and the answer.
func (b booted) notify(t *testing.T, host, path, token, body string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+b.API.Address()+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Host, request.Close = host, true
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())

	return response.StatusCode, string(text)
}

func TestProfile_ReceiverTakesNotificationsAndAnswersNothingElse(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, url string) {
		t.Helper()
		receiver := bootProfile(t, "esign-receiver", url)
		receiver.ready(t)
		company, err := receiver.Identity.CreateCompany(t.Context(), identity.NewCompany{Name: "Roadrunner"})
		require.NoError(t, err)
		_, token, err := receiver.Identity.IssueToken(t.Context(), identity.NewToken{Company: company.ID, Name: "test", Scopes: []string{"*"}})
		require.NoError(t, err)
		endpoint := uuid.New()
		db := databasetest.Open(t, url)
		_, err = db.SQL().ExecContext(t.Context(), `INSERT INTO esign_accounts (company_id, id, name, provider, environment, external_id,
base_url, credentials, is_default, health, problem, endpoint_id, verification, version, created_at, updated_at)
VALUES ($1, $2, 'Main', 'docusign', 'demo', '', '', '', true, 'unchecked', '', $3, 'automatic', 1, $4, $4)`,
			company.ID, uuid.New(), endpoint, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
		require.NoError(t, err)

		const host, body = "services.example.com", `{"event": "envelope-sent", "data": {"envelopeId": "e1"}}`
		path := "/esign/api/v1/connection/callback/" + endpoint.String()
		status, answer := receiver.notify(t, host, path, token, body)
		require.Equal(t, http.StatusOK, status, answer)
		require.Equal(t, "{}", answer)
		status, answer = receiver.notify(t, "api.example.com", path, token, body)
		require.Equal(t, http.StatusNotFound, status, answer)
		require.Contains(t, answer, "inbound.endpoint_unknown")
		status, answer = receiver.notify(t, host, "/esign/api/v1/connection/token", "", "")
		require.Equal(t, http.StatusUnsupportedMediaType, status, answer)
		for _, elsewhere := range []string{
			"/esign/api/v1/accounts/" + uuid.NewString() + "/keys", "/inbound/api/v1/deliveries", "/custom_modules/api/v1/modules", "/attachments/api/v1/attachments",
		} {
			status, answer = receiver.call(t, token, http.MethodGet, elsewhere, "")
			require.Equal(t, http.StatusNotFound, status, answer)
			require.Contains(t, answer, "web.route_not_found", elsewhere)
		}
		for _, about := range []string{"/", "/docs", "/docs/docs.js", "/openapi.json", "/favicon.ico"} {
			status, answer = receiver.call(t, token, http.MethodGet, about, "")
			require.Equal(t, http.StatusNotFound, status, about+answer)
		}
		var waiting int
		require.NoError(t, db.SQL().QueryRowContext(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'inbound.process' AND state = 'available'").Scan(&waiting))
		require.Equal(t, 1, waiting, "it is the workers'")
	})
}
