package cards

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/paylinks"
	"github.com/dispatchd/dispatchd/modules/cards/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// newPayLinks returns the pay links of the area.
func newPayLinks(
	s *sandboxHandlers, rows *resource.Resource[store.PayLink], l *link.Service, b companiesapi.Brands, w web.Settings,
) *paylinks.Desk {
	return paylinks.New(paylinks.Neighbours{
		Rows: rows, Book: s.book, Orders: s.orders, Links: l, Brands: b,
		Confirm: func(ctx context.Context, of store.Payment, accepts bool) error {
			if accepts {
				return s.play(ctx, of, sandbox.EventConfirm)
			}

			return s.play(ctx, of, sandbox.EventRefuse)
		},
	}, w)
}

// seedDemo gives the demo company an account at the sandbox.
func seedDemo(ctx context.Context, a *accounts.Service) error {
	_, err := a.Create(ctx, "Sandbox", sandbox.Name, nil)

	return err
}

func optionalID(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}

	return id.String()
}
