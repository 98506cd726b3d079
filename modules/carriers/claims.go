package carriers

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/number"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/onetimecode"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// claimCode is what codes are for that prove a claim to a USDOT number.
const claimCode onetimecode.Purpose = "carriers.claim"

// claims implements carriersapi.Claims.
type claims struct {
	identities *identities
	rows       *repository
}

func newClaims(i *identities, rows *repository) carriersapi.Claims { return claims{i, rows} }

// Normal implements carriersapi.Claims.
func (claims) Normal(usdot string) (string, error) {
	read, err := number.USDOT("", usdot)
	if err != nil {
		return "", carriersapi.ErrUSDOT.WithField("usdot", "The `usdot` must be a USDOT number: up to eight digits, such as 1234567.")
	}

	return read.String(), nil
}

// record is what the regulator has on record for a USDOT number.
func (c claims) record(ctx context.Context, usdot string) (regulatorapi.Identity, error) {
	f, err := c.identities.judge.facts(ctx, &carrier{USDOT: &usdot})

	return f.Identity, err
}

// Channels implements carriersapi.Claims.
func (c claims) Channels(ctx context.Context, usdot string) ([]carriersapi.Channel, error) {
	there, err := c.identities.channels.Channels(ctx)
	if err != nil {
		return nil, err
	}
	record, err := c.record(ctx, usdot)
	all := []carriersapi.Channel{}
	for _, name := range there {
		if to := recordFor(record, name); to != "" && (name == notify.SMS || name == notify.Email) {
			all = append(all, carriersapi.Channel{Name: name, To: maskAddress(to)})
		}
	}

	return all, err
}

// Issue implements carriersapi.Claims.
func (c claims) Issue(ctx context.Context, of carriersapi.Claim, channel string) error {
	record, err := c.record(ctx, of.USDOT)
	if err != nil {
		return err
	}
	to := recordFor(record, channel)
	if to == "" {
		return errNoRecord
	}

	return c.identities.judge.db.InTx(ctx, func(ctx context.Context) error {
		_, text, err := c.identities.codes.Issue(ctx, onetimecode.Request{Purpose: claimCode, Subject: claimed(of), Channel: channel, To: to})
		if err != nil {
			return err
		}

		return c.identities.channels.Send(ctx, notify.Message{
			Channel: channel, To: to, Subject: "Your identity code", Urgent: true, About: claimed(of), Secrets: []secret.Text{text},
			Text: secret.Hide("Your code is " + text.Reveal() + ". It confirms your identity as a carrier. Never give it to someone who calls you."),
		})
	})
}

func claimed(of carriersapi.Claim) item.Ref {
	return item.Ref{Type: of.ItemType, UUID: item.ID(of.ItemUUID)}
}

// Redeem implements carriersapi.Claims.
func (c claims) Redeem(ctx context.Context, of carriersapi.Claim, prospect, typed string) (proved string, err error) {
	err = c.identities.codes.Redeem(ctx, claimCode, claimed(of), typed, func(ctx context.Context, code onetimecode.Code) error {
		record, err := c.record(ctx, of.USDOT)
		if err != nil {
			return err
		}
		if !slices.Contains([]string{record.Phone, record.CellPhone, record.Email}, code.To) {
			return onetimecode.ErrNone // the number was claimed after the code was sent
		}
		id, err := c.holder(ctx, of.USDOT, item.ID(prospect))
		if err != nil {
			return err
		}
		in := &confirmInput{UUID: id}
		in.Body.Channel, in.Body.Note = code.To, "Entered the identity code sent by "+code.Channel+"."
		proved = id.String()
		_, err = c.identities.judge.confirm(ctx, in)

		return err
	})

	return proved, err
}

// holder returns the carrier of the company that has a USDOT number: the one that has it already, or else the prospect, which gets it. A carrier that
// has it without a proof of its own makes way.
func (c claims) holder(ctx context.Context, usdot string, prospect uuid.UUID) (uuid.UUID, error) {
	carriers := c.identities.judge.carriers
	has, err := c.rows.numbered(ctx, usdot)
	switch {
	case errors.Is(err, errNobody):
	case err != nil:
		return uuid.Nil, err
	case has.ID == prospect || !has.Prospect || has.Status == doNotUse:
		return has.ID, nil
	default:
		if _, err := carriers.Change(ctx, has.ID, web.IfMatch{}, resource.Update, func(_ context.Context, row *carrier) error {
			row.USDOT = nil

			return nil
		}); err != nil {
			return uuid.Nil, err
		}
	}
	_, err = carriers.Change(ctx, prospect, web.IfMatch{}, resource.Update, func(_ context.Context, row *carrier) error {
		if row.Prospect && row.USDOT == nil {
			row.USDOT = &usdot
		}

		return nil
	})

	return prospect, err
}
