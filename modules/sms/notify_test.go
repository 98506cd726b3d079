package sms_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
)

func TestNotify_SendsSecretsThatNobodyReadsAfterwards(t *testing.T) {
	t.Parallel()
	var made sync.Map
	eachTwilio(t, func(t *testing.T, l *line) {
		t.Helper()
		found, _ := made.Load(l.DB)
		channels := found.(*notify.Service)
		ctx := principal.AsCompany(t.Context(), l.Owner.ID)
		l.put(t, "/numbers/company/default", map[string]any{"number_uuid": l.number}).OK(t)
		require.NoError(t, l.DB.InTx(ctx, func(ctx context.Context) error {
			return channels.Send(ctx, notify.Message{
				Channel: notify.SMS, To: driver, Text: secret.Hide("Your code is 493817."), Secrets: []secret.Text{secret.Hide("493817")}, Urgent: true,
			})
		}))
		l.Eventually(t, func() bool { return len(l.vendor.Messages()) == 1 }, "it is sent")
		require.Equal(t, "Your code is 493817.", l.vendor.Messages()[0].Form.Get("Body"))
		require.Equal(t, "Your code is [hidden].", l.get(t, "/messages").OK(t).Get("data.0.body").String())
		require.ErrorIs(t, channels.Send(ctx, notify.Message{Channel: notify.Email, To: "a@example.com"}), notify.ErrNoChannel)
	}, moduletest.With(fx.Invoke(func(db *database.DB, channels *notify.Service) { made.Store(db, channels) })))
}
