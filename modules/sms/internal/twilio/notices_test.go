package twilio

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
)

// The words are those of twilio-node 6.3 (MessageStatus).
func TestStatusOf_KnowsEveryWordOfTwilio(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]provider.Status{
		"accepted": provider.Sending, "scheduled": provider.Sending, "queued": provider.Sending, "sending": provider.Sending, "sent": provider.Sent,
		"partially_delivered": provider.Sent, "delivered": provider.Delivered, "read": provider.Delivered, "undelivered": provider.Undelivered,
		"failed": provider.Failed, "canceled": provider.Failed, "receiving": provider.Received, "received": provider.Received,
	} {
		status, known := statusOf(word)
		require.True(t, known, word)
		require.Equal(t, want, status, word)
	}
	_, known := statusOf("new_word")
	require.False(t, known)
}
