package carriers_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestIdentityCode_NeedsAPhoneOnTheRecord(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		unknown := a.Call(t, a.Owner.Token, http.MethodPost, carriersPath, object{"legal_name": "No number", "phone": "+12025550143"}).OK(t).Header.Get("Location")
		for _, channel := range []string{"call", "sms", "email"} {
			a.Call(t, a.Owner.Token, http.MethodPost, unknown+"/identity_code", object{"channel": channel}).
				Refused(t, http.StatusConflict, "carriers.no_record")
		}
		require.Empty(t, a.EventNames(t, a.Owner, "carriers.carrier.identity"))
	})
}

func TestPacket_AgreementNeedsANameAndATick(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		a.Call(t, a.Owner.Token, http.MethodPut, area+"/packet_settings", object{"documents": []string{"agreement"}, "agreement": "Deliver on time.", "link_days": 14}).OK(t)
		carrier := a.Call(t, a.Owner.Token, http.MethodPost, carriersPath, object{"legal_name": "One"}).OK(t).Get("uuid").String()
		_, link := packetOf(t, a, carrier, object{"channel": "link"})
		version := a.Call(t, "", http.MethodGet, link, nil).OK(t).Get("agreement.version").String()
		for _, body := range []object{
			{"name": "", "accepted": true, "version": version}, {"name": " ", "accepted": true, "version": version}, {"name": "Ann Lee", "accepted": false, "version": version},
		} {
			refused := a.Call(t, "", http.MethodPost, link+"/agreement", body).Refused(t, http.StatusUnprocessableEntity, "carriers.not_accepted")
			require.NotEmpty(t, refused.Get("errors.name.0").String())
		}
		require.False(t, a.Call(t, "", http.MethodGet, link, nil).OK(t).Get("agreement.accepted").Bool())
	})
}

func TestPacket_HasFiftyUploadLinks(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		carrier := a.Call(t, a.Owner.Token, http.MethodPost, carriersPath, object{"legal_name": "One"}).OK(t).Get("uuid").String()
		_, link := packetOf(t, a, carrier, object{"channel": "link", "documents": []string{"w9"}})
		for range 50 {
			a.Call(t, "", http.MethodPost, link+"/uploads", object{"document": "w9"}).OK(t)
		}
		a.Call(t, "", http.MethodPost, link+"/uploads", object{"document": "w9"}).Refused(t, http.StatusConflict, "carriers.packet_too_many_links")
	})
}

func TestPacket_OfADeletedCarrierIsGone(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		carrier := a.Call(t, a.Owner.Token, http.MethodPost, carriersPath, object{"legal_name": "One"}).OK(t).Get("uuid").String()
		_, link := packetOf(t, a, carrier, object{"channel": "link", "documents": []string{"w9"}})
		a.Call(t, a.Owner.Token, http.MethodDelete, carriersPath+"/"+carrier, nil).OK(t)
		a.Call(t, "", http.MethodGet, link, nil).Refused(t, http.StatusNotFound, "carriers.packet_gone")
	})
}
