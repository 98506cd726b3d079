package sandbox

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
)

const (
	// Viewing is for the address that an embedded recipient is sent to: once, and soon.
	Viewing link.Purpose = "esign.sandbox_view"
	// Signing is for the page on which somebody signs.
	Signing link.Purpose = "esign.sandbox_signing"

	// ViewingLife is how long the first is good.
	ViewingLife = 5 * time.Minute
	// SigningLife is how long the page is good.
	SigningLife = 24 * time.Hour
)

// seat is what a link says of who has it.
type seat struct {
	Recipient string `json:"recipient"`
	// Corrections is how often the recipient had been corrected: after the next time the link is void.
	Corrections int `json:"corrections,omitempty"`
	// ReturnURL is where an embedded recipient goes back to, "" for who has come by e-mail.
	ReturnURL string `json:"return_url,omitempty"`
}

func linkSubject(envelope uuid.UUID) link.Subject {
	return link.Subject{Type: "esign.sandbox_envelope", ID: envelope}
}

// viewLink is the address that an embedded recipient is sent to.
func (s *Sandbox) viewLink(ctx context.Context, envelope uuid.UUID, at seat) (string, error) {
	_, text, err := s.links.Create(ctx, link.NewLink{Purpose: Viewing, Subject: linkSubject(envelope), Payload: at})

	return s.address + "views/" + text, err
}

// signLink is a link to the page on which a recipient signs, and its text.
func (s *Sandbox) signLink(ctx context.Context, envelope uuid.UUID, at seat) (link.Link, string, error) {
	made, text, err := s.links.Create(ctx, link.NewLink{Purpose: Signing, Subject: linkSubject(envelope), Payload: at})

	return made, s.address + "signing/" + text, err
}

// seated is somebody with a link.
type seated struct {
	seat

	envelope uuid.UUID
}

// enter returns who has a link of a signing page, and a context in which the sandbox works for the company.
func (s *Sandbox) enter(ctx context.Context, text string) (context.Context, seated, error) {
	ctx, found, err := s.links.Enter(ctx, Signing, text)
	if err != nil {
		return ctx, seated{}, err
	}

	return s.at(ctx, found)
}

func (s *Sandbox) at(ctx context.Context, found link.Link) (context.Context, seated, error) {
	at, err := link.PayloadOf[seat](found)

	return ctx, seated{seat: at, envelope: found.Subject.ID}, err
}

// errGone is what a stranger is told of a link to something that is no longer there.
var errGone = errs.New(errs.NotFound, "link.unknown", "There is no such link, or it can no longer be used.")

// returnURL is where an embedded recipient is sent, with what became of it.
func (at seat) returnURL(event string) string {
	return vendorsandbox.ReturnTo(at.ReturnURL, "event", event)
}

// mayOpen refuses to open the e-mail of a recipient who has got none; nil is nobody.
func mayOpen(row *envelope, r *recipient) error {
	switch {
	case r == nil:
		return errNobody
	case !row.open():
		return errClosed
	case r.ClientID != "" || !r.mustAct():
		return errNoMail
	case r.Status == created:
		return errNotYet
	}

	return nil
}

// The failures of the sandbox's own operations.
var (
	errNobody = errs.New(errs.NotFound, "esign.sandbox_recipient_not_found", "The sandbox has no such envelope, or no such recipient of it.")
	errClosed = errs.New(errs.Conflict, "esign.sandbox_closed", "The envelope is completed, declined, voided or expired, or is not sent yet.")
	errNotYet = errs.New(errs.Conflict, "esign.sandbox_not_in_sequence", "It is somebody else's turn first.")
	errNoMail = errs.New(errs.Conflict, "esign.sandbox_no_mail", "The recipient gets no e-mail to sign by: it is a copy, or he signs embedded. Make a signing link of the envelope.")
	errSigned = errs.New(errs.Conflict, "esign.sandbox_done", "This was signed or declined already.")
	errForm   = errs.New(errs.Invalid, "esign.invalid", "The given data was invalid.")
)

// apiError is an error of the port, as an error of the API.
func apiError(err error) error {
	if unlessGone(err) == nil && err != nil {
		return errNobody
	}

	return err
}
