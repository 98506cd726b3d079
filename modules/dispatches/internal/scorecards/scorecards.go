// Package scorecards rates carriers by how they answer, and carry.
package scorecards

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	scoreDays = 90
	mostRated = 1000
)

// Scorer rates carriers.
type Scorer struct {
	carriers carriersapi.Carriers
	rows     *store.Repository
	calendar *calendar.Calendar
}

// NewScorer returns a Scorer.
func NewScorer(carriers carriersapi.Carriers, rows *store.Repository, days *calendar.Calendar) *Scorer {
	return &Scorer{carriers, rows, days}
}

// Routes registers the operation.
func Routes(r *web.Router, s *Scorer) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/scorecards/{carrier}", ID: "read_carrier_scorecard", Access: web.Read, Summary: "Read how a carrier answers, and carries",
		Description: "Of its latest 1000 offers and dispatches, and of those of the last 90 days.", Errors: []*errs.Error{errNoCarrier},
	}, s.read)
}

func (s *Scorer) read(ctx context.Context, in *scoreInput) (*scoreOutput, error) {
	known, err := s.carriers.Find(ctx, in.Carrier.String())
	if err != nil {
		return nil, err
	}
	one, there := known[in.Carrier.String()]
	if !there {
		return nil, errNoCarrier
	}
	out := &scoreOutput{}
	out.Body.Carrier = item.ID(one.UUID)
	offers, err := s.rows.LatestOffersTo(ctx, out.Body.Carrier, mostRated)
	if err != nil {
		return nil, err
	}
	carried, err := s.rows.LatestDispatchesOf(ctx, out.Body.Carrier, mostRated)
	if err != nil {
		return nil, err
	}
	now, err := s.calendar.Now(ctx)
	out.Body.Ever = scoreOf(offers, carried, time.Time{}, now.Location())
	out.Body.Recent = scoreOf(offers, carried, now.AddDate(0, 0, -scoreDays), now.Location())

	return out, err
}

// score is how a carrier answers, and carries.
type score struct {
	Offers     int    `json:"offers" doc:"That were sent to it, and are over."`
	Accepted   int    `json:"accepted"`
	Declined   int    `json:"declined"`
	Expired    int    `json:"expired"`
	Acceptance string `json:"acceptance" doc:"How many of the offers it accepted, of those that it accepted, declined or let expire, in percent; empty for none." example:"62.5"`
	Answer     *int64 `json:"answer_minutes" doc:"The median of how long it took to answer; null if it never has."`
	Dispatches int    `json:"dispatches"`
	Delivered  int    `json:"delivered"`
	Bounced    int    `json:"given_back" doc:"Loads that it gave back, or that were taken from it for what it did, such as not showing up."`
	Pickups    string `json:"pickups_in_time" doc:"On the agreed day or before it, in the company's time zone, in percent; empty for none."`
	Deliveries string `json:"deliveries_in_time"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (score) SchemaName() string { return "CarrierScore" }

type scoreInput struct {
	Carrier uuid.UUID `path:"carrier" format:"uuid"`
}

type scoreOutput struct {
	Body struct {
		Carrier uuid.UUID `json:"carrier_uuid"`
		Recent  score     `json:"last_90_days"`
		Ever    score     `json:"ever"`
	}
}

// scoreOf rates what was offered and carried since a time.
func scoreOf(offers []store.Offer, carried []store.Dispatch, since time.Time, zone *time.Location) (s score) {
	var answers []int64
	for _, o := range offers {
		if o.SentAt == nil || o.SentAt.Before(since) {
			continue
		}
		switch o.State {
		case store.Accepted:
			s.Accepted++
		case store.Declined:
			s.Declined++
		case store.Expired:
			s.Expired++
		case store.Queued, store.Offered, store.Countered, store.Withdrawn, store.Superseded:
			continue
		}
		s.Offers++
		if o.AnsweredAt != nil {
			answers = append(answers, int64(o.AnsweredAt.Sub(*o.SentAt)/time.Minute))
		}
	}
	s.Acceptance = percent(s.Accepted, s.Offers)
	if slices.Sort(answers); len(answers) > 0 {
		s.Answer = &answers[len(answers)/2]
	}
	var picked, pickedInTime, brought, broughtInTime int
	for _, row := range carried {
		if row.CreatedAt.Before(since) {
			continue
		}
		s.Dispatches++
		if row.FailedByCarrier() {
			s.Bounced++
		}
		count(row.PickedUpAt, string(row.PickupDate), zone, &picked, &pickedInTime)
		count(row.DeliveredAt, string(row.DeliveryDate), zone, &brought, &broughtInTime)
		if row.DeliveredAt != nil {
			s.Delivered++
		}
	}
	s.Pickups, s.Deliveries = percent(pickedInTime, picked), percent(broughtInTime, brought)

	return s
}

// count counts what was done and had a day, and whether it was done by then.
func count(at *time.Time, day string, zone *time.Location, done, inTime *int) {
	if at == nil || day == "" {
		return
	}
	if *done++; at.In(zone).Format(time.DateOnly) <= day {
		*inTime++
	}
}

// percent is a share with one decimal, "" of nothing.
func percent(part, of int) string {
	if of == 0 {
		return ""
	}
	const hundred = 100

	return strconv.FormatFloat(hundred*float64(part)/float64(of), 'f', 1, 64)
}

var errNoCarrier = errs.New(errs.NotFound, "carriers.carrier_not_found", "There is no such carrier.")
