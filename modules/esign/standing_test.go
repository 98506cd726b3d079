package esign

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// bare is a notification without a summary, generated at a second.
func bare(event, recipient string, second int) string {
	return fmt.Sprintf(`{"event": %q, "generatedDateTime": "2026-11-02T10:00:%02dZ", "data": {"accountId": %q, "envelopeId": "e1", "recipientId": %q}}`,
		event, second, vendorAccount, recipient)
}

func TestReceiver_NeverMovesBackByAnEventWithoutASummary(t *testing.T) {
	t.Parallel()
	eachHearing(t, func(t *testing.T, h *receiverFixture) {
		t.Helper()
		ctx := h.as(t)
		h.key(t, "connect-key-A")
		viewed := `, "recipients": {"signers": [{"recipientId": "1", "name": "Ann", "status": "delivered", "sentDateTime": "2026-11-02T10:00:01Z",
"deliveredDateTime": "2026-11-02T10:00:03Z"}]}`
		all := []string{
			notice("envelope-delivered", "e1", "delivered", 3, tie(2)+viewed),
			bare("envelope-sent", "", 9), bare("recipient-sent", "1", 9), bare("recipient-autoresponded", "1", 8), bare("envelope-created", "", 9),
		}
		for i, body := range all {
			h.send(t, body, sealed("connect-key-A", body)...).OK(t)
			h.WaitHandled(t, h.Owner, i+1)
		}
		row := h.envelope(ctx, t, "e1")
		shown := h.Call(t, h.Owner.Token, http.MethodGet, "/esign/api/v1/envelopes/"+row.ID.String(), nil).OK(t)
		require.Equal(t, []string{"delivered", "delivered"}, []string{shown.Get("state").String(), shown.Get("recipients.0.state").String()})
		signed := bare("recipient-completed", "1", 12)
		h.send(t, signed, sealed("connect-key-A", signed)...).OK(t)
		h.WaitHandled(t, h.Owner, len(all)+1)
		shown = h.Call(t, h.Owner.Token, http.MethodGet, "/esign/api/v1/envelopes/"+row.ID.String(), nil).OK(t)
		require.Equal(t, "completed", shown.Get("recipients.0.state").String(), "on, it moves")
	})
}
