package offers

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// failures are those of the operations on one offer.
func failures(offers *resource.Resource[store.Offer], more ...*errs.Error) []*errs.Error {
	return append([]*errs.Error{
		offers.NotFound(), store.ErrInvalidOffer, store.ErrOfferExpired, store.ErrNotYourTurn, store.ErrNotOpen, store.ErrVehicleTaken, state.ErrNotAllowed,
		state.ErrMoved,
	}, more...)
}

// CreateRoutes registers the operation that offers a load.
func CreateRoutes(r *web.Router, c *Creator) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers", ID: "create_offers", Access: web.Scope("offer"), Secret: true, Summary: "Offer a load to carriers",
		ActsOn: web.ActsOn{Item: loadsapi.Load, Verb: "offer", Key: "load_uuid"},
		Description: "The load must be ready. Carriers that may not have it, that have given it back before, or that have an open offer for it are listed in refused with the reason, and get none; `override` " +
			"(scope dispatches:override) offers it to them all the same, as far as the load's own check allows. Only this response has the texts of the links.",
		Errors: []*errs.Error{
			store.ErrInvalidOffer, store.ErrOutsideWindow, loadsapi.ErrNotFound, loadsapi.ErrNotReady, loadsapi.ErrPlanFixed, loadsapi.ErrPayBelowCharges,
			store.ErrOnHold, principal.ErrScopeMissing,
		},
	}, c.create)
}

// Answers are the company's answers to carriers.
type Answers struct {
	offers   *resource.Resource[store.Offer]
	counters *Counters
	acceptor *Acceptor
	ender    *Ender
	sender   *Sender
}

// NewAnswers returns Answers.
func NewAnswers(offers *resource.Resource[store.Offer], c *Counters, a *Acceptor, e *Ender, s *Sender) *Answers {
	return &Answers{offers, c, a, e, s}
}

// AnswerRoutes registers the operations by which the company answers.
func AnswerRoutes(r *web.Router, a *Answers) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{uuid}/counter", ID: "counter_offer", Access: web.Scope("offer"), Summary: "Answer a carrier's counter with another one",
		Description: "On the company's turn. What the body leaves out stays. `shown`, or If-Match, says which terms it answers.",
		Errors: failures(a.offers, store.ErrNothingChanged, store.ErrNoRoundsLeft, store.ErrOutsideWindow, store.ErrTermsChanged, loadsapi.ErrPlanFixed,
			loadsapi.ErrPayBelowCharges),
	}, a.counter)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{uuid}/accept", ID: "accept_offer", Access: web.Scope("offer"), Summary: "Accept an offer for its carrier, a carrier's counter, or its late response",
		Description: "The carrier has the load at the current terms, such as when it has accepted on the phone. What was accepted already stays so. `shown`, or If-Match, says which terms are accepted.",
		Errors: failures(a.offers, store.ErrIneligible, store.ErrUnsigned, store.ErrOnHold, loadsapi.ErrNotReady, loadsapi.ErrPlanFixed, loadsapi.ErrPayBelowCharges,
			store.ErrOutsideWindow, store.ErrTermsChanged),
	}, a.accept)
	for _, one := range []struct {
		verb                     resource.Verb
		id, summary, description string
	}{
		{store.VerbDecline, "decline_offer", "Decline a carrier's counter", "Of a sequence, the next carrier is asked."},
		{store.VerbWithdraw, "withdraw_offer", "Take an offer back", "The carrier can no longer accept it. Of a sequence, the next carrier is asked."},
	} {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/offers/{uuid}/" + string(one.verb), ID: one.id, Access: web.Scope("offer"), Summary: one.summary,
			Description: one.description, Errors: failures(a.offers),
		}, a.end(one.verb))
	}
}

func (a *Answers) counter(ctx context.Context, in *counterInput) (*web.Resource[store.Offer], error) {
	b := in.Body
	row, err := a.counters.Counter(ctx, in.UUID, in.IfMatch, store.Proposal{
		Party: store.Broker, Amount: b.Amount, Pickup: b.Pickup, Delivery: b.Delivery, Note: strings.TrimSpace(b.Note), Shown: b.Shown,
	})
	if err == nil {
		err = a.sender.SendCounter(ctx, &row)
	}

	return a.offers.Answer(ctx, row, err)
}

func (a *Answers) accept(ctx context.Context, in *acceptInput) (*web.Resource[store.Offer], error) {
	b := in.Body
	row, err := a.acceptor.Accept(ctx, in.UUID, in.IfMatch, store.Proposal{
		Party: store.Broker, Pickup: b.Pickup, Delivery: b.Delivery, Note: b.Note, Shown: b.Shown,
	}, store.Crew{})

	return a.offers.Answer(ctx, row, err)
}

