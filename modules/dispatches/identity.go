package dispatches

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/onetimecode"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errIdentity = errs.New(errs.Forbidden, "dispatches.identity_needed", "Prove that you are the carrier first: have a code sent to the phone or e-mail that the regulator has on record.")
	errNoRecord = errs.New(errs.Conflict, "carriers.no_record", "The regulator's record has no phone or e-mail for this channel. Choose another channel, or call us.")
)

// proof is what a carrier is asked for to prove who it is.
type proof struct {
	Number   bool                  `json:"usdot_needed" doc:"Whether the carrier is to say its USDOT number first."`
	Channels []carriersapi.Channel `json:"channels" nullable:"false" doc:"By which a code can be sent. Without any, the carrier calls."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (proof) SchemaName() string { return "IdentityProof" }

func identityRoutes(r *web.Router, s sheets) {
	show := newPages()
	refusals := append([]*errs.Error{errNoSheet, errNoOffer}, link.Refusals...)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carrier/{link}/code", ID: "send_carrier_code", Access: web.Public, Summary: "Have a code sent to the carrier of a link",
		Description: "Six digits go to the phone or e-mail of the regulator's record, and to no other. A code is valid for ten minutes and five attempts.",
		Errors:      append([]*errs.Error{errNoRecord, notify.ErrNoChannel, onetimecode.ErrTooMany}, refusals...), Form: formOf("channel"), Page: show.answered,
	}, s.sendCode)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carrier/{link}/company", ID: "name_carrier_company", Access: web.Public, Summary: "Say by a link which carrier one is",
		Description: "For carriers that the company does not have yet. The code then goes to the phone or e-mail that the regulator has on record for the USDOT number.",
		Errors:      append([]*errs.Error{carriersapi.ErrUSDOT, carriersapi.ErrKnown}, refusals...), Form: formOf("usdot"), Page: show.answered,
	}, s.nameCompany)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carrier/{link}/identify", ID: "identify_carrier", Access: web.Public, Summary: "Prove by a code to be the carrier of a link",
		Errors: append(append([]*errs.Error{}, onetimecode.RedeemErrors...), refusals...), Form: formOf("code"), Page: show.answered,
	}, s.identify)
}

// proof is what the carrier of an offer is asked for before it accepts, nil for nothing.
func (s sheets) proof(ctx context.Context, o offer, terms preferences) (*proof, error) {
	found, err := s.desk.carriers.Find(ctx, o.Carrier.String())
	if err != nil {
		return nil, err
	}
	if who := found[o.Carrier.String()]; who.Prospect {
		if who.USDOT == "" {
			return &proof{Number: true, Channels: []carriersapi.Channel{}}, nil
		}
		channels, err := s.desk.proofs.Channels(ctx, o.Carrier.String())

		return &proof{Channels: channels}, err
	}
	if terms.Sandbox && strings.HasSuffix(strings.ToLower(found[o.Carrier.String()].Email), "@"+carriersapi.SandboxDomain) {
		return nil, nil //nolint:nilnil // a robot has no record
	}
	if o.IdentifiedAt != nil || terms.Proof != proofNew && terms.Proof != proofAlways {
		return nil, nil //nolint:nilnil // nothing is asked for
	}
	if terms.Proof == proofNew {
		confirmed, err := s.desk.proofs.Confirmed(ctx, o.Carrier.String())
		if err != nil || confirmed {
			return nil, err
		}
	}
	channels, err := s.desk.proofs.Channels(ctx, o.Carrier.String())

	return &proof{Channels: channels}, err
}

// proved refuses somebody who has yet to prove to be the carrier.
func (s sheets) proved(ctx context.Context, o offer) error {
	terms, err := s.desk.settings.Read(ctx)
	if err != nil {
		return err
	}
	asked, err := s.proof(ctx, o, terms.Now)
	if err == nil && asked != nil {
		err = errIdentity.WithDetail("channels", asked.Channels)
	}

	return err
}

type sendCodeInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Channel string `json:"channel" enum:"sms,email"`
	}
}

func (s sheets) sendCode(ctx context.Context, in *sendCodeInput) (*sheetOutput, error) {
	ctx, h, err := s.enter(ctx, in.Link)
	if err == nil && (h.offer == nil || !h.offer.open()) {
		err = errNoOffer
	}
	if err == nil {
		if err = s.proved(ctx, *h.offer); errors.Is(err, errIdentity) { // else nobody asks for a code
			err = s.desk.proofs.Issue(ctx, h.offer.Carrier.String(), in.Body.Channel)
		}
	}

	return s.again(ctx, in.Link, toCarrier(err))
}

type companyInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		USDOT string `json:"usdot" minLength:"1" maxLength:"20" example:"1234567"`
	}
}

func (s sheets) nameCompany(ctx context.Context, in *companyInput) (*sheetOutput, error) {
	ctx, h, err := s.enter(ctx, in.Link)
	if err == nil && (h.offer == nil || !h.offer.open()) {
		err = errNoOffer
	}
	if err == nil {
		err = s.desk.prospects.Name(ctx, h.offer.Carrier.String(), in.Body.USDOT)
	}

	return s.again(ctx, in.Link, err)
}

type identifyInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Code string `json:"code" minLength:"1" maxLength:"20" example:"493817"`
	}
}

func (s sheets) identify(ctx context.Context, in *identifyInput) (*sheetOutput, error) {
	return s.answer(ctx, in.Link, func(ctx context.Context, id uuid.UUID) error {
		o, err := s.desk.offers.Find(ctx, id)
		if err != nil {
			return err
		}
		if err := s.desk.proofs.Redeem(ctx, o.Carrier.String(), in.Body.Code); err != nil {
			return err
		}
		now := s.desk.now()
		_, err = s.desk.offers.Change(ctx, id, web.IfMatch{}, verbIdentify, func(_ context.Context, o *offer) error {
			o.IdentifiedAt = &now

			return nil
		})

		return err
	})
}
