package carriers

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// mostConfirmations is how many identity confirmations are kept per carrier.
const mostConfirmations = 20

// confirmations keep that carriers were reached by the regulator's record.
type confirmations struct {
	carriers *resource.Resource[carrier]
	registry *registry.Registry
	clock    clock.Clock
}

func newConfirmations(carriers *resource.Resource[carrier], r *registry.Registry, c clock.Clock) *confirmations {
	return &confirmations{carriers, r, c}
}

// recordOf returns the regulator's record of a carrier.
func (s *confirmations) recordOf(ctx context.Context, id uuid.UUID) (regulatorapi.Identity, error) {
	row, err := s.carriers.Find(ctx, id)
	if err != nil {
		return regulatorapi.Identity{}, err
	}
	f, err := s.registry.Of(ctx, row.USDOT, row.Docket)

	return f.Identity, err
}

// recordOfNumber returns the regulator's record of a USDOT number.
func (s *confirmations) recordOfNumber(ctx context.Context, usdot string) (regulatorapi.Identity, error) {
	f, err := s.registry.Of(ctx, &usdot, nil)

	return f.Identity, err
}

// confirm stores that the carrier was reached by a channel of the regulator's record.
func (s *confirmations) confirm(ctx context.Context, in *confirmInput) (row carrier, err error) {
	return s.carriers.Change(ctx, in.UUID, in.IfMatch, confirmIdentity, func(ctx context.Context, c *carrier) error {
		f, err := s.registry.Of(ctx, c.USDOT, c.Docket)
		if err != nil {
			return err
		}
		record := []string{f.Identity.Phone, f.Identity.CellPhone, f.Identity.Email}
		channel := normalChannel(in.Body.Channel)
		if channel == "" || !slices.Contains(record, channel) {
			return errNotOnRecord
		}
		all := append(slices.Clone(c.Identity.V), confirmation{Channel: channel, By: principal.UserOf(ctx), At: s.clock.Now().UTC(), Note: in.Body.Note})
		c.Identity.V, c.Prospect = all[max(0, len(all)-mostConfirmations):], false

		return nil
	})
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

// checkChannel normalizes the channel of a verification, and rejects one that is not on the regulator's record.
func (s *confirmations) checkChannel(ctx context.Context, id uuid.UUID, v *verification) error {
	if v.Via != "phone" && v.Via != "email" {
		return nil
	}
	c, err := s.carriers.Find(ctx, id)
	if err != nil {
		return err
	}
	f, err := s.registry.Of(ctx, c.USDOT, c.Docket)
	if err != nil {
		return err
	}
	own := c.own()
	known, others := []string{f.Identity.Phone, f.Identity.CellPhone}, own.Phones
	if v.Via == "email" {
		known, others = []string{f.Identity.Email}, own.Emails
	}
	if !slices.ContainsFunc(known, func(text string) bool { return text != "" }) {
		known = others
	}
	v.Channel = normalChannel(v.Channel)
	if v.Channel == "" || !slices.Contains(known, v.Channel) {
		return errNotOnRecord
	}

	return nil
}
