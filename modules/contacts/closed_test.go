package contacts_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestPortal_OfADeletedContactIsClosed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, call caller) {
		t.Helper()
		at := path + "/" + call.create(t, object{"name": "Ann Lee"})
		link := call(http.MethodPost, at+"/shares", object{}).OK(t).Get("url").String()
		a.Call(t, "", http.MethodGet, link, nil).OK(t)
		call(http.MethodDelete, at, nil).OK(t)
		a.Call(t, "", http.MethodGet, link, nil).Refused(t, http.StatusNotFound, "contacts.portal_closed")
	})
}

func TestContact_PublishesThatItIsBlocked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, call caller) {
		t.Helper()
		at := path + "/" + call.create(t, object{"name": "Ann Lee"})
		require.NotEmpty(t, call(http.MethodPost, at+"/block", object{"reason": "Asked for it"}).OK(t).Get("blocked_at").String())
		require.Equal(t, []string{"contacts.contact.created", "contacts.contact.blocked"}, ofContacts(a.EventNames(t, a.Owner)))
	})
}
