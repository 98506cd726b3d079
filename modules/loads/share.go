package loads

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

// sharing is what the links are for by which customers follow their loads.
const sharing link.Purpose = "loads.share"

const (
	shareLife    = 90 * 24 * time.Hour
	maxShareLife = 366 * 24 * time.Hour
)

var errNoShare = errs.New(errs.NotFound, "loads.share_closed", "This link is no longer valid. Ask for a new one.")

// shares let customers follow their loads by links.
type shares struct {
	loads  *resource.Resource[load]
	links  *link.Service
	brands companiesapi.Brands
	given  *share.Service
	rows   *repository
	coming loadsapi.Standings
	notes  *remark.Reader
	pages  *face.Face[loadpage.Shared]
}

func newShares(
	loads *resource.Resource[load], links *link.Service, brands companiesapi.Brands, given *share.Service, rows *repository, coming loadsapi.Standings,
	notes *remark.Reader,
) *shares {
	return &shares{loads, links, brands, given, rows, coming, notes, loadpage.New()}
}

func shareRoutes(r *web.Router, s *shares) {
	share.Routes(r, s.given, share.Operations{
		Path: "/loads/{uuid}/shares", Name: "load_share", Summary: "by which the customer follows a load", Description: "Anyone with the link sees what the customer may see.",
		Purpose: sharing, Subject: s.subject, Give: s.give, Errors: []*errs.Error{s.loads.NotFound()},
	})
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
func (s *shares) subject(ctx context.Context, id uuid.UUID) (link.Subject, error) {
	_, err := s.loads.Find(ctx, id)

	return link.Subject{Type: loadsapi.Load, ID: id}, err
}

// give is the link to a load.
func (s *shares) give(ctx context.Context, id uuid.UUID) (share.Given, error) {
	l, err := s.loads.Find(ctx, id)
	if err == nil && l.forSale() && l.Signature == signing.None {
		_, err = s.loads.Change(ctx, id, web.IfMatch{}, verbAsk, func(_ context.Context, l *load) error {
			l.Signature = signing.Sent

			return nil
		})
	}
	if err != nil {
		return share.Given{}, err
	}
	brand, err := s.brands.Brand(ctx)

	return share.Given{
		Purpose: sharing, Subject: link.Subject{Type: loadsapi.Load, ID: id}, Page: base + "/shared/",
		Title: "Your transport " + l.Number, Text: brand.Name + ": follow your transport " + l.Number + " here.", Sales: forSale(&l) == nil,
	}, err
}

type readSharedInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
}

type sharedOutput struct{ Body loadpage.Shared }

func (s *shares) read(ctx context.Context, in *readSharedInput) (*sharedOutput, error) {
	ctx, found, err := s.links.Enter(ctx, sharing, in.Link)
	if err != nil {
		return nil, err
	}
	rows, err := s.loads.FindSome(ctx, []uuid.UUID{found.Subject.ID})
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
	notes, err := s.notes.About(ctx, item.Ref{Type: loadsapi.Load, UUID: rows[0].ID}, customer)
	l := rows[0].visibleTo(sight.Customer)

	return &sharedOutput{loadpage.Shared{
		Brand: page.Brand{Name: brand.Name, Color: brand.PrimaryColor}, Number: l.Number, State: l.State, Stops: listed(l.Stops.V), Vehicles: listed(l.Vehicles.V),
		Charges: listed(l.Charges.V), Plan: listed(l.Plan.V), Payments: listed(l.Payments.V), Tariff: l.Tariff, CustomerOwes: l.CustomerOwes, Currency: l.Currency, Miles: l.Miles, FromDays: l.FromDays, ToDays: l.ToDays,
		AvailableFrom: string(l.AvailableFrom), PromisedBy: string(l.PromisedBy), Bookable: rows[0].forSale(), ShownKey: rows[0].snapshot().Key(), Coming: loadpage.ComingOf(coming), Notes: notes,
		Changes: listed(rows[0].toSign()), ChangesKey: signing.KeyOf(rows[0].toSign()),
	}}, err
}

func listed[T any](all []T) []T {
	if all == nil {
		return []T{}
	}

	return all
}

// waits is where a vehicle waits that its first carrier has handed over, "" for any other.
func (l load) waits(v vehicle) string {
	if at := l.place(v.Pickup); v.Custody == waiting && at >= 0 && l.Stops.V[at].Kind == transfer {
		return l.Stops.V[at].Venue.Title()
	}

	return ""
}

// mostListed is how many loads the portal of a customer lists.
const mostListed = 50

// portal lists the loads of a customer in its portal, the newest first.
func (s *shares) portal(ctx context.Context, p *contactsapi.ReadingPortal) error {
	rows, err := s.rows.newestOf(ctx, item.ID(p.Contact), mostListed)
	if err != nil || len(rows) == 0 {
		return err
	}
	section := contactsapi.PortalSection{Title: "Your transports"}
	for _, row := range rows {
		l := row.visibleTo(sight.Customer)
		handed := ""
		for _, v := range l.Vehicles.V {
			handed = cmp.Or(handed, l.waits(v))
		}
		entry := contactsapi.PortalEntry{Title: l.Number, Texts: []string{loadpage.StateText(l.State, handed)}}
		if n := len(l.Stops.V); n > 0 {
			entry.Texts = append(entry.Texts, l.Stops.V[0].Venue.Title()+" to "+l.Stops.V[n-1].Venue.Title())
		}
		for _, v := range l.Vehicles.V {
			entry.Texts = append(entry.Texts, v.Name()+" "+loadpage.CustodyText(string(v.Custody), l.waits(v)))
		}
		if l.Tariff != "" {
			entry.Texts = append(entry.Texts, page.Amount(l.Tariff, l.Currency))
		}
		section.Entries = append(section.Entries, entry)
	}
	p.Sections = append(p.Sections, section)

	return nil
}
