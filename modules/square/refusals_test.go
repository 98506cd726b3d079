package square_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOAuth_NeedsAnApplication(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		d.get(t, base+"/oauth").Refused(t, http.StatusConflict, "square.no_application")
		d.post(t, base+"/oauth/start", map[string]any{"name": "Main street"}).Refused(t, http.StatusConflict, "square.no_application")
	})
}

func TestOAuth_RevokesWhatWasConnectedByIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *till) {
		d.post(t, base+"/oauth/revoke", map[string]any{"account_uuid": d.account}).Refused(t, http.StatusConflict, "square.not_oauth")
		require.True(t, d.get(t, base+"/health").OK(t).Get("healthy").Bool(), "the account is as it was")
		require.Empty(t, d.EventNames(t, d.Owner, "cards.account.revoked"))
	})
}
