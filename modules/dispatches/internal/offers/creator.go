package offers

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Creator offers loads to carriers.
type Creator struct {
	offers     *resource.Resource[store.Offer]
	drafter    *Drafter
	candidates *Candidates
	sender     *Sender
	db         *database.DB
}

// NewCreator returns a Creator.
func NewCreator(offers *resource.Resource[store.Offer], d *Drafter, c *Candidates, s *Sender, db *database.DB) *Creator {
	return &Creator{offers, d, c, s, db}
}

func (c *Creator) create(ctx context.Context, in *createOffersInput) (*createOffersOutput, error) {
	in.Body.Override = strings.TrimSpace(in.Body.Override)
	if err := c.drafter.check(ctx, in); err != nil {
		return nil, err
	}
	out := &createOffersOutput{}
	err := c.db.InTx(ctx, func(ctx context.Context) error {
		draft, load, err := c.drafter.draft(ctx, in)
		if err != nil {
			return err
		}
		to, refused, err := c.candidates.pick(ctx, in, load)
		if err != nil {
			return err
		}
		out.Body.Refused = append([]refusedCarrier{}, refused...)
		out.Body.Warnings = append([]store.Warning{}, store.OfferingWarnings(load, draft.PickupDate)...)
		out.Body.Offers, err = c.sender.SendNew(ctx, draft, to, in.Body.Message)

		return err
	})
	for i := range out.Body.Offers {
		if err == nil {
			err = c.offers.Show(ctx, nil, &out.Body.Offers[i].Offer)
		}
	}

	return out, err
}

type createOffersInput struct {
	Body struct {
		Load     uuid.UUID    `json:"load_uuid"`
		Carriers []uuid.UUID  `json:"carrier_uuids,omitempty" maxItems:"50" nullable:"false" doc:"In the order in which a sequence asks them."`
		Mode     string       `json:"mode,omitempty" enum:"direct,broadcast,sequential" default:"direct" doc:"direct: to one carrier. broadcast: to all at once; the first to accept has the load. sequential: to one after the other."`
		Amount   money.Amount `json:"amount,omitempty" doc:"What the carrier ends up with; by default the carrier_pay of the load." example:"900.00"`
		Pickup   field.Date   `json:"pickup_date,omitempty" doc:"By default the carrier names it."`
		Delivery field.Date   `json:"delivery_date,omitempty"`
		Minutes  int64        `json:"expires_in_minutes,omitempty" minimum:"5" maximum:"20160" doc:"How long each carrier can answer; by default as the settings say."`
		Channels []string     `json:"channels,omitempty" maxItems:"2" nullable:"false" enum:"email,sms" doc:"How the carriers are written to; without any, give them the links yourself. A sequence needs one, or [] if you pass on each link yourself. A carrier that none of them reaches gets no offer, and is listed in refused."`
		Message  string       `json:"message,omitempty" maxLength:"500"`
		New      []newCarrier `json:"new_carriers,omitempty" maxItems:"50" nullable:"false" doc:"Carriers that the company does not have yet. They see the offer, and accept it once they have proved who they are."`
		Override string       `json:"override,omitempty" maxLength:"500" doc:"Why carriers that would be refused are asked all the same."`
	}
}

type createOffersOutput struct {
	Body struct {
		Offers   []SentOffer      `json:"offers" nullable:"false"`
		Refused  []refusedCarrier `json:"refused" nullable:"false"`
		Warnings []store.Warning  `json:"warnings" nullable:"false" doc:"What may be wrong."`
	}
}

// newCarrier is a carrier that the company does not have yet.
type newCarrier struct {
	Name  string      `json:"name" minLength:"1" maxLength:"200"`
	Email field.Email `json:"email,omitempty" doc:"An email, or a phone, is required. A carrier that has it already is taken for the same."`
	Phone field.Phone `json:"phone,omitempty"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (newCarrier) SchemaName() string { return "NewCarrier" }
