package carrying

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// failures are those of the operations on one dispatch.
func failures(dispatches *resource.Resource[store.Dispatch], more ...*errs.Error) []*errs.Error {
	return append([]*errs.Error{dispatches.NotFound(), store.ErrInvalidDispatch, state.ErrNotAllowed, state.ErrMoved}, more...)
}

// CreateRoutes registers the operation that gives a load to a carrier by hand.
func CreateRoutes(r *web.Router, d *Dispatching) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/dispatches", ID: "create_dispatch", Access: web.Write, Summary: "Give a load to a carrier by hand",
		ActsOn:      web.ActsOn{Item: loadsapi.Load, Verb: "dispatch", Key: "load_uuid"},
		Description: "Such as to one that was called. The load must be ready; open offers for it end. `carrier_pay`, or If-Match with the ETag of the load, says for what the carrier has it.",
		Errors: []*errs.Error{
			store.ErrInvalidDispatch, store.ErrOutsideWindow, store.ErrIneligible, store.ErrUnsigned, store.ErrOnHold, loadsapi.ErrNotFound, loadsapi.ErrNotReady,
			loadsapi.ErrPlanFixed, loadsapi.ErrPayBelowCharges,
		},
	}, d.create)
}

// Office takes what the company does with dispatches.
type Office struct {
	dispatches    *resource.Resource[store.Dispatch]
	moves         *Moves
	cancellations *Cancellations
	abandonments  *Abandonments
}

// NewOffice returns an Office.
func NewOffice(dispatches *resource.Resource[store.Dispatch], m *Moves, c *Cancellations, a *Abandonments) *Office {
	return &Office{dispatches, m, c, a}
}

// Routes registers the operations that move and cancel dispatches.
func Routes(r *web.Router, o *Office) {
	for _, one := range []struct {
		verb                 resource.Verb
		summary, description string
	}{
		{store.VerbPickUp, "Say that a carrier has picked the vehicles up", "The load follows. What is known already changes nothing. After a cut of the pay that the carrier has not confirmed, it takes a note."},
		{store.VerbDeliver, "Say that a carrier has delivered the vehicles", "The load follows. What is known already changes nothing."},
	} {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/dispatches/{uuid}/" + string(one.verb), ID: string(one.verb) + "_dispatch", Access: web.Write,
			Summary: one.summary, Description: one.description,
			Errors: failures(o.dispatches, store.ErrTakenBack, store.ErrVINDiffers, store.ErrTermsUnconfirmed, loadsapi.ErrWaiting),
		}, o.move(one.verb))
	}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/dispatches/{uuid}/abandon", ID: "abandon_dispatch", Access: web.Scope("override"), Summary: "Take the vehicles from a carrier on the way",
		Description: "Such as after a breakdown. The vehicles on board wait at the place, which becomes a stop of the load, and the load is ready for the next carrier. The bills of lading of both carriers are kept.",
		Errors:      failures(o.dispatches, loadsapi.ErrNotOnBoard, store.ErrCancelled),
	}, o.abandon)
	for _, one := range []struct {
		verb                 resource.Verb
		summary, description string
	}{
		{store.VerbCancel, "Take a load from its carrier", "Before it was picked up. The load is ready again, and the carrier no longer sees it."},
		{store.VerbCarrierCancel, "Say that a carrier gives a load back", "Such as on the phone. It is kept as an incident of the carrier, which is not offered the load again."},
	} {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/dispatches/{uuid}/" + string(one.verb), ID: string(one.verb) + "_dispatch", Access: web.Write,
			Summary: one.summary, Description: one.description, Errors: failures(o.dispatches, store.ErrLoaded, store.ErrCancelled),
		}, o.cancel(one.verb))
	}
}

type moveInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		At   time.Time `json:"at,omitzero" doc:"When it happened; by default now."`
		Note string    `json:"note,omitempty" maxLength:"500"`
	}
}

func (o *Office) move(verb resource.Verb) func(ctx context.Context, in *moveInput) (*web.Resource[store.Dispatch], error) {
	return func(ctx context.Context, in *moveInput) (*web.Resource[store.Dispatch], error) {
		row, err := o.moves.Move(ctx, in.UUID, in.IfMatch, verb, Moved{At: in.Body.At, Note: in.Body.Note, Party: store.Broker})

		return o.dispatches.Answer(ctx, row, err)
	}
}

func (o *Office) abandon(ctx context.Context, in *abandonInput) (*web.Resource[store.Dispatch], error) {
	row, err := o.abandonments.abandon(ctx, in)

	return o.dispatches.Answer(ctx, row, err)
}

type cancelInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" maxLength:"40" doc:"The id of one of cancel_reasons of the settings." example:"breakdown"`
		Note   string `json:"note,omitempty" maxLength:"500"`
	}
}

func (o *Office) cancel(verb resource.Verb) func(ctx context.Context, in *cancelInput) (*web.Resource[store.Dispatch], error) {
	return func(ctx context.Context, in *cancelInput) (*web.Resource[store.Dispatch], error) {
		row, err := o.cancellations.Cancel(ctx, in.UUID, in.IfMatch, verb, in.Body.Reason, in.Body.Note)

		return o.dispatches.Answer(ctx, row, err)
	}
}

// Links are the links to dispatches that the company makes itself.
type Links struct {
	dispatches *resource.Resource[store.Dispatch]
	writer     *messages.Writer
	shares     *share.Service
}

// NewLinks returns Links.
func NewLinks(dispatches *resource.Resource[store.Dispatch], w *messages.Writer, s *share.Service) *Links {
	return &Links{dispatches, w, s}
}

// LinkRoutes registers the operations on links to dispatches.
func LinkRoutes(r *web.Router, l *Links) {
	share.Routes(r, l.shares, share.Operations{
		Path: "/dispatches/{uuid}/shares", Name: "dispatch_share", Summary: "by which the carrier sees the load that it has", Purpose: messages.CarrierLink,
		Description: "The carrier says there who comes and when, or gives the load back.", Subject: l.subject, Give: l.give,
		Errors: []*errs.Error{l.dispatches.NotFound()},
	})
}

func (l *Links) subject(ctx context.Context, id uuid.UUID) (link.Subject, error) {
	_, err := l.dispatches.Find(ctx, id)

	return link.Subject{Type: dispatchesapi.Dispatch, ID: id}, err
}

func (l *Links) give(ctx context.Context, id uuid.UUID) (share.Given, error) {
	row, err := l.dispatches.Find(ctx, id)
	if err != nil {
		return share.Given{}, err
	}

	return l.writer.DispatchLink(ctx, row)
}
