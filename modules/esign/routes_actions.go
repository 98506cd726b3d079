package esign

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

func actionRoutes(r *web.Router, s *envelopes) {
	send := web.Scope(sendScope)
	failures := []*errs.Error{errEnvelope, errNotThere, errEnded, errBusy}
	const later = " The provider is asked by a job; `actions` of the envelope say what came of it."
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/envelopes/{uuid}/void", ID: "void_envelope", Access: send, Summary: "Take an envelope back that is on its way",
		Description: "Recipients are told the reason." + later, Errors: append(failures, errInvalid),
	}, s.postVoid)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/envelopes/{uuid}/resend", ID: "resend_envelope", Access: send, Summary: "Send recipients the provider's e-mail anew",
		Description: "Those who are to act now." + later, Errors: failures,
	}, s.postResend)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/envelopes/{uuid}/correct", ID: "correct_envelope", Access: send, Summary: "Change recipients who have not signed, or add some",
		Description: "They get the envelope anew." + later, Errors: append(failures, errInvalid),
	}, s.postCorrect)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/envelopes/{uuid}/refresh", ID: "refresh_envelope", Access: send, Summary: "Ask the provider how far an envelope is",
		Description: "Also whether it has one at all of which nobody knows whether it was sent. Providers limit how often they can be asked about an envelope." + later,
		Errors:      failures,
	}, s.postRefresh)
}

// ordered shows an envelope of which something was wanted.
func (s *envelopes) ordered(ctx context.Context, row envelope, err error) (*web.Resource[envelopeDetails], error) {
	if err != nil {
		return nil, err
	}

	return s.details(ctx, row)
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

func (s *envelopes) postVoid(ctx context.Context, in *voidInput) (*web.Resource[envelopeDetails], error) {
	row, err := s.void(ctx, in.UUID, in.IfMatch, in.Body.Reason)

	return s.ordered(ctx, row, err)
}

// void takes back an envelope that is on its way.
func (s *envelopes) void(ctx context.Context, id uuid.UUID, match web.IfMatch, reason string) (envelope, error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		return envelope{}, errInvalid.WithField("reason", "The reason is required: recipients are told.")
	}

	return s.order(ctx, id, match, actVoid, func(_ context.Context, _ envelope, c *actionContent) error {
		c.Reason = clipTo(reason, 200)

		return nil
	})
}

func (s *envelopes) postResend(ctx context.Context, in *matchInput) (*web.Resource[envelopeDetails], error) {
	row, err := s.order(ctx, in.UUID, in.IfMatch, actResend, nil)

	return s.ordered(ctx, row, err)
}

func (s *envelopes) postRefresh(ctx context.Context, in *matchInput) (*web.Resource[envelopeDetails], error) {
	row, err := s.order(ctx, in.UUID, in.IfMatch, actRefresh, nil)

	return s.ordered(ctx, row, err)
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

func (s *envelopes) postCorrect(ctx context.Context, in *correctInput) (*web.Resource[envelopeDetails], error) {
	changes := make([]correction, 0, len(in.Body.Recipients))
	for _, c := range in.Body.Recipients {
		changes = append(changes, correction(c))
	}
	row, err := s.correct(ctx, in.UUID, in.IfMatch, changes)

	return s.ordered(ctx, row, err)
}

func documentRoutes(r *web.Router, s *archive) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/envelopes/{uuid}/fetch_documents", ID: "fetch_documents", Access: web.Scope(sendScope),
		Summary:     "Try again to store the signed documents of an envelope",
		Description: "They are fetched by themselves once it is completed; this is for when that failed.", Errors: []*errs.Error{errEnvelope, errNoDocument},
	}, func(ctx context.Context, in *matchInput) (*web.Resource[envelopeBody], error) {
		row, err := s.retry(ctx, in.UUID, in.Check)
		if err != nil {
			return nil, err
		}

		return envelopeResource(row), nil
	})
}
