package offers

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

type sendInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Minutes int64  `json:"expires_in_minutes,omitempty" minimum:"5" maximum:"20160" doc:"By default as before."`
		Shown   int    `json:"shown,omitempty" minimum:"1" doc:"How many transactions the offer had when you read it. Required without If-Match if the terms are the carrier's counter."`
		Note    string `json:"note,omitempty" maxLength:"500"`
	}
}

type sendOutput struct{ Body SentOffer }

// Reopener lets carriers answer offers that they could not answer.
type Reopener struct {
	offers *resource.Resource[store.Offer]
	sender *Sender
	banned *Banned
	loads  loadsapi.Standings
	db     *database.DB
}

// NewReopener returns a Reopener.
func NewReopener(offers *resource.Resource[store.Offer], s *Sender, b *Banned, loads loadsapi.Standings, db *database.DB) *Reopener {
	return &Reopener{offers, s, b, loads, db}
}

// send opens an offer.
func (r *Reopener) send(verb resource.Verb) func(ctx context.Context, in *sendInput) (*sendOutput, error) {
	return func(ctx context.Context, in *sendInput) (*sendOutput, error) {
		out := &sendOutput{}
		err := r.db.InTx(ctx, func(ctx context.Context) error {
			o, err := r.offers.Find(ctx, in.UUID)
			if err != nil {
				return err
			}
			if _, err := r.loads.ForCarrier(ctx, o.Load.String()); err != nil {
				return err
			}
			if banned, err := r.banned.IsBanned(ctx, o.Carrier.String()); err != nil || banned {
				return cmp.Or(err, error(store.ErrIneligible.WithMessage(bannedText)))
			}
			out.Body, err = r.sender.SendOne(ctx, in.UUID, verb, store.Proposal{
				Party: store.Broker, Note: in.Body.Note, Minutes: in.Body.Minutes, Shown: in.Body.Shown, Match: in.IfMatch,
			})

			return err
		})
		if err != nil {
			return nil, err
		}

		return out, r.offers.Show(ctx, nil, &out.Body.Offer)
	}
}
