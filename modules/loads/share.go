package loads

import (
	"context"
	"embed"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/bookpage"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
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

//go:embed page
var pageFiles embed.FS

// shares let customers follow their loads by links.
type shares struct {
	loads  *resource.Resource[load]
	links  *link.Service
	brands companiesapi.Brands
	given  *share.Service
	rows   *repository
	layout *page.Layout
}

func newShares(loads *resource.Resource[load], links *link.Service, brands companiesapi.Brands, given *share.Service, rows *repository) *shares {
	return &shares{loads, links, brands, given, rows, page.New(page.Parts{
		Content: page.File(pageFiles, "page/load.html"), Style: page.File(pageFiles, "page/load.css"),
	})}
}

func shareRoutes(r *web.Router, s *shares) {
	share.Routes(r, s.given, share.Operations{
		Path: "/loads/{uuid}/shares", Name: "load_share", Summary: "by which the customer follows a load", Description: "Whoever has the link sees what the customer may see.",
		Purpose: sharing, Subject: s.subject, Give: s.give, Errors: []*errs.Error{s.loads.NotFound()},
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}", ID: "read_shared_load", Access: web.Public, Summary: "Follow a load by a link",
		Description: "With Accept: text/html, the response is a page.", Errors: append([]*errs.Error{errNoShare}, link.Refusals...), Page: s.page,
	}, s.read)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/shared/{link}/book", ID: "book_shared_load", Access: web.Public, Summary: "Book a load by a link",
		Description: "At the price that was shown, of a load that was not booked yet. Booking twice is booking once.",
		Errors:      append(append([]*errs.Error{errNoShare}, bookingErrors...), link.Refusals...), Form: bookpage.Body, Page: func(a web.Answer) web.Page { return bookpage.Done(s.layout, a) },
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
	if err != nil {
		return share.Given{}, err
	}
	brand, err := s.brands.Brand(ctx)

	return share.Given{
		Purpose: sharing, Subject: link.Subject{Type: loadsapi.Load, ID: id}, Page: base + "/shared/",
		Title: "Your transport " + l.Number, Text: brand.Name + ": follow your transport " + l.Number + " here.",
	}, err
}

