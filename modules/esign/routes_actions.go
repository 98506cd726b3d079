package esign

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/documents"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/web"
)

// actionHandlers answer the orders that people give of envelopes.
type actionHandlers struct {
	orders    *envelopes.Orders
	documents *documents.Requests
	details   *details
}

func newActionHandlers(o *envelopes.Orders, d *documents.Requests, de *details) *actionHandlers {
	return &actionHandlers{orders: o, documents: d, details: de}
}

func actionRoutes(r *web.Router, s *actionHandlers) {
	send := web.Scope(store.SendScope)
	failures := []*errs.Error{store.ErrEnvelope, store.ErrNotThere, store.ErrEnded, store.ErrBusy}
	const later = " The provider is asked by a job; `actions` of the envelope say what came of it."
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/envelopes/{uuid}/void", ID: "void_envelope", Access: send, Summary: "Take an envelope back that is on its way",
		Description: "Recipients are told the reason." + later, Errors: append(failures, store.ErrInvalid),
	}, s.postVoid)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/envelopes/{uuid}/resend", ID: "resend_envelope", Access: send, Summary: "Send recipients the provider's e-mail anew",
		Description: "Those who are to act now." + later, Errors: append(failures, notify.ErrRefused),
	}, s.postResend)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/envelopes/{uuid}/correct", ID: "correct_envelope", Access: send, Summary: "Change recipients who have not signed, or add some",
		Description: "They get the envelope anew." + later, Errors: append(failures, store.ErrInvalid, notify.ErrRefused),
	}, s.postCorrect)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/envelopes/{uuid}/refresh", ID: "refresh_envelope", Access: send, Summary: "Ask the provider how far an envelope is",
		Description: "Also whether it has one at all of which nobody knows whether it was sent. Providers limit how often they can be asked about an envelope." + later,
		Errors:      failures,
	}, s.postRefresh)
}

// showOrdered shows an envelope after an order.
func (s *actionHandlers) showOrdered(ctx context.Context, row store.Envelope, err error) (*web.Resource[envelopeDetails], error) {
	if err != nil {
		return nil, err
	}

	return s.details.show(ctx, row)
}

type voidInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body voidRequest
}

type voidRequest struct {
	Reason string `json:"reason" minLength:"1" maxLength:"200" doc:"Why; recipients are told."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (voidRequest) SchemaName() string { return "EsignVoid" }

func (s *actionHandlers) postVoid(ctx context.Context, in *voidInput) (*web.Resource[envelopeDetails], error) {
	row, err := s.orders.Void(ctx, in.UUID, in.IfMatch, in.Body.Reason)

	return s.showOrdered(ctx, row, err)
}

func (s *actionHandlers) postResend(ctx context.Context, in *matchInput) (*web.Resource[envelopeDetails], error) {
	row, err := s.orders.Resend(ctx, in.UUID, in.IfMatch)

	return s.showOrdered(ctx, row, err)
}

func (s *actionHandlers) postRefresh(ctx context.Context, in *matchInput) (*web.Resource[envelopeDetails], error) {
	row, err := s.orders.Place(ctx, in.UUID, in.IfMatch, store.ActRefresh, nil)

	return s.showOrdered(ctx, row, err)
}

type correctInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body correctRequest
}

type correctRequest struct {
	Recipients []correctionBody `json:"recipients" minItems:"1" maxItems:"100" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (correctRequest) SchemaName() string { return "EsignCorrection" }

type correctionBody struct {
	UUID         uuid.UUID `json:"uuid,omitzero" doc:"Which recipient; left out for a new one."`
	Kind         string    `json:"kind,omitempty" enum:"signer,carbon_copy,certified_delivery" doc:"Of a new one; signer if it is left out."`
	Name         string    `json:"name,omitempty" maxLength:"100" doc:"Left out: as it is."`
	Email        string    `json:"email,omitempty" maxLength:"100" doc:"Left out: as it is."`
	RoutingOrder int       `json:"routing_order,omitempty" minimum:"0" maximum:"1000" doc:"Left out: as it is."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (correctionBody) SchemaName() string { return "EsignRecipientCorrection" }

func (s *actionHandlers) postCorrect(ctx context.Context, in *correctInput) (*web.Resource[envelopeDetails], error) {
	changes := make([]envelopes.Correction, 0, len(in.Body.Recipients))
	for _, c := range in.Body.Recipients {
		changes = append(changes, envelopes.Correction(c))
	}
	row, err := s.orders.Correct(ctx, in.UUID, in.IfMatch, changes)

	return s.showOrdered(ctx, row, err)
}

func documentRoutes(r *web.Router, s *actionHandlers) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/envelopes/{uuid}/fetch_documents", ID: "fetch_documents", Access: web.Scope(store.SendScope),
		Summary:     "Try again to store the signed documents of an envelope",
		Description: "They are fetched by themselves once it is completed; this is for when that failed.", Errors: []*errs.Error{store.ErrEnvelope, store.ErrNoDocument},
	}, func(ctx context.Context, in *matchInput) (*web.Resource[envelopeBody], error) {
		row, err := s.documents.Retry(ctx, in.UUID, in.Check)
		if err != nil {
			return nil, err
		}

		return envelopeResource(row), nil
	})
}
