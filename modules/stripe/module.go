// Package stripe charges cards at Stripe.
//
// It is a vendor of the area cards, which keeps the accounts, cards and payments, and has their operations. It owns no table, and has no
// operation but the address of Stripe's events.
//
//	internal/gateway  the adapter to Stripe's API and events
package stripe

import (
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/stripe/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/port"
)

// Module is the stripe area.
var Module = module.New(gateway.Name, "Card payments at Stripe",
	config.Section(gateway.Defaults()),
	fx.Provide(gateway.New, newReceiver, fx.Private),
	port.Provides[cardsapi.Vendor, *gateway.Stripe](gateway.Name),
	inbound.Receiver(noticeKind()),
).Needs(cardsapi.Area)
