package companies_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestInvitation_IsRevokedUntilItIsAccepted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		a.post(t, a.Owner.Token, "/invitations/"+uuid.NewString()+"/revoke", nil).Refused(t, http.StatusNotFound, "companies.invitation_not_found")
		made := a.post(t, a.Owner.Token, "/invitations", fields{"email": "anna@example.com", "name": "Anna", "role": "viewer"}).OK(t)
		path := "/invitations/" + made.Get("uuid").String() + "/revoke"
		a.post(t, a.NewCompany(t).Token, path, nil).Refused(t, http.StatusNotFound, "companies.invitation_not_found")
		a.post(t, "", "/invitations/accept", fields{"link": made.Get("link").String(), "password": password}).OK(t)
		a.post(t, a.Owner.Token, path, nil).Refused(t, http.StatusConflict, "companies.invitation_ended")
	})
}

func TestUser_ThatIsDeactivatedGetsNoNewPassword(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		anna := a.join(t, a.Owner.Token, "anna@example.com", "viewer")
		a.post(t, a.Owner.Token, "/users/"+anna.id+"/deactivate", nil).OK(t)
		a.post(t, a.Owner.Token, "/users/"+anna.id+"/reset_link", nil).Refused(t, http.StatusConflict, "companies.user_deactivated")
		a.post(t, a.Owner.Token, "/users/"+anna.id+"/reactivate", nil).OK(t)
		a.post(t, a.Owner.Token, "/users/"+anna.id+"/reset_link", nil).OK(t)
		require.Equal(t, []string{"companies.user.deactivated", "companies.user.reactivated"}, a.EventNames(t, a.Owner, "companies.user.deactivated", "companies.user.reactivated"))
	})
}

func TestCompany_PublishesThatItIsSuspendedAndResumed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		operator, company := a.Operator(t, "companies:write"), "/companies/"+a.Owner.ID.String()
		a.post(t, operator, company+"/suspend", nil).OK(t)
		a.post(t, operator, company+"/resume", nil).OK(t)
		require.Equal(t, []string{"companies.company.suspended", "companies.company.resumed"}, a.EventNames(t, a.Owner, "companies.company."))
	})
}
