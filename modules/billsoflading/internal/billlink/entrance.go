// Package billlink serves people without an account who have a link to one bill of lading: to sign it on their own device, or to read it.
package billlink

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Entrance leads people without an account to the bill of lading of their link.
type Entrance struct {
	links *link.Service
	bols  *resource.Resource[store.Bol]
	rows  *store.Repository
}

// NewEntrance returns an Entrance.
func NewEntrance(links *link.Service, bols *resource.Resource[store.Bol], rows *store.Repository) *Entrance {
	return &Entrance{links, bols, rows}
}

// enter returns the bill of lading of a link, and the context of its company. It changes nothing. Error: ErrLinkClosed.
func (e *Entrance) enter(ctx context.Context, p link.Purpose, text string) (context.Context, store.Bol, error) {
	ctx, found, err := e.links.Enter(ctx, p, text)
	if err != nil {
		return ctx, store.Bol{}, err
	}
	b, err := e.bols.Find(ctx, found.Subject.ID)
	if errs.IsRefusal(err) && err != nil || err == nil && b.State == store.Voided {
		err = store.ErrLinkClosed
	}

	return ctx, b, err
}

// enterToSign is enter for a link by which there is something to sign.
func (e *Entrance) enterToSign(ctx context.Context, text string) (context.Context, store.Bol, error) {
	ctx, b, err := e.enter(ctx, store.Signing, text)
	if err == nil && b.Due() == "" {
		err = store.ErrLinkClosed
	}

	return ctx, b, err
}

// use counts the use of a link to sign, does what it is for, and returns the bill of lading after that.
func (e *Entrance) use(ctx context.Context, text string, b store.Bol, do func(ctx context.Context) error) (store.Bol, error) {
	if err := e.rows.InTx(ctx, func(ctx context.Context) error {
		if _, err := e.links.Use(ctx, store.Signing, text); err != nil {
			return err
		}

		return do(ctx)
	}); err != nil {
		return b, err
	}

	return e.bols.Find(ctx, b.ID)
}
