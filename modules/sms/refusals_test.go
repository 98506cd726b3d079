package sms_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/sms/smstest"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestAccount_IsTheCompanysOwn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		other := d.NewCompany(t)
		for _, path := range []string{"/accounts/" + uuid.NewString(), "/accounts/" + d.account} {
			d.Call(t, other.Token, http.MethodGet, base+path, nil).Refused(t, http.StatusNotFound, "sms.account_not_found")
			d.Call(t, other.Token, http.MethodPost, base+path+"/disable", nil).Refused(t, http.StatusNotFound, "sms.account_not_found")
		}
		d.Call(t, other.Token, http.MethodPost, base+"/numbers", map[string]any{"number": "+12025550161"}).Refused(t, http.StatusConflict, "sms.no_account")
		require.Empty(t, d.EventNames(t, other))
	})
}

func TestAccount_ThatIsDisabledBuysNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		d.post(t, "/accounts/"+d.account+"/disable", nil).OK(t)
		d.post(t, "/numbers", map[string]any{"number": "+12025550161", "account_uuid": d.account}).Refused(t, http.StatusConflict, "sms.account_disabled")
		require.Equal(t, int64(1), d.get(t, "/numbers").OK(t).Get("data.#").Int())
		d.post(t, "/accounts/"+d.account+"/enable", nil).OK(t)
		d.buy(t, "+12025550161")
	})
}

func TestSandbox_HasNoCallbacks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		d.post(t, "/accounts/"+d.account+"/rotate_callbacks", nil).Refused(t, http.StatusConflict, "sms.no_callbacks")
		d.post(t, "/numbers/import", map[string]any{"account_uuid": d.account, "set_callbacks": true}).Refused(t, http.StatusConflict, "sms.no_public_address")
	})
}

func TestSandbox_AloneIsPlayed(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		l.post(t, "/sandbox/inbound", map[string]any{"number_uuid": l.number, "from": driver, "body": "Hello"}).Refused(t, http.StatusConflict, "sms.not_sandbox")
		require.Empty(t, l.EventNames(t, l.Owner, "sms.message.received"))
	})
}

func TestNumbers_SayWhyTheProviderDoesNotList(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		list := func() moduletest.Response {
			return l.get(t, "/numbers/available?area_code=303&account_uuid="+l.account)
		}
		list().OK(t)
		l.vendor.Fail(smstest.Fault{Status: http.StatusInternalServerError, Body: "oops"})
		down := list().Refused(t, http.StatusServiceUnavailable, "sms.provider_failed")
		require.Equal(t, "provider_down", down.Get("details.reason").String())
		l.vendor.Revoke("another token")
		refused := list().Refused(t, http.StatusConflict, "sms.provider_refused")
		require.Equal(t, "auth", refused.Get("details.reason").String())
	})
}
