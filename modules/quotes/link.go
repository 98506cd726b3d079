package quotes

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/quotes/quotesapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
)

// offering is what the links are for by which customers answer offers. They are to loads: a link always shows the latest offer.
const offering link.Purpose = "quotes.offer"

// customerItem is the type of those to whom such links are given.
const customerItem = "contacts.contact"

const (
	linkLife    = 90 * 24 * time.Hour
	maxLinkLife = 366 * 24 * time.Hour
)

var errNotTaken = errs.New(errs.Invalid, "quotes.not_accepted", "The given data was invalid.")

// letters are the links by which customers are shown offers.
type letters struct {
	quotes *resource.Resource[quote]
	trade  *trade
	brands companiesapi.Brands
}

func newLetters(quotes *resource.Resource[quote], t *trade, brands companiesapi.Brands) *letters {
	return &letters{quotes, t, brands}
}

// subject is what the links of a quote lead to.
func (l *letters) subject(ctx context.Context, id uuid.UUID) (link.Subject, error) {
	q, err := l.quotes.Find(ctx, id)
	if err != nil {
		return link.Subject{}, err
	}

	return link.Subject{Type: loadsapi.Load, ID: *q.Load}, nil
}

// give is the link to the offers for the load of a quote.
func (l *letters) give(ctx context.Context, id uuid.UUID) (share.Given, error) {
	q, err := l.quotes.Find(ctx, id)
	if err != nil {
		return share.Given{}, err
	}
	if q.State == draft {
		return share.Given{}, errDraft
	}
	of, err := l.trade.held(ctx, q)
	if err != nil {
		return share.Given{}, err
	}
	brand, err := l.brands.Brand(ctx)

	return share.Given{
		Purpose: offering, Subject: link.Subject{Type: loadsapi.Load, ID: *q.Load}, Holder: link.HolderOf(customerItem, item.ID(of.Customer)), Page: base + "/offers/",
		Title: "Your offer for the transport " + of.Number, Text: brand.Name + ": your offer for the transport " + of.Number + " is here.", About: item.Ref{Type: quotesapi.Quote, UUID: q.ID},
	}, err
}

// door lets those in who have a link.
type door struct {
	links  *link.Service
	quotes *resource.Resource[quote]
	rows   *repository
}

func newDoor(links *link.Service, quotes *resource.Resource[quote], rows *repository) *door {
	return &door{links, quotes, rows}
}

// refusals are those of all that is done by a link.
func (d *door) refusals() []*errs.Error {
	return append([]*errs.Error{d.quotes.NotFound()}, link.Refusals...)
}

// enter returns the latest offer of a link, and the context of its company. It changes nothing.
func (d *door) enter(ctx context.Context, text string) (context.Context, quote, error) {
	ctx, found, err := d.links.Enter(ctx, offering, text)
	if err != nil {
		return ctx, quote{}, err
	}
	q, err := d.rows.shown(ctx, found.Subject.ID)
	if errors.Is(err, errNone) {
		err = d.quotes.NotFound()
	}

	return ctx, q, err
}

// answered is enter for an answer to an offer, which is to be the one that was shown.
func (d *door) answered(ctx context.Context, text string, to uuid.UUID) (context.Context, quote, error) {
	ctx, q, err := d.enter(ctx, text)
	if err == nil && q.ID != to {
		err = forCustomer(errSuperseded.WithDetail("current", map[string]any{"uuid": q.ID, "number": q.Number}))
	}

	return ctx, q, err
}
