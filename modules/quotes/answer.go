package quotes

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

func answerRoutes(r *web.Router, a *answers) {
	show := newFace()
	atDoor := a.door.refusals()
	answering := append([]*errs.Error{errSuperseded, errExpired, errOver, errChanged, errInvalid, state.ErrNotAllowed}, atDoor...)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/offers/{link}", ID: "read_offer", Access: web.Public, Summary: "Read the latest offer by a link",
		Description: "Reading changes nothing. With Accept: text/html, the response is a page on which the customer accepts or declines.", Errors: atDoor, Page: show.Page,
	}, a.readOffer)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{link}/accept", ID: "accept_offer", Access: web.Public, Summary: "Accept the offer by a link",
		Description: "The transport is booked at the price of the option. Accepting twice in the same way is accepting once.",
		Errors:      append([]*errs.Error{errNotTaken, errNotBookable, errOnHold, loadsapi.ErrNotForSale, loadsapi.ErrPlanFixed, errLinePaid}, answering...), TakesForm: true, Page: show.After,
	}, a.acceptOffer)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{link}/decline", ID: "decline_offer", Access: web.Public, Summary: "Decline the offer by a link",
		Errors: answering, TakesForm: true, Page: show.After,
	}, a.declineOffer)
}

// answers are what customers do with offers.
type answers struct {
	door    *door
	showing *showing
	quotes  *resource.Resource[quote]
	till    *till
	endings *endings
}

func newAnswers(d *door, s *showing, quotes *resource.Resource[quote], t *till, e *endings) *answers {
	return &answers{d, s, quotes, t, e}
}

type offerInput struct {
	Link    string `path:"link" maxLength:"200" doc:"Text of the link."`
	Problem string `query:"problem" maxLength:"100" pattern:"^[a-z0-9_.]*$" patternDescription:"the code of an error" doc:"Code of the error that the page explains."`
}

type offerOutput struct{ Body offer }

func (a *answers) readOffer(ctx context.Context, in *offerInput) (*offerOutput, error) {
	ctx, q, err := a.door.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}

	return a.showing.showOffer(ctx, q, in.Problem)
}

// answer runs an answer to an offer, and returns the offer as it is then.
func (a *answers) answer(ctx context.Context, do func() (quote, error)) (*offerOutput, error) {
	q, err := do()
	if err != nil {
		return nil, forCustomer(err)
	}

	return a.showing.showOffer(ctx, q, "")
}

// forCustomer has a refusal say what it means for the customer: what the company is told to do about it is not for the customer to do.
func forCustomer(err error) error {
	refused, is := errors.AsType[*errs.Error](err)
	if !is {
		return err
	}
	text := problems[refused.Code]
	if _, newer := refused.Details["current"]; refused.Code == errSuperseded.Code && !newer {
		text = closedText
	}
	if text == "" {
		return err
	}

	return refused.WithMessage("%s", text)
}

type acceptOfferInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Quote         uuid.UUID  `json:"quote_uuid" doc:"The offer that was shown."`
		Option        string     `json:"option,omitempty" enum:"standard,priority,guaranteed" default:"standard"`
		Name          string     `json:"name" maxLength:"200" doc:"Who accepts."`
		Accepted      bool       `json:"accepted" doc:"Whether the terms are accepted."`
		AvailableFrom field.Date `json:"available_from,omitempty" doc:"The first day on which the vehicles can be picked up; required if the offer has none."`
	}
}

func (a *answers) acceptOffer(ctx context.Context, in *acceptOfferInput) (*offerOutput, error) {
	ctx, q, err := a.door.answered(ctx, in.Link, in.Body.Quote)
	if err != nil {
		return nil, err
	}
	wrong := errNotTaken
	if strings.TrimSpace(in.Body.Name) == "" {
		wrong = wrong.WithField("name", "The name is required.")
	}
	if !in.Body.Accepted {
		wrong = wrong.WithField("accepted", "Accept the offer to order the transport.")
	}
	today, err := a.quotes.Today(ctx)
	if err != nil {
		return nil, err
	}
	switch day := in.Body.AvailableFrom; {
	case day == "" && q.Offered.V.AvailableFrom == "" && q.open():
		wrong = wrong.WithField("available_from", "The first day for the pickup is required.")
	case day != "" && day < today:
		wrong = wrong.WithField("available_from", "The first day for the pickup must not be in the past.")
	}
	if len(wrong.Fields) > 0 {
		return nil, wrong
	}

	return a.answer(ctx, func() (quote, error) {
		return a.till.accept(ctx, q.ID, web.IfMatch{}, acceptance{
			Option: in.Body.Option, Name: strings.TrimSpace(in.Body.Name), Address: web.ClientIP(ctx), AvailableFrom: string(in.Body.AvailableFrom), Party: customer,
		})
	})
}

type declineOfferInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Quote  uuid.UUID `json:"quote_uuid" doc:"The offer that was shown."`
		Reason string    `json:"reason,omitempty" maxLength:"500"`
	}
}

func (a *answers) declineOffer(ctx context.Context, in *declineOfferInput) (*offerOutput, error) {
	ctx, q, err := a.door.answered(ctx, in.Link, in.Body.Quote)
	if err != nil {
		return nil, err
	}

	return a.answer(ctx, func() (quote, error) {
		if q.State == declined {
			return q, nil
		}
		if err := a.endings.open(ctx, q); err != nil {
			return q, err
		}

		return a.endings.end(ctx, q.ID, web.IfMatch{}, verbDecline, in.Body.Reason, customer)
	})
}
