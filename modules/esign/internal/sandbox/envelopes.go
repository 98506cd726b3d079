package sandbox

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
)

// envelopeOf names an envelope; uuid.Nil is any account of the company.
type envelopeOf struct{ account, id uuid.UUID }

// findEnvelope returns the envelope of an id that the caller has, or the vendor's word for none.
func (a account) findEnvelope(id string) (envelopeOf, error) {
	if err := a.enter(); err != nil {
		return envelopeOf{}, err
	}
	parsed, err := uuid.Parse(id)
	if err != nil {
		return envelopeOf{}, refusal(provider.NotFound, "ENVELOPE_DOES_NOT_EXIST")
	}

	return envelopeOf{account: a.id, id: parsed}, nil
}

// read returns an envelope.
func (a account) read(ctx context.Context, id string) (envelope, error) {
	e, err := a.findEnvelope(id)
	if err != nil {
		return envelope{}, err
	}

	return a.store.envelope(ctx, e.account, e.id, false)
}

// change lets something happen to an envelope.
func (a account) change(ctx context.Context, id string, do func(*play) error) error {
	e, err := a.findEnvelope(id)
	if err != nil {
		return err
	}

	return a.withEnvelope(ctx, e, do)
}

// Fetch implements provider.Envelopes.
func (a account) Fetch(ctx context.Context, id string) (provider.Update, error) {
	row, err := a.read(ctx, id)
	if err != nil {
		return provider.Update{}, err
	}

	return updateOf(&row)
}

// Find implements provider.Envelopes. What is not found was not made.
func (a account) Find(ctx context.Context, reference string, since, _ time.Time) (found []provider.Update, complete bool, err error) {
	if err := a.enter(); err != nil {
		return nil, false, err
	}
	rows, err := a.store.referenced(ctx, a.id, reference, since)
	if err != nil {
		return nil, false, err
	}
	found, err = updatesOf(rows)

	return found, err == nil, err
}

func updatesOf(rows []envelope) ([]provider.Update, error) {
	all := make([]provider.Update, 0, len(rows))
	for i := range rows {
		u, err := updateOf(&rows[i])
		if err != nil {
			return nil, err
		}
		all = append(all, u)
	}

	return all, nil
}

// changesPage is how many envelopes are told of at a time.
const changesPage = 100

// Changes implements provider.Envelopes.
func (a account) Changes(ctx context.Context, since time.Time, from string) (page []provider.Update, next string, err error) {
	if err := a.enter(); err != nil {
		return nil, "", err
	}
	skip := 0
	if from != "" {
		if skip, err = strconv.Atoi(from); err != nil || skip < 0 {
			return nil, "", refusal(provider.Invalid, "INVALID_REQUEST_PARAMETER")
		}
	}
	rows, err := a.store.changed(ctx, a.id, since, skip, changesPage)
	if err != nil {
		return nil, "", err
	}
	if len(rows) == changesPage {
		next = strconv.Itoa(skip + changesPage)
	}
	page, err = updatesOf(rows)

	return page, next, err
}

// Send implements provider.Envelopes.
func (a account) Send(ctx context.Context, id string) error {
	return a.change(ctx, id, func(p *play) error {
		if p.envelope.Status != created {
			return refusal(provider.Conflict, "ENVELOPE_INVALID_STATUS")
		}
		if len(p.envelope.Recipients) == 0 {
			return refusal(provider.Invalid, "ENVELOPE_IS_INCOMPLETE")
		}

		return p.send()
	})
}

// Resend implements provider.Envelopes.
func (a account) Resend(ctx context.Context, id string) error {
	return a.change(ctx, id, func(p *play) error {
		if !p.envelope.open() {
			return refusal(provider.Conflict, "ENVELOPE_INVALID_STATUS")
		}

		return p.resend()
	})
}

// Void implements provider.Envelopes.
func (a account) Void(ctx context.Context, id, reason string) error {
	return a.change(ctx, id, func(p *play) error {
		switch {
		case strings.TrimSpace(reason) == "":
			return refusal(provider.Invalid, "INVALID_REQUEST_PARAMETER")
		case !p.envelope.open():
			return refusal(provider.Conflict, "ENVELOPE_CANNOT_VOID_INVALID_STATE")
		}

		return p.void(reason)
	})
}

