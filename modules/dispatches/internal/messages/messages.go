// Package messages writes to carriers: it makes links to offers and dispatches, and sends them by the channels that reach a carrier.
package messages

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/share"
)

// BasePath begins the paths of the operations of the area, CarrierPath those of the pages of carriers, which end with the text of a link.
const (
	BasePath    = "/dispatches/api/v1"
	CarrierPath = BasePath + "/carrier/"
)

// CarrierLink is the purpose of the links of carriers: to an offer, and then to the load that the carrier has; or to a dispatch.
const CarrierLink link.Purpose = "dispatches.carrier"

// How long such a link is valid: by default, and at most.
const (
	LinkLife    = 90 * 24 * time.Hour
	MaxLinkLife = 366 * 24 * time.Hour
)

// Text is the text of a message about a load, by its number.
type Text func(load string) string

// OfferText is the text of a new offer.
func OfferText(load string) string { return "You are offered the load " + load + "." }

// Writer writes to carriers.
type Writer struct {
	carriers carriersapi.Carriers
	brands   companiesapi.Brands
	loads    loadsapi.Standings
	links    *share.Service
}

// NewWriter returns a Writer.
func NewWriter(carriers carriersapi.Carriers, brands companiesapi.Brands, loads loadsapi.Standings, links *share.Service) *Writer {
	return &Writer{carriers, brands, loads, links}
}

// WriteOffer makes another link for the carrier of an offer, and sends it.
func (w *Writer) WriteOffer(ctx context.Context, o store.Offer, text Text) (share.Share, error) {
	brand, err := w.brands.Brand(ctx)
	if err != nil {
		return share.Share{}, err
	}

	return w.WriteOfferAs(ctx, brand, o, text)
}

// WriteOfferAs makes a link for the carrier of an offer, and sends it by those of its channels that reach the carrier.
func (w *Writer) WriteOfferAs(ctx context.Context, brand companiesapi.Brand, o store.Offer, text Text) (share.Share, error) {
	load, err := w.loads.Standing(ctx, o.Load.String())
	if err != nil {
		return share.Share{}, err
	}
	to, err := w.Reach(ctx, o.Carrier, o.Channels.V, notify.Sales)
	if err != nil {
		return share.Share{}, err
	}

	return w.links.Give(ctx, share.Given{
		Purpose: CarrierLink, Subject: link.Subject{Type: dispatchesapi.Offer, ID: o.ID}, Holder: holder(o.Carrier), Page: CarrierPath,
		Title: brand.Name + ": load " + load.Number, Text: brand.Name + ": " + text(load.Number), Sales: true,
	}, share.Create{To: to.Recipients})
}

// RevokeOffer ends the links to an offer.
func (w *Writer) RevokeOffer(ctx context.Context, id uuid.UUID) error {
	return w.links.Revoke(ctx, CarrierLink, link.Subject{Type: dispatchesapi.Offer, ID: id})
}

// OfferLink describes a link to an offer that the company sends or passes on itself.
func (w *Writer) OfferLink(ctx context.Context, o store.Offer) (share.Given, error) {
	load, err := w.loads.Standing(ctx, o.Load.String())
	if err != nil {
		return share.Given{}, err
	}
	brand, err := w.brands.Brand(ctx)

	return share.Given{
		Purpose: CarrierLink, Subject: link.Subject{Type: dispatchesapi.Offer, ID: o.ID}, Holder: holder(o.Carrier), Page: CarrierPath,
		Title: brand.Name + ": load " + load.Number, Text: brand.Name + ": " + OfferText(load.Number),
	}, err
}

// DispatchLink describes a link to a dispatch that the company sends or passes on itself.
func (w *Writer) DispatchLink(ctx context.Context, row store.Dispatch) (share.Given, error) {
	brand, err := w.brands.Brand(ctx)

	return share.Given{
		Purpose: CarrierLink, Subject: link.Subject{Type: dispatchesapi.Dispatch, ID: row.ID}, Holder: holder(row.Carrier), Page: CarrierPath,
		Title: brand.Name + ": load " + row.LoadNumber(), Text: brand.Name + ": the load " + row.LoadNumber() + " is yours.",
	}, err
}

// RemindOfDispatch makes a link for the carrier of a dispatch, and sends it by channels with what the carrier is reminded of.
func (w *Writer) RemindOfDispatch(ctx context.Context, row store.Dispatch, channels []string, note string) (share.Share, error) {
	brand, err := w.brands.Brand(ctx)
	if err != nil {
		return share.Share{}, err
	}
	to, err := w.Reach(ctx, row.Carrier, channels, notify.Business)
	if err != nil {
		return share.Share{}, err
	}

	return w.links.Give(ctx, share.Given{
		Purpose: CarrierLink, Subject: link.Subject{Type: dispatchesapi.Dispatch, ID: row.ID}, Holder: holder(row.Carrier), Page: CarrierPath,
		Title: brand.Name + ": load " + row.LoadNumber(),
		Text:  brand.Name + ": " + strings.TrimSpace(row.ReminderText()+" "+note),
	}, share.Create{To: to.Recipients})
}

// NotifyRevision writes to the carrier of a dispatch, by all channels that it has, that the terms have changed. It reports
// whether one of them took the message.
func (w *Writer) NotifyRevision(ctx context.Context, row store.Dispatch) (reached bool, err error) {
	brand, err := w.brands.Brand(ctx)
	if err != nil {
		return false, err
	}
	to, err := w.Reach(ctx, row.Carrier, []string{notify.Email, notify.SMS}, notify.Business)
	if err != nil {
		return false, err
	}
	for _, one := range to.Recipients {
		given, err := w.links.Give(ctx, share.Given{
			Purpose: CarrierLink, Subject: link.Subject{Type: dispatchesapi.Dispatch, ID: row.ID}, Holder: holder(row.Carrier), Page: CarrierPath,
			Title: brand.Name + ": load " + row.LoadNumber() + " has changed",
			Text: brand.Name + ": the terms of the load " + row.LoadNumber() + " have changed (revision " + strconv.FormatInt(row.Revision, 10) + ", " +
				page.Amount(row.CarrierPay, row.Currency) + "). Please look at them and confirm.",
		}, share.Create{To: []share.Recipient{one}})
		if err := store.IgnoreRefusal(err); err != nil { // such as one who wants no messages
			return false, err
		}
		for _, d := range given.Deliveries {
			reached = reached || d.Result == share.Sent
		}
	}

	return reached, nil
}

func holder(carrier uuid.UUID) link.Subject { return link.HolderOf(carriersapi.Item, carrier) }
