package carriers_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// A thief uses the number of a real carrier with a look-alike domain. The code goes to the record, and not to the thief.
func TestIdentityCode_ProvesThatTheRecordWasReached(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		record := call(http.MethodGet, area+"/regulator/9900001", nil).OK(t)
		made := call(http.MethodPost, carriersPath, sample("9900001")).OK(t)
		at := carriersPath + "/" + made.Get("uuid").String()
		require.Contains(t, codesIn(call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001"}).OK(t), "warnings"), "identity_unverified")

		call(http.MethodPut, at+"/identity_code", object{"code": "123456"}).Refused(t, http.StatusConflict, "onetimecode.none")
		call(http.MethodPost, at+"/identity_code", object{"channel": "email"}).Refused(t, http.StatusConflict, "notify.no_channel")
		sent := call(http.MethodPost, at+"/identity_code", object{"channel": "call"}).OK(t)
		require.Contains(t, []string{record.Get("identity.phone").String(), record.Get("identity.cell_phone").String()}, sent.Get("to").String(), "the record alone")
		code := sent.Get("code").String()
		require.Regexp(t, `^[0-9]{6}$`, code)

		wrong := "000000"
		if code == wrong {
			wrong = "000001"
		}
		call(http.MethodPut, at+"/identity_code", object{"code": wrong}).Refused(t, http.StatusUnprocessableEntity, "onetimecode.wrong")
		other := a.NewCompany(t)
		a.Call(t, other.Token, http.MethodPut, at+"/identity_code", object{"code": code}).Refused(t, http.StatusNotFound, "carriers.carrier_not_found")
		verified := call(http.MethodPut, at+"/identity_code", object{"code": code[:3] + " " + code[3:]}).OK(t)
		require.Equal(t, sent.Get("to").String(), verified.Get("identity_confirmations.0.channel").String())
		require.NotContains(t, codesIn(call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001"}).OK(t), "warnings"), "identity_unverified")
		call(http.MethodPut, at+"/identity_code", object{"code": code}).Refused(t, http.StatusConflict, "onetimecode.none")

		for range 5 {
			sent = call(http.MethodPost, at+"/identity_code", object{"channel": "call"})
		}
		sent.Refused(t, http.StatusTooManyRequests, "onetimecode.too_many")
		require.NotContains(t, a.Logged(), code)
	}, moduletest.Set(sandbox))
}

func TestIdentityCode_IsUselessAfterFiveTries(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		made := a.Call(t, a.Owner.Token, http.MethodPost, carriersPath, sample("9900001")).OK(t)
		at := carriersPath + "/" + made.Get("uuid").String() + "/identity_code"
		code := a.Call(t, a.Owner.Token, http.MethodPost, at, object{"channel": "call"}).OK(t).Get("code").String()
		wrong := "111111"
		if code == wrong {
			wrong = "111112"
		}
		for range 5 {
			a.Call(t, a.Owner.Token, http.MethodPut, at, object{"code": wrong})
		}
		a.Call(t, a.Owner.Token, http.MethodPut, at, object{"code": code}).Refused(t, http.StatusConflict, "onetimecode.none")
	}, moduletest.Set(sandbox))
}
