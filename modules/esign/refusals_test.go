package esign_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// secretText is a key of the vendor's.
const secretText = "0123456789abcdef0123456789abcdef"

func TestKeys_HaveNamesOfTheirOwnAndAreFew(t *testing.T) {
	t.Parallel()
	eachAccounts(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		at := "/accounts/" + post(t, a, "/accounts", `{"name": "Sandbox"}`).OK(t).Get("uuid").String()
		post(t, a, at+"/keys", object{"name": "First", "secret": secretText}).OK(t)
		post(t, a, at+"/keys", object{"name": "First", "secret": secretText}).Refused(t, http.StatusConflict, "esign.key_name_taken")
		last := moduletest.Response{Status: http.StatusOK}
		for n := 0; last.Status < http.StatusBadRequest && n < 200; n++ {
			last = post(t, a, at+"/keys", object{"name": uuid.NewString(), "secret": secretText})
		}
		last.Refused(t, http.StatusConflict, "esign.too_many")
		a.Call(t, a.Owner.Token, http.MethodDelete, accountsBase+at+"/keys/"+uuid.NewString(), nil).Refused(t, http.StatusNotFound, "esign.key_not_found")
		a.Call(t, a.Owner.Token, http.MethodDelete, accountsBase+at+"/clients/"+uuid.NewString(), nil).Refused(t, http.StatusNotFound, "esign.client_not_found")
	})
}

func TestAccount_ThatIsDisabledSendsNothing(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		t.Helper()
		o.ask(t, http.MethodDelete, accountsBase+"/accounts/"+o.account, nil).Refused(t, http.StatusConflict, "esign.account_used")
		post(t, o.App, "/accounts/"+o.account+"/disable", nil).OK(t)
		post(t, o.App, "/envelopes", o.envelope(o.vehicle)).Refused(t, http.StatusConflict, "esign.account_disabled")
		require.Empty(t, o.EventNames(t, o.Owner, "esign.envelope."))
	})
}

func TestEnvelope_IsAtTheProviderOnceItIsSent(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		t.Helper()
		draft := o.envelope(o.vehicle)
		draft["draft"] = true
		made := post(t, o.App, "/envelopes", draft).OK(t)
		at := "/envelopes/" + made.Get("uuid").String()
		post(t, o.App, at+"/refresh", nil).Refused(t, http.StatusConflict, "esign.not_at_provider")
		post(t, o.App, at+"/void", object{"reason": "x"}).Refused(t, http.StatusConflict, "esign.not_under_way")
		post(t, o.App, at+"/signing_link", object{"recipient_uuid": uuid.NewString(), "return_url": "https://example.org/"}).
			Refused(t, http.StatusNotFound, "esign.recipient_not_found")
		require.Equal(t, made.Get("state").String(), get(t, o.App, at).OK(t).Get("state").String())
	})
}