func (a *Answers) end(verb resource.Verb) func(ctx context.Context, in *noteInput) (*web.Resource[store.Offer], error) {
	return func(ctx context.Context, in *noteInput) (*web.Resource[store.Offer], error) {
		row, err := a.ender.End(ctx, in.UUID, in.IfMatch, verb, store.Proposal{Party: store.Broker, Note: in.Body.Note})

		return a.offers.Answer(ctx, row, err)
	}
}

// ReopenRoutes registers the operations that open offers.
func ReopenRoutes(r *web.Router, o *Reopener) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{uuid}/send", ID: "send_offer", Access: web.Scope("offer"), Secret: true, Summary: "Send an offer before its turn",
		Errors: failures(o.offers, loadsapi.ErrNotReady, store.ErrOnHold, store.ErrIneligible, share.ErrRecipient, link.ErrPortalOff, notify.ErrNoChannel),
	}, o.send(store.VerbSend))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{uuid}/reactivate", ID: "reactivate_offer", Access: web.Scope("offer"), Secret: true, Summary: "Open an offer again",
		Description: "One that was declined or withdrawn, or that has expired, at its current terms. If those are the carrier's counter, `shown` or If-Match says so.",
		Errors: failures(o.offers, loadsapi.ErrNotReady, store.ErrOnHold, store.ErrOfferOpen, store.ErrTermsChanged, store.ErrIneligible, share.ErrRecipient, link.ErrPortalOff,
			notify.ErrNoChannel),
	}, o.send(store.VerbReactivate))
}

// ReminderRoutes registers the operations that have carriers answer in time.
func ReminderRoutes(r *web.Router, m *Reminders) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{uuid}/remind", ID: "remind_carrier", Access: web.Scope("offer"), Secret: true, Summary: "Remind a carrier of an offer",
		Description: "At most every 30 minutes, and five times. One that no channel takes to the carrier is not counted.",
		Errors:      failures(m.offers, store.ErrRemindedRecently, share.ErrRecipient, link.ErrPortalOff),
	}, m.remind)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{uuid}/extend", ID: "extend_offer", Access: web.Scope("offer"), Summary: "Let a carrier answer an offer for longer",
		Description: "From now on, and not for shorter than before. One that has expired is reactivated instead.", Errors: failures(m.offers),
	}, m.extend)
}

// Links are the links to offers that the company makes itself.
type Links struct {
	offers *resource.Resource[store.Offer]
	writer *messages.Writer
	shares *share.Service
}

// NewLinks returns Links.
func NewLinks(offers *resource.Resource[store.Offer], w *messages.Writer, s *share.Service) *Links {
	return &Links{offers, w, s}
}

// LinkRoutes registers the operations on links to offers.
func LinkRoutes(r *web.Router, l *Links) {
	share.Routes(r, l.shares, share.Operations{
		Path: "/offers/{uuid}/shares", Name: "offer_share", Summary: "by which the carrier answers an offer", Access: web.Scope("offer"), Purpose: messages.CarrierLink,
		Description: "Once the offer was accepted, it shows the load that the carrier has.", Subject: l.subject, Give: l.give,
		Errors: []*errs.Error{l.offers.NotFound()},
	})
}

func (l *Links) subject(ctx context.Context, id uuid.UUID) (link.Subject, error) {
	_, err := l.offers.Find(ctx, id)

	return link.Subject{Type: dispatchesapi.Offer, ID: id}, err
}

func (l *Links) give(ctx context.Context, id uuid.UUID) (share.Given, error) {
	o, err := l.offers.Find(ctx, id)
	if err != nil {
		return share.Given{}, err
	}

	return l.writer.OfferLink(ctx, o)
}

type counterInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Amount   money.Amount `json:"amount,omitempty" example:"950.00"`
		Pickup   field.Date   `json:"pickup_date,omitempty"`
		Delivery field.Date   `json:"delivery_date,omitempty"`
		Shown    int          `json:"shown,omitempty" minimum:"1" doc:"How many transactions the offer had when you read it: the n of the last one. Required without If-Match."`
		Note     string       `json:"note,omitempty" maxLength:"500"`
	}
}

type acceptInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Pickup   field.Date `json:"pickup_date,omitempty" doc:"By default that of the offer."`
		Delivery field.Date `json:"delivery_date,omitempty"`
		Shown    int        `json:"shown,omitempty" minimum:"1" doc:"How many transactions the offer had when you read it: the n of the last one. Required without If-Match."`
		Note     string     `json:"note,omitempty" maxLength:"500" doc:"How the carrier agreed. With the scope loads:override, also why the load goes although the customer has yet to sign its changes."`
	}
}

type noteInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Note string `json:"note,omitempty" maxLength:"500"`
	}
}