// sharedLoad is a load as whoever has a link sees it.
type sharedLoad struct {
	Brand         page.Brand     `json:"brand"`
	Number        string         `json:"number"`
	State         loadsapi.State `json:"state"`
	Stops         []stop         `json:"stops" nullable:"false"`
	Vehicles      []vehicle      `json:"vehicles" nullable:"false"`
	Charges       []charge       `json:"charges" nullable:"false"`
	Plan          []planLine     `json:"payment_plan" nullable:"false"`
	Tariff        money.Amount   `json:"tariff"`
	Currency      money.Currency `json:"currency"`
	Miles         *int64         `json:"miles"`
	FromDays      *int64         `json:"transit_from_days"`
	ToDays        *int64         `json:"transit_to_days"`
	AvailableFrom string         `json:"available_from"`
	Bookable      bool           `json:"bookable" doc:"Whether it can be booked by the link: it has a price, and was not booked yet."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (sharedLoad) SchemaName() string { return "SharedLoad" }

type readSharedInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
}

type sharedOutput struct{ Body sharedLoad }

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
	l := rows[0].visibleTo(toCustomer)

	return &sharedOutput{sharedLoad{
		Brand: page.Brand{Name: brand.Name, Color: brand.PrimaryColor}, Number: l.Number, State: l.State, Stops: listed(l.Stops.V), Vehicles: listed(l.Vehicles.V),
		Charges: listed(l.Charges.V), Plan: listed(l.Plan.V), Tariff: l.Tariff, Currency: l.Currency, Miles: l.Miles, FromDays: l.FromDays, ToDays: l.ToDays,
		AvailableFrom: string(l.AvailableFrom), Bookable: rows[0].forSale(),
	}}, err
}

func listed[T any](all []T) []T {
	if all == nil {
		return []T{}
	}

	return all
}

// words are what a customer is told of the states.
var words = map[loadsapi.State]string{
	loadsapi.Draft: "We are working on your request.", loadsapi.Lead: "We are working on your request.", loadsapi.Quoted: "We have made you an offer.",
	loadsapi.Booked: "Your transport is booked. We are looking for a carrier.",
	loadsapi.Ready:  "Your transport is booked. We are looking for a carrier.", loadsapi.Dispatched: "A carrier has your transport, and comes to pick up.",
	loadsapi.PickedUp: "Your transport is on the way.", loadsapi.Delivered: "Your transport has arrived.", loadsapi.Completed: "Your transport has arrived.",
	loadsapi.Lost: "This request was closed.", loadsapi.Cancelled: "This transport was canceled.", loadsapi.Archived: "This transport is closed.",
}

// places are what a customer is told of where a vehicle is.
var places = map[custody]string{waiting: "waits to be picked up", onBoard: "is on the way", dropped: "was delivered"}

// shown is what the markup of the page shows.
type shown struct {
	From, To string
	Cars     []string
	Facts    []string
	Due      []string
	Book     *page.Form
}

func (s *shares) page(a web.Answer) web.Page {
	var l sharedLoad
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &l) != nil {
		return s.layout.Refused(a, func(string) string { return "" })
	}
	p := page.Page{Brand: l.Brand, Heading: "Transport " + l.Number, Texts: []string{words[l.State]}}
	c := shown{}
	if n := len(l.Stops); n > 0 {
		c.From, c.To = l.Stops[0].Venue.title(), l.Stops[n-1].Venue.title()
	}
	for _, v := range l.Vehicles {
		c.Cars = append(c.Cars, v.name()+" "+places[v.Custody])
	}
	if l.AvailableFrom != "" && slices.Contains([]loadsapi.State{loadsapi.Lead, loadsapi.Quoted, loadsapi.Booked, loadsapi.Ready}, l.State) {
		c.Facts = append(c.Facts, "Can be picked up from "+l.AvailableFrom)
	}
	if l.Miles != nil && l.FromDays != nil && l.ToDays != nil {
		c.Facts = append(c.Facts, page.Sprintf("About %d miles, usually %d to %d days on the way", *l.Miles, *l.FromDays, *l.ToDays))
	}
	if l.Tariff != "" {
		c.Facts = append(c.Facts, "Price: "+page.Amount(l.Tariff, l.Currency))
	}
	for _, line := range l.Plan {
		to := l.Brand.Name
		if line.To == carrier {
			to = "the carrier"
		}
		c.Due = append(c.Due, page.Amount(line.Amount, l.Currency)+" to "+to+", "+dueTexts[line.Event])
	}
	if l.Bookable {
		c.Book = bookpage.Form(string(l.Tariff), l.AvailableFrom, path.Base(a.Path))
	}
	p.Content = c

	return s.layout.Show(p)
}

// dueTexts are when a payment is due, for a customer.
var dueTexts = map[string]string{
	"booking": "at booking", "dispatch": "when a carrier is found", "pickup": "at the pickup", "delivery": "at the delivery",
	"signed_bol": "after the delivery", "invoice": "by invoice",
}

// title is what people call a place.
func (v venue) title() string { return strings.Trim(v.City+", "+v.State, ", ") }

// mostListed is how many loads the portal of a customer lists.
const mostListed = 50

// portal lists the loads of a customer in its portal, the newest first.
func (s *shares) portal(ctx context.Context, p *contactsapi.ReadingPortal) error {
	rows, err := s.rows.newestOf(ctx, idOf(p.Contact), mostListed)
	if err != nil || len(rows) == 0 {
		return err
	}
	section := contactsapi.PortalSection{Title: "Your transports"}
	for _, row := range rows {
		l := row.visibleTo(toCustomer)
		entry := contactsapi.PortalEntry{Title: l.Number, Texts: []string{words[l.State]}}
		if n := len(l.Stops.V); n > 0 {
			entry.Texts = append(entry.Texts, l.Stops.V[0].Venue.title()+" to "+l.Stops.V[n-1].Venue.title())
		}
		for _, v := range l.Vehicles.V {
			entry.Texts = append(entry.Texts, v.name()+" "+places[v.Custody])
		}
		if l.Tariff != "" {
			entry.Texts = append(entry.Texts, page.Amount(l.Tariff, l.Currency))
		}
		section.Entries = append(section.Entries, entry)
	}
	p.Sections = append(p.Sections, section)

	return nil
}
