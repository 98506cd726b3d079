package offers

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
)

// SentOffer is an offer that was made, with the link for its carrier.
type SentOffer struct {
	Offer     store.Offer  `json:"offer"`
	Share     *share.Share `json:"share" doc:"Null for an offer of a sequence whose turn it is not yet."`
	Unreached []string     `json:"unreached" nullable:"false" doc:"Those of the channels that have not taken the message to the carrier."`
	// Why is by channel.
	Why map[string]string `json:"unreached_reasons" nullable:"false" doc:"Why they have not, by channel." example:"{\"email\": \"The company has no area that sends by this channel.\"}"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (SentOffer) SchemaName() string { return "SentOffer" }

// Sender sends offers to carriers.
type Sender struct {
	offers *resource.Resource[store.Offer]
	views  *Views
	writer *messages.Writer
	brands companiesapi.Brands
	clock  clock.Clock
}

// NewSender returns a Sender.
func NewSender(offers *resource.Resource[store.Offer], v *Views, w *messages.Writer, brands companiesapi.Brands, c clock.Clock) *Sender {
	return &Sender{offers, v, w, brands, c}
}

// Send lets the carriers of some offers answer them, and writes to them. It returns the offers by their ids, and the links.
func (s *Sender) Send(ctx context.Context, ids []uuid.UUID, verb resource.Verb, p store.Proposal) (map[uuid.UUID]SentOffer, error) {
	now, view := s.clock.Now(), s.views.Now()
	all, err := s.offers.ChangeSome(ctx, ids, verb, func(ctx context.Context, o *store.Offer) error {
		if err := p.Match.Check(o.Version); err != nil {
			return err
		}
		if verb == store.VerbReactivate && o.HasCarrierTerms() {
			if err := store.CheckNamed(p.Match, p.Shown); err != nil {
				return err
			}
		}
		if err := o.CheckShown(p.Shown); err != nil {
			return err
		}
		facts, err := view.Facts(ctx, *o)
		if err != nil {
			return err
		}
		o.KeepShown(facts)
		o.Minutes = cmp.Or(p.Minutes, o.Minutes)
		until := now.Add(time.Duration(o.Minutes) * time.Minute)
		p.Amount, p.Pickup, p.Delivery = o.Amount, o.PickupDate, o.DeliveryDate
		o.SentAt, o.ExpiresAt, o.Turn, o.LateAt, o.EndReason = cmp.Or(o.SentAt, &now), &until, store.Carrier, nil, ""
		kind := "offer"
		if verb == store.VerbReactivate {
			kind = string(verb)
		}
		o.Record(ctx, kind, p, now)

		return s.offers.Step(ctx, o, state.Move{Verb: string(verb), Reason: p.Note, Party: p.Party})
	})
	if err != nil {
		return nil, err
	}
	brand, err := s.brands.Brand(ctx)
	if err != nil {
		return nil, err
	}
	sent := make(map[uuid.UUID]SentOffer, len(all))
	for _, o := range all {
		if verb == store.VerbReactivate {
			if err := s.writer.RevokeOffer(ctx, o.ID); err != nil {
				return nil, err
			}
		}
		made, err := s.writer.WriteOfferAs(ctx, brand, o, messages.OfferText)
		if err != nil {
			return nil, err
		}
		if err := s.writer.CheckSent(ctx, o, made); err != nil {
			return nil, err
		}
		if sent[o.ID], err = s.sentOf(ctx, o, made); err != nil {
			return nil, err
		}
	}

	return sent, nil
}

// SendOne is Send of one offer. Error: dispatches.offer_not_found.
func (s *Sender) SendOne(ctx context.Context, id uuid.UUID, verb resource.Verb, p store.Proposal) (SentOffer, error) {
	sent, err := s.Send(ctx, []uuid.UUID{id}, verb, p)
	if err == nil && len(sent) == 0 {
		err = s.offers.NotFound()
	}

	return sent[id], err
}

// sentOf is an offer with the link for its carrier, and the channels that did not reach it.
func (s *Sender) sentOf(ctx context.Context, o store.Offer, made share.Share) (SentOffer, error) {
	names, why, err := s.writer.Missed(ctx, o.Carrier, o.Channels.V, made.Deliveries, notify.Sales)

	return SentOffer{Offer: o, Share: &made, Unreached: names, Why: why}, err
}

// SendNew makes offers like one to some carriers, and sends those whose turn it is.
func (s *Sender) SendNew(ctx context.Context, like store.Offer, to []uuid.UUID, message string) ([]SentOffer, error) {
	rows := make([]store.Offer, len(to))
	for i, id := range to {
		rows[i] = like
		rows[i].Carrier, rows[i].Rank = id, int64(i)+1
	}
	rows, err := s.offers.CreateSome(ctx, rows)
	if err != nil {
		return nil, err
	}
	var turn []uuid.UUID
	all := make([]SentOffer, len(rows))
	for i, row := range rows {
		all[i] = SentOffer{Offer: row, Unreached: []string{}, Why: map[string]string{}}
		if i == 0 || row.Mode != "sequential" {
			turn = append(turn, row.ID)
		}
	}
	sent, err := s.Send(ctx, turn, store.VerbSend, store.Proposal{Party: store.Broker, Note: message})
	for i, row := range rows {
		if one, its := sent[row.ID]; its {
			all[i] = one
		}
	}

	return all, err
}

// SendCounter writes to a carrier that the company has countered, and warns if that reaches it by no channel.
func (s *Sender) SendCounter(ctx context.Context, o *store.Offer) error {
	made, err := s.writer.WriteOffer(ctx, *o, func(load string) string { return "There is an answer to your counter for the load " + load + "." })
	if err != nil {
		return err
	}
	err = s.writer.CheckSent(ctx, *o, made)
	if refusal, is := errors.AsType[*errs.Error](err); is && errors.Is(err, notify.ErrNoChannel) {
		o.Warnings = append(o.Warnings, store.Warning{
			Code: refusal.Code, Field: "channels", Message: "The counter counts, but was not sent. " + refusal.Message,
		})

		return nil
	}

	return err
}
