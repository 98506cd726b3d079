// Package similar finds loads that may be the same transport.
package similar

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/inquiry"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Load is a load as it is compared.
type Load struct {
	// ID is the zero UUID for one that does not exist yet.
	ID   uuid.UUID
	VINs []string
	// Customers are who orders it, or may do so.
	Customers []uuid.UUID
	// FromZIP3 and ToZIP3 are the first three digits of the ZIP codes of both ends, "" if they are not known.
	FromZIP3, ToZIP3 string
	CreatedAt        time.Time
}

// Loads is what the package needs of loads.
type Loads interface {
	// ToCompare returns a load. Error: loadsapi.ErrNotFound.
	ToCompare(ctx context.Context, id uuid.UUID) (Load, error)
}

// Finder finds similar loads.
type Finder struct {
	loads    Loads
	contacts contactsapi.Contacts
	rows     repository
	clock    clock.Clock
}

// New returns a Finder.
func New(loads Loads, contacts contactsapi.Contacts, db *database.DB, c clock.Clock) *Finder {
	return &Finder{loads, contacts, repository{db}, c}
}

var errInvalid = errs.New(errs.Invalid, "loads.nothing_to_compare", "The given data was invalid.")

var errNothing = errInvalid.WithField("vin", "Name a vin, a phone or an email.")

// Routes registers the operations.
func Routes(r *web.Router, s *Finder) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/duplicates", ID: "list_load_duplicates", Access: web.Read, Summary: "List loads that may be the same",
		Description: "Other open loads with a VIN of the load, and loads of the last 30 days of the same customer on the same lane.",
		Errors:      []*errs.Error{loadsapi.ErrNotFound},
	}, s.ofLoad)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/duplicates", ID: "list_duplicates", Access: web.Read, Summary: "List loads that may be what somebody asks for",
		Description: "Open loads with the VIN, and loads of the last 30 days of customers with the phone number or e-mail address: on the lane, if both ends are named. A phone or an email requires the scope contacts:read too.",
		Errors:      []*errs.Error{errNothing},
	}, s.ofRequest)
}

// Match is a load that may be the same.
type Match struct {
	UUID   uuid.UUID      `json:"uuid"`
	Number string         `json:"number"`
	State  loadsapi.State `json:"state"`
	Score  int            `json:"score" doc:"100: the same vehicle. 60: the same customer and lane. 40: the same customer."`
	Why    string         `json:"why" enum:"vin,lane,customer"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Match) SchemaName() string { return "SimilarLoad" }

type matchesOutput struct {
	Body struct {
		Data []Match `json:"data" nullable:"false" doc:"Those that are most alike first, at most 50."`
	}
}

const (
	sameVehicle, sameLane, sameCustomer = 100, 60, 40

	window = 30 * 24 * time.Hour
	most   = 50
)

type loadInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (s *Finder) ofLoad(ctx context.Context, in *loadInput) (*matchesOutput, error) {
	l, err := s.loads.ToCompare(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	if l.FromZIP3 == "" || l.ToZIP3 == "" {
		l.Customers = nil // of a customer with many loads, all would be alike
	}

	return s.find(ctx, l)
}

type requestInput struct {
	VIN   string `query:"vin" maxLength:"17" example:"1HGCM82633A004352"`
	Phone string `query:"phone" maxLength:"40" example:"214 555 0143"`
	Email string `query:"email" maxLength:"254"`
	From  string `query:"from" maxLength:"10" pattern:"^[0-9]{5}" patternDescription:"a ZIP code such as 75201" doc:"The ZIP code of the first stop." example:"75201"`
	To    string `query:"to" maxLength:"10" pattern:"^[0-9]{5}" patternDescription:"a ZIP code such as 75201" doc:"The ZIP code of the last stop." example:"33101"`
}

func (s *Finder) ofRequest(ctx context.Context, in *requestInput) (*matchesOutput, error) {
	if in.VIN == "" && in.Phone == "" && in.Email == "" {
		return nil, errNothing
	}
	l := Load{CreatedAt: s.clock.Now()}
	if in.VIN != "" {
		l.VINs = []string{strings.ToUpper(in.VIN)}
	}
	if in.From != "" && in.To != "" {
		l.FromZIP3, l.ToZIP3 = in.From[:3], in.To[:3]
	}
	if in.Phone != "" || in.Email != "" {
		if err := web.RequireScope(ctx, contactsapi.Area+":read", "Looking for a phone or an email"); err != nil {
			return nil, err
		}
		known, err := s.contacts.Known(ctx, in.Email, in.Phone)
		if err != nil {
			return nil, inquiry.Renamed(err, errInvalid, inquiry.OfContact)
		}
		for _, id := range known {
			l.Customers = append(l.Customers, uuid.MustParse(id))
		}
	}

	return s.find(ctx, l)
}

func (s *Finder) find(ctx context.Context, l Load) (*matchesOutput, error) {
	out, seen := &matchesOutput{}, map[uuid.UUID]bool{l.ID: true}
	out.Body.Data = []Match{}
	add := func(rows []loadRow, err error, score int, why string) error {
		for _, row := range rows {
			if !seen[row.ID] && len(out.Body.Data) < most {
				seen[row.ID] = true
				out.Body.Data = append(out.Body.Data, Match{row.ID, row.Number, row.State, score, why})
			}
		}

		return err
	}
	if len(l.VINs) > 0 {
		rows, err := s.rows.withVINs(ctx, l.VINs)
		if err := add(rows, err, sameVehicle, "vin"); err != nil {
			return nil, err
		}
	}
	if len(l.Customers) > 0 {
		score, why := sameLane, "lane"
		if l.FromZIP3 == "" {
			score, why = sameCustomer, "customer"
		}
		rows, err := s.rows.ofCustomers(ctx, l, l.CreatedAt.Add(-window))
		if err := add(rows, err, score, why); err != nil {
			return nil, err
		}
	}

	return out, nil
}
