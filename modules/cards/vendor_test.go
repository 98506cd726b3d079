package cards

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/cardstest"
	"github.com/dispatchd/dispatchd/modules/cards/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

func TestSandbox_KeepsTheContractOfVendors(t *testing.T) {
	t.Parallel()
	var boxes sync.Map
	moduletest.BootEach(t, []module.Module{companies.Module, Module}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		cardstest.Run(t, func(t *testing.T) cardstest.Subject {
			t.Helper()
			made, _ := boxes.Load(a.DB)
			box, id := made.(*sandbox.Sandbox), uuid.New()
			token := func(text string) func() string { return func() string { return text } }

			return cardstest.Subject{
				Vendor: box, Opening: cardsapi.Opening{Account: id.String()},
				Refused: cardsapi.Opening{Account: id.String(), Credentials: map[string]string{"revoked": "since Monday"}},
				Context: func(ctx context.Context) context.Context { return principal.AsCompany(ctx, a.Owner.ID) },
				Charged: func(t *testing.T) (n int) {
					t.Helper()
					rows, err := a.DB.SQL().QueryContext(t.Context(), "SELECT CAST(account_id AS text) FROM cards_sandbox_things WHERE kind = 'payment'")
					require.NoError(t, err)
					defer func() { require.NoError(t, rows.Close()) }()
					for rows.Next() {
						var of string
						require.NoError(t, rows.Scan(&of))
						if of == id.String() {
							n++
						}
					}
					require.NoError(t, rows.Err())

					return n
				},
				Tokens: cardstest.Tokens{
					OK: token("tok_ok"), Asks: "tok_3ds", LosesAnswer: token("tok_timeout_taken"), LosesCall: token("tok_timeout_not_taken"), Limited: token("tok_limited"),
					Declines: map[cardsapi.Reason]string{
						cardsapi.Declined: "tok_declined", cardsapi.InsufficientFunds: "tok_insufficient", cardsapi.ExpiredCard: "tok_expired", cardsapi.CVV: "tok_cvv",
						cardsapi.AVS: "tok_avs",
					},
					Final: []cardsapi.Reason{cardsapi.ExpiredCard},
				},
				Confirm: func(t *testing.T, p cardsapi.VendorPayment) {
					t.Helper()
					require.NoError(t, box.PlayNow(principal.AsCompany(t.Context(), a.Owner.ID), id, p.ID, sandbox.EventConfirm))
				},
			}
		})
	}, moduletest.Set("roles=api"), moduletest.With(fx.Invoke(func(db *database.DB, queue *jobs.Queue, w web.Settings) {
		boxes.Store(db, sandbox.New(db, queue, clock.System{}, w))
	})))
}
