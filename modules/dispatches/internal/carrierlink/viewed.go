package carrierlink

import (
	"cmp"
	"context"
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// LinkInput names a link.
type LinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
}

// Viewed keeps when carriers have seen their pages.
type Viewed struct {
	door       *Door
	offers     *resource.Resource[store.Offer]
	dispatches *resource.Resource[store.Dispatch]
}

// NewViewed returns a Viewed.
func NewViewed(d *Door, offers *resource.Resource[store.Offer], dispatches *resource.Resource[store.Dispatch]) *Viewed {
	return &Viewed{d, offers, dispatches}
}

func (v *Viewed) note(ctx context.Context, in *LinkInput) (*struct{}, error) {
	ctx, e, err := v.door.Enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	now := e.At
	if o := e.Offer; o != nil && o.SeenAt == nil {
		_, err = v.offers.Change(ctx, o.ID, web.IfMatch{}, store.VerbView, func(_ context.Context, o *store.Offer) error {
			o.SeenAt = cmp.Or(o.SeenAt, &now)

			return nil
		})
	}
	if row := e.Dispatch; err == nil && row != nil && (row.SeenAt == nil || now.Sub(*row.SeenAt) > time.Hour) {
		_, err = v.dispatches.Change(ctx, row.ID, web.IfMatch{}, store.VerbSeen, func(_ context.Context, row *store.Dispatch) error {
			row.SeenAt = &now

			return nil
		})
	}

	return nil, err
}
