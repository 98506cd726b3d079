// Package proof has carriers prove who they are, by codes that go to the phone or e-mail that the regulator has on record.
package proof

import (
	"context"
	"errors"
	"strings"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/settings"
)

// Demand is what a carrier is asked for to prove who it is.
type Demand struct {
	Number   bool                  `json:"usdot_needed" doc:"Whether the carrier is to say its USDOT number first."`
	USDOT    string                `json:"usdot" doc:"The USDOT number that was named by this link; empty if none was. Until a code proves it, another one can be named."`
	Channels []carriersapi.Channel `json:"channels" nullable:"false" doc:"By which a code can be sent. Without any, the carrier calls."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Demand) SchemaName() string { return "IdentityProof" }

// What a carrier is refused that has yet to prove who it is.
var (
	ErrIdentityNeeded = errs.New(errs.Forbidden, "dispatches.identity_needed", "Prove that you are the carrier first: have a code sent to the phone or e-mail that the regulator has on record.")
	ErrUSDOTNeeded    = errs.New(errs.Conflict, "dispatches.usdot_needed", "Name your USDOT number first. The code goes to the phone or e-mail that the regulator has on record for it.")
)

// Gate has carriers prove who they are before they accept by a link.
type Gate struct {
	settings   *settings.Settings[preferences.Preferences]
	carriers   carriersapi.Carriers
	identities carriersapi.Identities
	claims     carriersapi.Claims
}

// NewGate returns a Gate.
func NewGate(
	kept *settings.Settings[preferences.Preferences], carriers carriersapi.Carriers, identities carriersapi.Identities, claims carriersapi.Claims,
) *Gate {
	return &Gate{kept, carriers, identities, claims}
}

// need is what a carrier has yet to prove before it accepts.
type need int

const (
	nothing       need = iota
	number             // it is to name its USDOT number first
	claimedNumber      // the number that it has named
	identity           // that it is the carrier
	firstIdentity      // that it is the carrier, if it never has
)

// needOf is what the carrier of an offer has yet to prove. A robot of the sandbox has no record, and proves nothing.
func needOf(o store.Offer, carrier carriersapi.Carrier, terms preferences.Preferences) need {
	switch {
	case carrier.Prospect && carrier.USDOT == "" && o.ClaimedUSDOT == "":
		return number
	case carrier.Prospect && carrier.USDOT == "":
		return claimedNumber
	case carrier.Prospect:
		return identity
	case terms.Sandbox && strings.HasSuffix(strings.ToLower(carrier.Email), "@"+carriersapi.SandboxDomain), o.IdentifiedAt != nil:
		return nothing
	case terms.Proof == preferences.ProofNew:
		return firstIdentity
	case terms.Proof == preferences.ProofAlways:
		return identity
	}

	return nothing
}

// Demand is what the carrier of an offer is asked for before it accepts, nil for nothing.
func (g *Gate) Demand(ctx context.Context, o store.Offer) (*Demand, error) {
	terms, err := g.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	found, err := g.carriers.Find(ctx, o.Carrier.String())
	if err != nil {
		return nil, err
	}
	switch needOf(o, found[o.Carrier.String()], terms.Now) {
	case number:
		return &Demand{Number: true, Channels: []carriersapi.Channel{}}, nil
	case claimedNumber:
		channels, err := g.claims.Channels(ctx, o.ClaimedUSDOT)

		return &Demand{USDOT: o.ClaimedUSDOT, Channels: channels}, err
	case firstIdentity:
		confirmed, err := g.identities.Confirmed(ctx, o.Carrier.String())
		if err != nil || confirmed {
			return nil, err
		}
	case identity:
	case nothing:
		return nil, nil //nolint:nilnil // nothing is asked for
	}
	channels, err := g.identities.Channels(ctx, o.Carrier.String())

	return &Demand{Channels: channels}, err
}

// Check refuses a carrier that has yet to prove who it is.
func (g *Gate) Check(ctx context.Context, o store.Offer) error {
	demand, err := g.Demand(ctx, o)
	if err == nil && demand != nil {
		refused := ErrIdentityNeeded
		if !demand.Number && len(demand.Channels) == 0 {
			refused = refused.WithMessage("Prove that you are the carrier first. There is no phone or e-mail on record to send a code to: call the company.")
		}
		err = refused.WithDetail("channels", demand.Channels)
	}

	return err
}

// claim is what the carrier of an offer claims, if its number is to be proved first.
func (g *Gate) claim(ctx context.Context, o store.Offer) (claim carriersapi.Claim, claimed bool, err error) {
	found, err := g.carriers.Find(ctx, o.Carrier.String())
	who := found[o.Carrier.String()]

	return carriersapi.Claim{ItemType: dispatchesapi.Offer, ItemUUID: o.ID.String(), USDOT: o.ClaimedUSDOT}, who.Prospect && who.USDOT == "", err
}

// TakesNumber returns a USDOT number without what people write around it, and whether the carrier of an offer is to name one. Error:
// carriersapi.ErrUSDOT.
func (g *Gate) TakesNumber(ctx context.Context, o store.Offer, usdot string) (number string, wanted bool, err error) {
	if number, err = g.claims.Normal(usdot); err != nil {
		return "", false, err
	}
	_, wanted, err = g.claim(ctx, o)

	return number, wanted, err
}

// SendCode sends a code to the carrier of an offer, if it has something to prove. Errors: ErrUSDOTNeeded, carriers.no_record, notify.no_channel,
// onetimecode.too_many.
func (g *Gate) SendCode(ctx context.Context, o store.Offer, channel string) error {
	err := g.Check(ctx, o)
	if !errors.Is(err, ErrIdentityNeeded) { // nil: nothing is to be proved
		return err
	}
	claim, claimed, err := g.claim(ctx, o)
	switch {
	case err != nil:
		return err
	case claimed && claim.USDOT == "":
		return ErrUSDOTNeeded
	case claimed:
		return g.claims.Issue(ctx, claim, channel)
	}

	return g.identities.Issue(ctx, o.Carrier.String(), channel)
}

// Redeem takes a code, and returns the uuid of the carrier that it proves: that of the offer, or another one of the company that has the number
// that was claimed. Errors: ErrUSDOTNeeded, onetimecode.wrong, onetimecode.none.
func (g *Gate) Redeem(ctx context.Context, o store.Offer, code string) (carrier string, err error) {
	claim, claimed, err := g.claim(ctx, o)
	switch {
	case err != nil:
		return "", err
	case claimed && claim.USDOT == "":
		return "", ErrUSDOTNeeded
	case claimed:
		return g.claims.Redeem(ctx, claim, o.Carrier.String(), code)
	}

	return o.Carrier.String(), g.identities.Redeem(ctx, o.Carrier.String(), code)
}
