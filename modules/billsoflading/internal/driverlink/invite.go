package driverlink

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/share"
)

// Inviter texts drivers their links as soon as their phones are known, where the company has switched that on.
type Inviter struct {
	texts    *Texts
	settings *settings.Settings[store.Preferences]
	items    *item.Registry
}

// NewInviter returns an Inviter.
func NewInviter(t *Texts, s *settings.Settings[store.Preferences], items *item.Registry) *Inviter {
	return &Inviter{t, s, items}
}

// Invite texts the driver of a dispatch the link, once to each phone.
func (i *Inviter) Invite(ctx context.Context, of dispatchesapi.About) error {
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	terms, err := i.settings.Read(ctx)
	if err != nil || !terms.Now.SendLinks {
		return err
	}
	dispatch := item.ID(of.Dispatch)
	phone, err := i.phone(ctx, dispatch)
	if err != nil || phone == "" {
		return err
	}
	err = i.texts.send(ctx, item.ID(of.Load), dispatch, phone)
	if errors.Is(err, database.ErrDuplicate) || errors.Is(err, errUnreached) || errs.IsRefusal(err) {
		return nil // it was sent before, cannot be sent, or the carrier no longer has the load
	}

	return err
}

// phone is that of the driver of a dispatch, "" if it is not known.
func (i *Inviter) phone(ctx context.Context, dispatch uuid.UUID) (phone string, err error) {
	found, err := i.items.Values(ctx, []item.Ref{{Type: dispatchesapi.Dispatch, UUID: dispatch}}, "driver_phone")
	if err != nil || len(found[0]["driver_phone"]) == 0 {
		return "", err
	}

	return phone, json.Unmarshal(found[0]["driver_phone"], &phone)
}

// Texts sends drivers their links.
type Texts struct {
	links      *Links
	recipients *Recipients
	given      *share.Service
	rows       *store.Repository
}

// NewTexts returns Texts.
func NewTexts(l *Links, who *Recipients, given *share.Service, rows *store.Repository) *Texts {
	return &Texts{l, who, given, rows}
}

// errUnreached is returned where no channel reaches the driver, so that there is to be no link either.
var errUnreached = errors.New("no channel reaches the driver")

// send texts the driver of a dispatch the link to a load. Errors: errUnreached, and database.ErrDuplicate for a phone that has one.
func (t *Texts) send(ctx context.Context, load, dispatch uuid.UUID, phone string) error {
	return t.rows.InTx(ctx, func(ctx context.Context) error {
		given, err := t.links.toDriver(ctx, load)
		if err != nil {
			return err
		}
		if given.Outsider, err = t.recipients.drivers(ctx, load, dispatch); err != nil {
			return err
		}
		if err := t.rows.Claim(ctx, load, uuid.NewSHA1(dispatch, []byte(phone))); err != nil {
			return err
		}
		made, err := t.given.Give(ctx, given, share.Create{To: []share.Recipient{{Channel: notify.SMS, Address: phone}}})
		if err == nil && made.Deliveries[0].Result != share.Sent {
			err = errUnreached
		}

		return err
	})
}
