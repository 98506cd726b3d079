// Package sharing has the links by which customers follow, book and sign their loads.
package sharing

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/loadpage"
	"github.com/dispatchd/dispatchd/modules/loads/internal/sight"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/remark"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Purpose is what the links are for by which customers follow their loads.
const Purpose link.Purpose = "loads.share"

// Life is how long a link lasts by default, MaxLife at most.
const (
	Life    = 90 * 24 * time.Hour
	MaxLife = 366 * 24 * time.Hour
)

var errNoShare = errs.New(errs.NotFound, "loads.share_closed", "This link is no longer valid. Ask for a new one.")

// Links are the links by which customers follow their loads.
type Links struct {
	loads  *resource.Resource[store.Load]
	links  *link.Service
	brands companiesapi.Brands
	given  *share.Service
}

// NewLinks returns Links.
func NewLinks(loads *resource.Resource[store.Load], links *link.Service, brands companiesapi.Brands, given *share.Service) *Links {
	return &Links{loads, links, brands, given}
}

// Page is the page on which a customer follows a load.
type Page struct {
	loads  *resource.Resource[store.Load]
	links  *Links
	brands companiesapi.Brands
	coming loadsapi.Standings
	notes  *remark.Reader
	pages  *face.Face[loadpage.Shared]
}

// NewPage returns a Page.
func NewPage(loads *resource.Resource[store.Load], links *Links, brands companiesapi.Brands, coming loadsapi.Standings, notes *remark.Reader) *Page {
	return &Page{loads, links, brands, coming, notes, loadpage.New()}
}

// LinkRoutes are the operations on links.
func LinkRoutes(r *web.Router, s *Links) {
	share.Routes(r, s.given, share.Operations{
		Path: "/loads/{uuid}/shares", Name: "load_share", Summary: "by which the customer follows a load", Description: "Anyone with the link sees what the customer may see.",
		Purpose: Purpose, Subject: s.subject, Give: s.give, Errors: []*errs.Error{s.loads.NotFound()},
	})
}

// PageRoutes are the operations by a link.
func PageRoutes(r *web.Router, s *Page) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}", ID: "read_shared_load", Access: web.Public, Summary: "Follow a load by a link",
		Description: "With Accept: text/html, the response is a page.", Errors: append([]*errs.Error{errNoShare}, link.Refusals...), Page: s.pages.Page,
	}, s.read)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/shared/{link}/book", ID: "book_shared_load", Access: web.Public, Summary: "Book a load by a link",
		Description: "At the price that was shown, and as it was shown, of a load that was not booked yet. Booking twice is booking once.",
		Errors:      append(append([]*errs.Error{errNoShare}, bookingErrors...), link.Refusals...), TakesForm: true, Page: s.pages.After,
	}, s.book)
}

// subject is a load that links lead to.
func (s *Links) subject(ctx context.Context, id uuid.UUID) (link.Subject, error) {
	_, err := s.loads.Find(ctx, id)

	return link.Subject{Type: loadsapi.Load, ID: id}, err
}

// give is the link to a load.
func (s *Links) give(ctx context.Context, id uuid.UUID) (share.Given, error) {
	l, err := s.loads.Find(ctx, id)
	if err == nil && l.ForSale() && l.Signature == signing.None {
		_, err = s.loads.Change(ctx, id, web.IfMatch{}, store.VerbAsk, func(_ context.Context, l *store.Load) error {
			l.Signature = signing.Sent

			return nil
		})
	}
	if err != nil {
		return share.Given{}, err
	}
	brand, err := s.brands.Brand(ctx)

	return share.Given{
		Purpose: Purpose, Subject: link.Subject{Type: loadsapi.Load, ID: id}, Holder: holder(l), Page: store.Base + "/shared/",
		Title: "Your transport " + l.Number, Text: brand.Name + ": follow your transport " + l.Number + " here.", Sales: store.CheckForSale(&l) == nil,
	}, err
}

// holder is the customer of a load, to whom its links are given.
func holder(l store.Load) link.Subject {
	if l.Customer == nil {
		return link.Subject{}
	}

	return link.HolderOf(contactsapi.Item, *l.Customer)
}

// enter returns the load of a link, in the context of its company.
func (s *Links) enter(ctx context.Context, text string) (context.Context, uuid.UUID, error) {
	ctx, found, err := s.links.Enter(ctx, Purpose, text)

	return ctx, found.Subject.ID, err
}

// A source sends so many requests by its keys, and has so many answered, at most.
const (
	requestsPerHour, requestsPerDay = 1_000, 5_000
	repliesPerHour, repliesPerDay   = 60, 300
)

