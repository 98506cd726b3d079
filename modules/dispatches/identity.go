package dispatches

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/onetimecode"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errIdentity = errs.New(errs.Forbidden, "dispatches.identity_needed", "Prove that you are the carrier first: have a code sent to the phone or e-mail that the regulator has on record.")
	errNoNumber = errs.New(errs.Conflict, "dispatches.usdot_needed", "Name your USDOT number first. The code goes to the phone or e-mail that the regulator has on record for it.")
	errNoRecord = errs.New(errs.Conflict, "carriers.no_record", "The regulator's record has no phone or e-mail for this channel. Choose another channel, or call us.")
)

// proof is what a carrier is asked for to prove who it is.
type proof struct {
	Number   bool                  `json:"usdot_needed" doc:"Whether the carrier is to say its USDOT number first."`
	USDOT    string                `json:"usdot" doc:"The USDOT number that was named by this link; empty if none was. Until a code proves it, another one can be named."`
	Channels []carriersapi.Channel `json:"channels" nullable:"false" doc:"By which a code can be sent. Without any, the carrier calls."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (proof) SchemaName() string { return "IdentityProof" }

func identityRoutes(r *web.Router, s sheets) {
	show := newPages()
	refusals := append([]*errs.Error{errNoSheet, errNoOffer, store.ErrVehicleTaken, store.ErrOfferExpired, store.ErrNotOpen, errNoNumber}, link.Refusals...)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carrier/{link}/code", ID: "send_carrier_code", Access: web.Public, Summary: "Have a code sent to the carrier of a link",
		Description: "Six digits go to the phone or e-mail of the regulator's record, and to no other. A code is valid for ten minutes and five attempts.",
		Errors:      append([]*errs.Error{errNoRecord, notify.ErrNoChannel, notify.ErrRefused, onetimecode.ErrTooMany}, refusals...), Form: formOf("channel"), Page: show.answered(nil),
	}, s.sendCode)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carrier/{link}/company", ID: "name_carrier_company", Access: web.Public, Summary: "Say by a link which carrier one is",
		Description: "For carriers that the company does not have yet. The code then goes to the phone or e-mail that the regulator has on record for the USDOT number. The number is kept with the offer until the code proves it.",
		Errors:      append([]*errs.Error{carriersapi.ErrUSDOT}, refusals...), Form: formOf("usdot"), Page: show.answered(companyFields("", "")),
	}, s.nameCompany)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carrier/{link}/identify", ID: "identify_carrier", Access: web.Public, Summary: "Prove by a code to be the carrier of a link",
		Errors: append(append([]*errs.Error{}, onetimecode.RedeemErrors...), refusals...), Form: formOf("code"), Page: show.answered(codeFields("")),
	}, s.identify)
}

// gate has carriers prove who they are before they accept by a link.
type gate struct{ desk *desk }

// proof is what the carrier of an offer is asked for before it accepts, nil for nothing.
func (g gate) proof(ctx context.Context, o store.Offer) (*proof, error) {
	terms, err := g.desk.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	found, err := g.desk.carriers.Find(ctx, o.Carrier.String())
	if err != nil {
		return nil, err
	}
	who := found[o.Carrier.String()]
	switch {
	case who.Prospect && who.USDOT == "" && o.ClaimedUSDOT == "":
		return &proof{Number: true, Channels: []carriersapi.Channel{}}, nil
	case who.Prospect && who.USDOT == "":
		channels, err := g.desk.claims.Channels(ctx, o.ClaimedUSDOT)

		return &proof{USDOT: o.ClaimedUSDOT, Channels: channels}, err
	case who.Prospect:
		channels, err := g.desk.proofs.Channels(ctx, o.Carrier.String())

		return &proof{Channels: channels}, err
	case terms.Now.Sandbox && strings.HasSuffix(strings.ToLower(who.Email), "@"+carriersapi.SandboxDomain):
		return nil, nil //nolint:nilnil // a robot has no record
	case o.IdentifiedAt != nil || terms.Now.Proof != preferences.ProofNew && terms.Now.Proof != preferences.ProofAlways:
		return nil, nil //nolint:nilnil // nothing is asked for
	case terms.Now.Proof == preferences.ProofNew:
		confirmed, err := g.desk.proofs.Confirmed(ctx, o.Carrier.String())
		if err != nil || confirmed {
			return nil, err
		}
	}
	channels, err := g.desk.proofs.Channels(ctx, o.Carrier.String())

	return &proof{Channels: channels}, err
}

// pass refuses a carrier that has yet to prove who it is.
func (g gate) pass(ctx context.Context, o store.Offer) error {
	asked, err := g.proof(ctx, o)
	if err == nil && asked != nil {
		err = errIdentity.WithDetail("channels", asked.Channels)
	}

	return err
}

// claim is what the carrier of an offer claims, if its number is to be proved first.
func (g gate) claim(ctx context.Context, o store.Offer) (of carriersapi.Claim, claimed bool, err error) {
	found, err := g.desk.carriers.Find(ctx, o.Carrier.String())
	who := found[o.Carrier.String()]

	return carriersapi.Claim{ItemType: dispatchesapi.Offer, ItemUUID: o.ID.String(), USDOT: o.ClaimedUSDOT}, who.Prospect && who.USDOT == "", err
}

// enterOpen returns the offer of a link, which can be answered still, and the context of its company.
func (s sheets) enterOpen(ctx context.Context, text string) (context.Context, store.Offer, error) {
	ctx, h, err := s.enter(ctx, text)
	switch {
	case err != nil:
		return ctx, store.Offer{}, err
	case h.offer == nil:
		return ctx, store.Offer{}, errNoOffer
	}

	return ctx, *h.offer, h.offer.Ended(s.desk.now())
}

type sendCodeInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Channel string `json:"channel" enum:"sms,email"`
	}
}

func (s sheets) sendCode(ctx context.Context, in *sendCodeInput) (*sheetOutput, error) {
	ctx, o, err := s.enterOpen(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	g := gate{s.desk}
	if err = g.pass(ctx, o); errors.Is(err, errIdentity) { // else nothing is to be proved
		of, claimed, failed := g.claim(ctx, o)
		switch {
		case failed != nil:
			err = failed
		case claimed && of.USDOT == "":
			err = errNoNumber
		case claimed:
			err = s.desk.claims.Issue(ctx, of, in.Body.Channel)
		default:
			err = s.desk.proofs.Issue(ctx, o.Carrier.String(), in.Body.Channel)
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

// nameCompany keeps a number with the offer. No carrier has it by that until a code proves it, so another one can be named instead.
func (s sheets) nameCompany(ctx context.Context, in *companyInput) (*sheetOutput, error) {
	ctx, o, err := s.enterOpen(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	number, err := s.desk.claims.Normal(in.Body.USDOT)
	if err != nil {
		return nil, err
	}
	_, claimed, err := gate{s.desk}.claim(ctx, o)
	if err == nil && claimed {
		_, err = s.desk.offers.Change(ctx, o.ID, web.IfMatch{}, store.VerbClaim, func(_ context.Context, o *store.Offer) error {
			o.ClaimedUSDOT = number

			return nil
		})
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
	ctx, o, err := s.enterOpen(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	of, claimed, err := gate{s.desk}.claim(ctx, o)
	who := o.Carrier.String()
	switch {
	case err != nil:
	case claimed && of.USDOT == "":
		err = errNoNumber
	case claimed:
		who, err = s.desk.claims.Redeem(ctx, of, who, in.Body.Code)
	default:
		err = s.desk.proofs.Redeem(ctx, who, in.Body.Code)
	}
	if err == nil {
		err = s.identified(ctx, o, item.ID(who))
	}

	return s.again(ctx, in.Link, err)
}

// identified keeps that the carrier of an offer has proved who it is, which may be another one of the company than was thought. Any other open offer for
// the load to that one makes way.
func (s sheets) identified(ctx context.Context, o store.Offer, who uuid.UUID) error {
	d, now := s.desk, s.desk.now()

	return d.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := d.hold(ctx, o.ID); err != nil {
			return err
		}
		if who != o.Carrier {
			if err := d.makeWay(ctx, o, who); err != nil {
				return err
			}
		}
		_, err := d.offers.Change(ctx, o.ID, web.IfMatch{}, store.VerbIdentify, func(_ context.Context, o *store.Offer) error {
			o.IdentifiedAt, o.Carrier = &now, who

			return nil
		})

		return err
	})
}

// makeWay withdraws the open offers to a carrier for the load of another offer, which is its own.
func (d *desk) makeWay(ctx context.Context, of store.Offer, who uuid.UUID) error {
	open, err := d.rows.OpenOffers(ctx, of.Load)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	for _, o := range open {
		if o.Carrier == who && o.ID != of.ID {
			ids = append(ids, o.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	why := "The carrier answers by the offer " + of.Number + "."
	_, err = d.offers.ChangeSome(principal.AsCompany(ctx, principal.CompanyOf(ctx)), ids, store.VerbWithdraw, func(ctx context.Context, o *store.Offer) error {
		o.Turn, o.EndReason = "", why
		o.Record(ctx, string(store.VerbWithdraw), store.Proposal{Party: store.System, Note: why}, d.now())

		return d.offers.Step(ctx, o, state.Move{Verb: string(store.VerbWithdraw), Reason: why})
	})

	return err
}
