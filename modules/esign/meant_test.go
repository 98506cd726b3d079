package esign

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/inbound"
)

func TestReceiver_MatchesEveryEnvelopeThatCarriesOurID(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		ctx := h.as(t)
		h.key(t, "connect-key-A")
		row := h.send0(ctx, t)
		ours := `, "customFields": {"textCustomFields": [{"name": "service_envelope_uuid", "value": "` + row.ID.String() + `"}]}`
		for i, body := range []string{
			notice("envelope-sent", "second", "sent", 1, ours),
			notice("envelope-completed", "first", "completed", 2, ours), // made by a call whose answer was lost, and signed
		} {
			h.send(t, body, sealed("connect-key-A", body)...).OK(t)
			for _, d := range h.WaitHandled(t, h.Owner, i+1) {
				require.Equal(t, inbound.Processed, d.State, d.Error)
			}
		}
		list := h.Call(t, h.Owner.Token, http.MethodGet, "/esign/api/v1/envelopes?filter[copy_of_uuid]="+row.ID.String(), nil).OK(t)
		require.EqualValues(t, 1, list.Get("data.#").Int())
		require.Equal(t, []string{"first", "completed", "wanted", "provider"}, []string{
			list.Get("data.0.external_id").String(), list.Get("data.0.state").String(), list.Get("data.0.documents").String(), list.Get("data.0.origin").String(),
		})
		require.Equal(t, store.Sent, h.envelope(ctx, t, "second").State)
		require.Contains(t, h.EventNames(t, h.Owner), "esign.envelope.completed")
	})
}
