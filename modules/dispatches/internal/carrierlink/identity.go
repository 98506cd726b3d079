package carrierlink

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/offers"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/proof"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/onetimecode"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Identity has carriers prove who they are.
type Identity struct {
	door       *Door
	sheets     *Sheets
	gate       *proof.Gate
	identifier *offers.Identifier
}

// NewIdentity returns an Identity.
func NewIdentity(d *Door, s *Sheets, g *proof.Gate, i *offers.Identifier) *Identity {
	return &Identity{d, s, g, i}
}

// IdentityRoutes registers the operations by which a carrier proves who it is.
func IdentityRoutes(r *web.Router, i *Identity) {
	show := newFace()
	refusals := Refusals(errNoOffer, store.ErrVehicleTaken, store.ErrOfferExpired, store.ErrNotOpen, proof.ErrUSDOTNeeded)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carrier/{link}/code", ID: "send_carrier_code", Access: web.Public, Summary: "Have a code sent to the carrier of a link",
		Description: "Six digits go to the phone or e-mail of the regulator's record, and to no other. A code is valid for ten minutes and five attempts.",
		Errors:      append([]*errs.Error{errNoRecord, notify.ErrNoChannel, notify.ErrRefused, onetimecode.ErrTooMany}, refusals...), TakesForm: true, Page: show.After,
	}, i.sendCode)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carrier/{link}/company", ID: "name_carrier_company", Access: web.Public, Summary: "Say by a link which carrier one is",
		Description: "For carriers that the company does not have yet. The code then goes to the phone or e-mail that the regulator has on record for the USDOT number. The number is kept with the offer until the code proves it.",
		Errors:      append([]*errs.Error{carriersapi.ErrUSDOT}, refusals...), TakesForm: true, Page: show.After,
	}, i.nameCompany)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carrier/{link}/identify", ID: "identify_carrier", Access: web.Public, Summary: "Prove by a code to be the carrier of a link",
		Errors: append(append([]*errs.Error{}, onetimecode.RedeemErrors...), refusals...), TakesForm: true, Page: show.After,
	}, i.identify)
}

type sendCodeInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Channel string `json:"channel" enum:"sms,email"`
	}
}

func (i *Identity) sendCode(ctx context.Context, in *sendCodeInput) (*sheetOutput, error) {
	ctx, o, err := i.door.enterOpen(ctx, in.Link)
	if err != nil {
		return nil, err
	}

	return i.sheets.again(ctx, in.Link, asOutsider(i.gate.SendCode(ctx, o, in.Body.Channel)))
}

type companyInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		USDOT string `json:"usdot" minLength:"1" maxLength:"20" example:"1234567"`
	}
}

// nameCompany keeps a number with the offer, if the carrier is to name one.
func (i *Identity) nameCompany(ctx context.Context, in *companyInput) (*sheetOutput, error) {
	ctx, o, err := i.door.enterOpen(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	number, wanted, err := i.gate.TakesNumber(ctx, o, in.Body.USDOT)
	if err == nil && wanted {
		err = i.identifier.KeepClaim(ctx, o.ID, number)
	}

	return i.sheets.again(ctx, in.Link, err)
}

type identifyInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Code string `json:"code" minLength:"1" maxLength:"20" example:"493817"`
	}
}

func (i *Identity) identify(ctx context.Context, in *identifyInput) (*sheetOutput, error) {
	ctx, o, err := i.door.enterOpen(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	carrier, err := i.gate.Redeem(ctx, o, in.Body.Code)
	if err == nil {
		err = i.identifier.KeepProof(ctx, o.ID, item.ID(carrier))
	}

	return i.sheets.again(ctx, in.Link, err)
}