// Allow counts a request that a source sends by a key. Error: link.ErrTooOften.
func (s *Links) Allow(ctx context.Context, source uuid.UUID) error {
	return s.given.AllowEntries(ctx, "requests of "+source.String(), 1, requestsPerHour, requestsPerDay)
}

// Reply sends the link to a load to whom a source names.
func (s *Links) Reply(ctx context.Context, source, id uuid.UUID, to share.Recipient) error {
	given, err := s.give(ctx, id)
	if err == nil {
		given.Outsider = &share.Outsider{Thing: "source " + source.String(), PerHour: repliesPerHour, PerDay: repliesPerDay}
		_, err = s.given.Give(ctx, given, share.Create{To: []share.Recipient{to}})
	}

	return err
}

type readSharedInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
}

type sharedOutput struct{ Body loadpage.Shared }

func (s *Page) read(ctx context.Context, in *readSharedInput) (*sharedOutput, error) {
	ctx, id, err := s.links.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	rows, err := s.loads.FindSome(ctx, []uuid.UUID{id})
	if err == nil && len(rows) == 0 {
		err = errNoShare
	}
	if err != nil {
		return nil, err
	}
	brand, err := s.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	coming, err := s.coming.Following(ctx, rows[0].ID.String())
	if err != nil {
		return nil, err
	}
	notes, err := s.notes.About(ctx, item.Ref{Type: loadsapi.Load, UUID: rows[0].ID}, store.Customer)
	l := rows[0].VisibleTo(sight.Customer)

	return &sharedOutput{loadpage.Shared{
		Brand: page.Brand(brand), Number: l.Number, State: l.State, Stops: listed(l.Stops.V), Vehicles: listed(l.Vehicles.V),
		Charges: listed(l.Charges.V), Plan: listed(l.Plan.V), Payments: listed(l.Payments.V), Tariff: l.Tariff, CustomerOwes: l.CustomerOwes, Currency: l.Currency, Miles: l.Miles, FromDays: l.FromDays, ToDays: l.ToDays,
		AvailableFrom: string(l.AvailableFrom), PromisedBy: string(l.PromisedBy), Bookable: rows[0].ForSale(), ShownKey: rows[0].Snapshot().Key(), Coming: loadpage.ComingOf(coming), Notes: notes,
		Changes: listed(rows[0].ToSign()), ChangesKey: signing.KeyOf(rows[0].ToSign()),
	}}, err
}

func listed[T any](all []T) []T {
	if all == nil {
		return []T{}
	}

	return all
}

// waitsAt is where a vehicle waits that its first carrier has handed over, "" for any other.
func waitsAt(l store.Load, v store.Vehicle) string {
	if at := l.StopIndex(v.Pickup); v.Custody == store.Waiting && at >= 0 && l.Stops.V[at].Kind == store.Transfer {
		return l.Stops.V[at].Venue.Title()
	}

	return ""
}

// mostListed is how many loads the portal of a customer lists.
const mostListed = 50

// Portal shows customers their loads.
type Portal struct{ rows *store.Repository }

// NewPortal returns a Portal.
func NewPortal(rows *store.Repository) *Portal { return &Portal{rows} }

// List lists the loads of a customer in its portal, the newest first.
func (s *Portal) List(ctx context.Context, p *contactsapi.ReadingPortal) error {
	rows, err := s.rows.NewestOf(ctx, item.ID(p.Contact), mostListed)
	if err != nil || len(rows) == 0 {
		return err
	}
	section := contactsapi.PortalSection{Title: "Your transports"}
	for _, row := range rows {
		l := row.VisibleTo(sight.Customer)
		handed := ""
		for _, v := range l.Vehicles.V {
			handed = cmp.Or(handed, waitsAt(l, v))
		}
		entry := contactsapi.PortalEntry{Title: l.Number, Texts: []string{loadpage.StateText(l.State, handed)}}
		if n := len(l.Stops.V); n > 0 {
			entry.Texts = append(entry.Texts, l.Stops.V[0].Venue.Title()+" to "+l.Stops.V[n-1].Venue.Title())
		}
		for _, v := range l.Vehicles.V {
			entry.Texts = append(entry.Texts, v.Name()+" "+loadpage.CustodyText(string(v.Custody), waitsAt(l, v)))
		}
		if l.Tariff != "" {
			entry.Texts = append(entry.Texts, page.Amount(l.Tariff, l.Currency))
		}
		section.Entries = append(section.Entries, entry)
	}
	p.Sections = append(p.Sections, section)

	return nil
}
