package billsoflading

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/share"
)

// inviter sends drivers their links as soon as it is known who they are, where the company has switched that on.
type inviter struct {
	book  *book
	items *item.Registry
}

func newInviter(k *book, items *item.Registry) inviter { return inviter{k, items} }

func (i inviter) onTaken(ctx context.Context, e dispatchesapi.Accepted) error {
	return i.invite(ctx, e.About)
}

func (i inviter) onNamed(ctx context.Context, e dispatchesapi.Updated) error {
	return i.invite(ctx, e.About)
}

// errUntold says that no channel reaches the driver, so that there is to be no link either.
var errUntold = errors.New("no channel reaches the driver")

// invite sends the driver of a dispatch the link, once to each phone.
func (i inviter) invite(ctx context.Context, of dispatchesapi.About) error {
	k := i.book
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	terms, err := k.settings.Read(ctx)
	if err != nil || !terms.Now.SendLinks {
		return err
	}
	phone, err := i.phone(ctx, item.ID(of.Dispatch))
	if err != nil || phone == "" {
		return err
	}
	if err := k.follow(ctx, of.Load); err != nil {
		return err
	}
	load := item.ID(of.Load)
	err = k.db.InTx(ctx, func(ctx context.Context) error {
		given, err := k.giveDriver(ctx, load)
		if err != nil {
			return err
		}
		if given.Outsider, err = k.driversOf(ctx, load, item.ID(of.Dispatch)); err != nil {
			return err
		}
		if err := k.rows.claim(ctx, load, uuid.NewSHA1(item.ID(of.Dispatch), []byte(phone))); err != nil {
			return err
		}
		made, err := k.given.Give(ctx, given, share.Create{To: []share.Recipient{{Channel: notify.SMS, Address: phone}}})
		if err == nil && made.Deliveries[0].Result != share.Sent {
			err = errUntold
		}

		return err
	})
	if errors.Is(err, database.ErrDuplicate) || errors.Is(err, errUntold) || errs.IsRefusal(err) { // it was sent, cannot be, or the load was taken back
		return nil
	}

	return err
}

// phone is that of the driver of a dispatch, "" if it is not known.
func (i inviter) phone(ctx context.Context, dispatch uuid.UUID) (phone string, err error) {
	found, err := i.items.Values(ctx, []item.Ref{{Type: dispatchesapi.Dispatch, UUID: dispatch}}, "driver_phone")
	if err != nil || len(found[0]["driver_phone"]) == 0 {
		return "", err
	}

	return phone, json.Unmarshal(found[0]["driver_phone"], &phone)
}
