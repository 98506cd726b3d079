package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/secret"
)

type gate map[string]bool

func (g gate) Allows(_ context.Context, _ uuid.UUID, area string) (bool, error) { return g[area], nil }

func TestSend_RefusesAChannelThatTheCompanyDoesNotHave(t *testing.T) {
	t.Parallel()
	var sent []Message
	keep := func(_ context.Context, m Message) error { sent = append(sent, m); return nil }
	s := New(gate{"sms": true})
	require.NoError(t, s.add(SMS, channel{"sms", keep}))
	require.NoError(t, s.add("fax", channel{"faxes", keep}))
	require.ErrorContains(t, s.add(SMS, channel{"other", keep}), `"sms" and "other"`)
	require.Error(t, s.add("S M S", channel{"other", keep}))

	require.NoError(t, s.Send(t.Context(), Message{Channel: SMS, To: "+12025550143", Text: secret.Hide("Hi")}))
	require.Len(t, sent, 1)
	require.ErrorIs(t, s.Send(t.Context(), Message{Channel: "fax"}), ErrNoChannel)
	require.ErrorIs(t, s.Send(t.Context(), Message{Channel: Email}), ErrNoChannel)
	there, err := s.Channels(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{SMS}, there)
}

func TestMessage_PrintsNoText(t *testing.T) {
	t.Parallel()
	m := Message{Text: secret.Hide("Your code is 123456"), Secrets: []secret.Text{secret.Hide("123456")}}
	written, err := json.Marshal(m)
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprintf("%v %+v %#v %s", m, m, m, written), "123456")
}
