// Package proof has carriers prove who they are: they are reached by the regulator's record, and nowhere else.
package proof

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// confirmIdentity is the verb of a carrier whose identity was confirmed.
const confirmIdentity resource.Verb = "identity_confirmed"

// ErrNotOnRecord is the error of a phone or e-mail that is not on the regulator's record.
var ErrNotOnRecord = errs.New(errs.Invalid, "carriers.not_on_record", "The given data was invalid.").
	WithField("channel", "The channel must be a phone or an e-mail of the regulator's record.")

// mostConfirmations is how many identity confirmations are kept per carrier.
const mostConfirmations = 20

// Confirmations keep that carriers were reached by the regulator's record.
type Confirmations struct {
	carriers *resource.Resource[store.Carrier]
	registry *registry.Registry
	clock    clock.Clock
}

// NewConfirmations returns a Confirmations.
func NewConfirmations(carriers *resource.Resource[store.Carrier], r *registry.Registry, c clock.Clock) *Confirmations {
	return &Confirmations{carriers, r, c}
}

// recordOf returns the regulator's record of a carrier.
func (s *Confirmations) recordOf(ctx context.Context, id uuid.UUID) (regulatorapi.Identity, error) {
	row, err := s.carriers.Find(ctx, id)
	if err != nil {
		return regulatorapi.Identity{}, err
	}
	f, err := s.registry.Of(ctx, row.USDOT, row.Docket)

	return f.Identity, err
}

// recordOfNumber returns the regulator's record of a USDOT number.
func (s *Confirmations) recordOfNumber(ctx context.Context, usdot string) (regulatorapi.Identity, error) {
	f, err := s.registry.Of(ctx, &usdot, nil)

	return f.Identity, err
}

type confirmInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Channel string `json:"channel" maxLength:"320" doc:"The phone or e-mail of the regulator's record by which the carrier was reached." example:"+12025550143"`
		Note    string `json:"note,omitempty" maxLength:"500" example:"Spoke to Ann, who confirmed the offer."`
	}
}

// confirm stores that the carrier was reached by a channel of the regulator's record.
func (s *Confirmations) confirm(ctx context.Context, in *confirmInput) (row store.Carrier, err error) {
	return s.carriers.Change(ctx, in.UUID, in.IfMatch, confirmIdentity, func(ctx context.Context, c *store.Carrier) error {
		f, err := s.registry.Of(ctx, c.USDOT, c.Docket)
		if err != nil {
			return err
		}
		return keep(c, f.Identity, store.Confirmation{Channel: in.Body.Channel, By: principal.UserOf(ctx), At: s.clock.Now().UTC(), Note: in.Body.Note})
	})
}

// keep keeps a confirmation with a carrier, the latest mostConfirmations of all; it is no prospect any more. Error: ErrNotOnRecord.
func keep(c *store.Carrier, record regulatorapi.Identity, made store.Confirmation) error {
	made.Channel = normalChannel(made.Channel)
	if made.Channel == "" || !slices.Contains([]string{record.Phone, record.CellPhone, record.Email}, made.Channel) {
		return ErrNotOnRecord
	}
	all := append(slices.Clone(c.Identity.V), made)
	c.Identity.V, c.Prospect = all[max(0, len(all)-mostConfirmations):], false

	return nil
}

// normalChannel returns a phone in E.164 or an e-mail in lower case, as in the regulator's record, or "".
func normalChannel(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		return ""
	}
	var phone field.Phone
	var email field.Email
	if phone.UnmarshalJSON(raw) == nil {
		return string(phone)
	}
	if email.UnmarshalJSON(raw) == nil {
		return string(email)
	}

	return ""
}

// Channel returns the stored form of the phone or e-mail by which a carrier was reached. Errors: ErrNotOnRecord, carriers.carrier_not_found.
func (s *Confirmations) Channel(ctx context.Context, carrier uuid.UUID, via, channel string) (string, error) {
	if via != byPhone && via != byEmail {
		return channel, nil
	}
	c, err := s.carriers.Find(ctx, carrier)
	if err != nil {
		return "", err
	}
	f, err := s.registry.Of(ctx, c.USDOT, c.Docket)
	if err != nil {
		return "", err
	}

	return onRecord(via, channel, f.Identity, c.Own())
}

// The ways of which the regulator's record has a channel.
const (
	byPhone = "phone"
	byEmail = "email"
)

// onRecord returns the stored form of a phone or e-mail that is on the regulator's record or, if that has none, one of the carrier's own. Error:
// ErrNotOnRecord.
func onRecord(via, channel string, record regulatorapi.Identity, own verdict.Own) (string, error) {
	known, others := []string{record.Phone, record.CellPhone}, own.Phones
	if via == byEmail {
		known, others = []string{record.Email}, own.Emails
	}
	if !slices.ContainsFunc(known, func(text string) bool { return text != "" }) {
		known = others
	}
	channel = normalChannel(channel)
	if channel == "" || !slices.Contains(known, channel) {
		return "", ErrNotOnRecord
	}

	return channel, nil
}
