package contacts

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// screen knows which contacts must not be written to.
type screen struct {
	contacts *resource.Resource[contact]
	rows     *repository
}

func newScreen(contacts *resource.Resource[contact], rows *repository) screen {
	return screen{contacts, rows}
}

// refuses returns why an address must not be written to: one of the contacts that have it is not to be contacted so.
func (s screen) refuses(ctx context.Context, a notify.Address) (string, error) {
	var of keys
	switch a.Channel {
	case notify.SMS:
		of.phone(a.To)
	case notify.Email:
		of.email(a.To)
	}
	found, err := s.rows.holders(ctx, slices.DeleteFunc(of.found, func(k key) bool { return k.Kind == byMailbox }))
	var ids []uuid.UUID
	for _, one := range found {
		if one.MergedInto == nil { // else the other contact has the address
			ids = append(ids, one.ContactID)
		}
	}
	if err != nil || len(ids) == 0 {
		return "", err
	}
	rows, err := s.contacts.FindSome(ctx, ids)
	for _, row := range rows {
		if why := row.refuses(a); why != "" {
			return why, nil
		}
	}

	return "", err
}

// refuses returns why a contact must not be written to at an address.
func (c contact) refuses(a notify.Address) string {
	if a.Purpose == notify.Requested {
		return ""
	}
	switch {
	case c.Status == doNotContact:
		return "The contact's status is do_not_contact."
	case c.Status == "inactive":
		return "The contact is inactive."
	case c.BlockedAt != nil && a.Purpose == notify.Sales:
		return "The contact is blocked. It gets messages about current business only."
	case slices.ContainsFunc(c.Consents.V, func(said consent) bool {
		return said.Channel == a.Channel && said.Purpose == string(contactsapi.Service) && said.State == "refused"
	}):
		return "The contact has refused messages by this channel."
	case a.Channel == notify.SMS && slices.ContainsFunc(c.Phones.V, func(p phone) bool {
		return string(p.E164) == a.To && (p.Kind == "landline" || p.SMS != nil && !*p.SMS)
	}):
		return "The contact's number does not take text messages."
	case a.Channel == notify.Email && slices.ContainsFunc(c.Emails.V, func(e email) bool {
		return e.Bounced != nil && foldEmail(e.Address) == foldEmail(a.To)
	}):
		return "Messages to this e-mail address bounce."
	}

	return ""
}

// foldEmail is an address as addresses are compared.
func foldEmail(address string) string {
	var k keys
	if k.email(address); len(k.found) == 0 {
		return address
	}

	return k.found[0].Value
}