// Correct implements provider.Envelopes.
func (a account) Correct(ctx context.Context, id string, changed []provider.Recipient) error {
	return a.change(ctx, id, func(p *play) error {
		if p.envelope.Status != created && !p.envelope.open() {
			return refusal(provider.Conflict, "ENVELOPE_INVALID_STATUS")
		}
		anew := make([]recipient, 0, len(changed))
		for _, c := range changed {
			r, err := newRecipient(c, len(p.envelope.Recipients))
			if err != nil {
				return err
			}
			old := p.envelope.recipient(r.ID)
			if old != nil && old.isDone() {
				return refusal(provider.Conflict, "RECIPIENT_HAS_SIGNED")
			}
			if old != nil {
				r.inherit(old, c)
			}
			anew = append(anew, r)
		}

		return p.correct(anew)
	})
}

// inherit takes over what of a recipient is not said anew.
func (r *recipient) inherit(old *recipient, said provider.Recipient) {
	if said.Kind == "" {
		r.Kind = old.Kind
	}
	if said.Role == "" {
		r.Role = old.Role
	}
	if said.RoutingOrder == 0 {
		r.RoutingOrder = old.RoutingOrder
	}
}

// SigningURL implements provider.Envelopes.
func (a account) SigningURL(ctx context.Context, id string, r provider.Recipient, returnURL string) (string, error) {
	row, err := a.read(ctx, id)
	if err != nil {
		return "", err
	}
	if !vendorsandbox.CanReturnTo(returnURL) {
		return "", refusal(provider.Invalid, "INVALID_REQUEST_PARAMETER")
	}
	known := row.recipient(r.ExternalID)
	switch {
	case known == nil, r.ClientID == "", known.ClientID != r.ClientID, known.Name != r.Name, !strings.EqualFold(known.Email, r.Email):
		return "", refusal(provider.Conflict, "UNKNOWN_ENVELOPE_RECIPIENT")
	case !row.open():
		return "", refusal(provider.Conflict, "ENVELOPE_INVALID_STATUS")
	case known.Status == created:
		return "", refusal(provider.Conflict, "RECIPIENT_NOT_IN_SEQUENCE")
	}

	return a.viewLink(ctx, row.ID, seat{Recipient: known.ID, Corrections: known.Corrections, ReturnURL: returnURL})
}

// SignedTabs implements provider.Envelopes. Like DocuSign's form data, it has no signatures and no dates of them.
func (a account) SignedTabs(ctx context.Context, id string) (map[string][]provider.SignedTab, error) {
	row, err := a.read(ctx, id)
	if err != nil {
		return nil, err
	}
	all := map[string][]provider.SignedTab{}
	for _, r := range row.Recipients {
		for _, t := range r.Tabs {
			if t.Fillable {
				all[r.ID] = append(all[r.ID], provider.SignedTab{Label: t.Label, Value: t.Value, Prefilled: r.Prefilled[t.Label]})
			}
		}
	}

	return all, nil
}

// Document implements provider.Envelopes.
func (a account) Document(ctx context.Context, id string, which provider.Document) (io.ReadCloser, error) {
	row, err := a.read(ctx, id)
	if err != nil {
		return nil, err
	}
	switch {
	case which != provider.Combined && which != provider.Certificate:
		return nil, refusal(provider.NotFound, "DOCUMENT_DOES_NOT_EXIST")
	case row.Status == created:
		return nil, refusal(provider.Conflict, "ENVELOPE_INVALID_STATUS")
	}

	return document(&row, which), nil
}

// ExpireJob is the job that ends an envelope that was not signed in time.
type ExpireJob struct {
	Envelope uuid.UUID `json:"envelope"`
}

// Kind implements jobs.Args.
func (ExpireJob) Kind() string { return "esign.sandbox_expire" }

// Expire voids an envelope whose time is over.
func (s *Sandbox) Expire(ctx context.Context, args ExpireJob) error {
	err := s.withEnvelope(ctx, envelopeOf{id: args.Envelope}, func(p *play) error {
		if !p.envelope.open() || p.envelope.ExpiresAt == nil || p.now.Before(*p.envelope.ExpiresAt) {
			return nil
		}

		return p.void(expiredReason)
	})

	return unlessGone(err)
}

// unlessGone is nil for an envelope that is no longer there.
func unlessGone(err error) error {
	if failure, ok := errors.AsType[*provider.Error](err); ok && failure.Reason == provider.NotFound {
		return nil
	}

	return err
}
