package proof

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/number"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/onetimecode"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// claimCode is what codes are for that prove a claim to a USDOT number.
const claimCode onetimecode.Purpose = "carriers.claim"

// claims implements carriersapi.Claims.
type claims struct {
	carriers      *resource.Resource[store.Carrier]
	rows          *store.Repository
	roster        *store.Roster
	confirmations *Confirmations
	sender        *CodeSender
}

// NewClaims returns the claims of other areas.
func NewClaims(
	carriers *resource.Resource[store.Carrier], rows *store.Repository, r *store.Roster, c *Confirmations, sender *CodeSender,
) carriersapi.Claims {
	return claims{carriers, rows, r, c, sender}
}

// Normal implements carriersapi.Claims.
func (claims) Normal(usdot string) (string, error) {
	read, err := number.USDOT("", usdot)
	if err != nil {
		return "", carriersapi.ErrUSDOT.WithField("usdot", "The `usdot` must be a USDOT number: up to eight digits, such as 1234567.")
	}

	return read.String(), nil
}

// Channels implements carriersapi.Claims.
func (c claims) Channels(ctx context.Context, usdot string) ([]carriersapi.Channel, error) {
	record, err := c.confirmations.recordOfNumber(ctx, usdot)
	if err != nil {
		return nil, err
	}

	return c.sender.possible(ctx, record)
}

// Issue implements carriersapi.Claims.
func (c claims) Issue(ctx context.Context, of carriersapi.Claim, channel string) error {
	record, err := c.confirmations.recordOfNumber(ctx, of.USDOT)
	if err != nil {
		return err
	}

	return c.roster.InTx(ctx, func(ctx context.Context) error {
		_, _, err := c.sender.issue(ctx, onetimecode.Request{Purpose: claimCode, Subject: claimed(of), Channel: channel}, record, "")

		return err
	})
}

func claimed(of carriersapi.Claim) item.Ref {
	return item.Ref{Type: of.ItemType, UUID: item.ID(of.ItemUUID)}
}

// Redeem implements carriersapi.Claims.
func (c claims) Redeem(ctx context.Context, of carriersapi.Claim, prospect, typed string) (proved string, err error) {
	err = c.sender.redeem(ctx, claimCode, claimed(of), typed, func(ctx context.Context, code onetimecode.Code) error {
		record, err := c.confirmations.recordOfNumber(ctx, of.USDOT)
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
		proved = id.String()
		_, err = c.confirmations.confirm(ctx, redeemed(id, code))

		return err
	})

	return proved, err
}

// holder returns the carrier of the company that has a USDOT number: the one that has it already, or else the prospect, which gets it. A carrier that
// has it without a proof of its own makes way.
func (c claims) holder(ctx context.Context, usdot string, prospect uuid.UUID) (uuid.UUID, error) {
	has, err := c.rows.Numbered(ctx, usdot)
	switch {
	case errors.Is(err, store.ErrNone):
	case err != nil:
		return uuid.Nil, err
	case has.ID == prospect || !has.Prospect || has.Status == store.DoNotUse:
		return has.ID, nil
	default:
		if _, err := c.carriers.Change(ctx, has.ID, web.IfMatch{}, resource.Update, func(_ context.Context, row *store.Carrier) error {
			row.USDOT = nil

			return nil
		}); err != nil {
			return uuid.Nil, err
		}
	}
	_, err = c.carriers.Change(ctx, prospect, web.IfMatch{}, resource.Update, func(_ context.Context, row *store.Carrier) error {
		if row.Prospect && row.USDOT == nil {
			row.USDOT = &usdot
		}

		return nil
	})

	return prospect, err
}
