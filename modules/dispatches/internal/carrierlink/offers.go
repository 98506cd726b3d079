package carrierlink

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/offers"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

type acceptByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Crew     store.Crew `json:"crew,omitzero"`
		Shown    int        `json:"shown" minimum:"1" doc:"The shown of the offer that is accepted."`
		Key      string     `json:"shown_key,omitempty" maxLength:"500" doc:"The shown_key of what was shown. If it is left out, the offer is accepted only if nothing has changed since the transaction that shown names."`
		Pickup   field.Date `json:"pickup_date,omitempty" doc:"By default as it stands."`
		Delivery field.Date `json:"delivery_date,omitempty"`
		Name     string     `json:"name" maxLength:"200" doc:"Who accepts."`
		Accepted bool       `json:"accepted" doc:"Whether the load and the terms are accepted."`
	}
}

type counterByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Shown    int          `json:"shown" minimum:"1" doc:"The shown of the offer that is answered."`
		Key      string       `json:"shown_key,omitempty" maxLength:"500" doc:"The shown_key of what was shown."`
		Amount   money.Amount `json:"amount,omitempty" example:"950.00"`
		Pickup   field.Date   `json:"pickup_date,omitempty"`
		Delivery field.Date   `json:"delivery_date,omitempty"`
		Note     string       `json:"note,omitempty" maxLength:"500"`
	}
}

type declineByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Shown int    `json:"shown" minimum:"1"`
		Note  string `json:"note,omitempty" maxLength:"500"`
	}
}

// OfferAnswers takes what carriers answer to offers.
type OfferAnswers struct {
	door     *Door
	sheets   *Sheets
	acceptor *offers.Acceptor
	counters *offers.Counters
	ender    *offers.Ender
}

// NewOfferAnswers returns an OfferAnswers.
func NewOfferAnswers(d *Door, s *Sheets, a *offers.Acceptor, c *offers.Counters, e *offers.Ender) *OfferAnswers {
	return &OfferAnswers{d, s, a, c, e}
}

func (a *OfferAnswers) accept(ctx context.Context, in *acceptByLinkInput) (*sheetOutput, error) {
	ctx, o, err := a.door.enterOffer(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	b := in.Body
	if wrong := consent(b.Name, b.Accepted); len(wrong.Fields) > 0 {
		return nil, wrong
	}
	_, err = a.acceptor.Accept(ctx, o.ID, web.IfMatch{}, store.Proposal{
		Party: store.Carrier, Pickup: b.Pickup, Delivery: b.Delivery, Shown: b.Shown, Key: b.Key, Name: strings.TrimSpace(b.Name), Address: web.ClientIP(ctx),
	}, b.Crew)

	return a.sheets.again(ctx, in.Link, asOutsider(err))
}

func (a *OfferAnswers) counter(ctx context.Context, in *counterByLinkInput) (*sheetOutput, error) {
	return a.answer(ctx, in.Link, func(ctx context.Context, id uuid.UUID) error {
		b := in.Body
		_, err := a.counters.Counter(ctx, id, web.IfMatch{}, store.Proposal{
			Party: store.Carrier, Amount: b.Amount, Pickup: b.Pickup, Delivery: b.Delivery, Note: strings.TrimSpace(b.Note), Shown: b.Shown, Key: b.Key,
			Address: web.ClientIP(ctx),
		})

		return err
	})
}

func (a *OfferAnswers) decline(ctx context.Context, in *declineByLinkInput) (*sheetOutput, error) {
	return a.answer(ctx, in.Link, func(ctx context.Context, id uuid.UUID) error {
		_, err := a.ender.End(ctx, id, web.IfMatch{}, store.VerbDecline, store.Proposal{
			Party: store.Carrier, Note: in.Body.Note, Shown: in.Body.Shown, Address: web.ClientIP(ctx),
		})

		return err
	})
}

// answer counts an answer to an offer, takes it, and shows the page again.
func (a *OfferAnswers) answer(ctx context.Context, text string, take func(ctx context.Context, id uuid.UUID) error) (*sheetOutput, error) {
	ctx, o, err := a.door.enterOffer(ctx, text)
	if err == nil {
		err = a.door.countChange(ctx, o.ID)
	}
	if err == nil {
		err = take(ctx, o.ID)
	}

	return a.sheets.again(ctx, text, err)
}
