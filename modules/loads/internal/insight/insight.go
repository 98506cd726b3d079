// Package insight counts loads, for the dashboard and for each customer.
package insight

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Insight says what there is about loads.
type Insight struct {
	loads    *resource.Resource[store.Load]
	rows     *store.Repository
	contacts contactsapi.Contacts
	clock    clock.Clock
}

// New returns an Insight.
func New(loads *resource.Resource[store.Load], rows *store.Repository, c contactsapi.Contacts, clk clock.Clock) *Insight {
	return &Insight{loads, rows, c, clk}
}

// Routes are the operations that count loads.
func Routes(r *web.Router, s *Insight) {
	missing := []*errs.Error{s.loads.NotFound()}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/clients/{uuid}/loads", ID: "list_client_loads", Access: web.Read, Summary: "List the loads of a customer",
		Description: "The newest 100, and how many there are in each state. GET /loads?filter[customer_uuid]=… pages through all. Of a contact that was merged into another, these are the other's.",
		Errors:      []*errs.Error{errNoClient},
	}, s.getClient)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/dashboard", ID: "read_dashboard", Access: web.Read, Summary: "Read how many loads there are in each state",
		Errors: missing,
	}, s.getDashboard)
}

// errNoClient is for a customer whom the company does not have.
var errNoClient = errs.New(errs.NotFound, "loads.client_not_found", "There is no such contact.")

type clientInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"A contact."`
}

type clientOutput struct {
	Body struct {
		Customer uuid.UUID                       `json:"customer_uuid" doc:"The contact, or the one that it was merged into."`
		Open     int64                           `json:"open" doc:"Loads from the request to the delivery."`
		States   map[loadsapi.State]int64        `json:"states" doc:"How many loads are in each state."`
		Owed     map[money.Currency]money.Amount `json:"customer_balance" doc:"What is left to pay of its loads that were booked, by currency; negative for what was paid too much. Empty without the scope loads:margins."`
		Data     []store.Load                    `json:"data" nullable:"false"`
	}
}

func (s *Insight) getClient(ctx context.Context, in *clientInput) (*clientOutput, error) {
	found, err := s.contacts.Find(ctx, in.UUID.String())
	if err != nil {
		return nil, err
	}
	contact, there := found[in.UUID.String()]
	if !there {
		return nil, errNoClient
	}
	out := &clientOutput{}
	if out.Body.Customer, err = uuid.Parse(contact.UUID); err != nil {
		return nil, err
	}
	by, err := s.loads.CountBy(ctx, "state", "customer_id = ?", out.Body.Customer)
	if err != nil {
		return nil, err
	}
	out.Body.States = byState(by)
	for _, state := range store.OpenStates {
		out.Body.Open += out.Body.States[state]
	}
	out.Body.Owed = map[money.Currency]money.Amount{}
	if s.loads.Sees(ctx, "customer_balance") {
		if out.Body.Owed, err = s.rows.Owed(ctx, out.Body.Customer); err != nil {
			return nil, err
		}
	}
	if out.Body.Data, err = s.rows.OfCustomer(ctx, out.Body.Customer); err != nil {
		return nil, err
	}
	shown := make([]*store.Load, len(out.Body.Data))
	for i := range out.Body.Data {
		shown[i] = &out.Body.Data[i]
	}

	return out, s.loads.Show(ctx, nil, shown...)
}

func byState(counted map[string]int64) map[loadsapi.State]int64 {
	states := make(map[loadsapi.State]int64, len(counted))
	for state, n := range counted {
		states[loadsapi.State(state)] = n
	}

	return states
}

type dashboardOutput struct {
	Body struct {
		States   map[loadsapi.State]int64  `json:"states" doc:"How many loads are in each state, without those that are over."`
		Coverage map[loadsapi.Offers]int64 `json:"coverage" doc:"How the offers for the loads that are ready stand."`
		Held     int64                     `json:"held"`
		Late     int64                     `json:"late" doc:"Loads of which the pickup or the delivery should have been by now."`
	}
}

func (s *Insight) getDashboard(ctx context.Context, _ *struct{}) (*dashboardOutput, error) {
	all, err := s.rows.CountOpen(ctx, s.clock.Now())
	out := &dashboardOutput{}
	out.Body.States, out.Body.Coverage = make(map[loadsapi.State]int64, len(all)), map[loadsapi.Offers]int64{}
	for _, c := range all {
		out.Body.States[c.State] += c.Loads
		if c.State == loadsapi.Ready {
			out.Body.Coverage[c.Coverage] = c.Loads
		}
		out.Body.Held += c.Held
		out.Body.Late += c.Late
	}

	return out, err
}

// CountOpen counts the loads that are not delivered yet.
func (s *Insight) CountOpen(ctx context.Context) (n int64, err error) {
	return s.count(ctx, func(c store.Counted) int64 {
		if c.State == loadsapi.Delivered {
			return 0
		}

		return c.Loads
	})
}

// CountReady counts the loads without a carrier.
func (s *Insight) CountReady(ctx context.Context) (int64, error) {
	return s.count(ctx, func(c store.Counted) int64 {
		if c.State != loadsapi.Ready {
			return 0
		}

		return c.Loads
	})
}

// CountLate counts late loads.
func (s *Insight) CountLate(ctx context.Context) (int64, error) {
	return s.count(ctx, func(c store.Counted) int64 { return c.Late })
}

func (s *Insight) count(ctx context.Context, of func(store.Counted) int64) (n int64, err error) {
	all, err := s.rows.CountOpen(ctx, s.clock.Now())
	for _, c := range all {
		n += of(c)
	}

	return n, err
}
