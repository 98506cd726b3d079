package papers

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// signAgreement is the verb of a carrier whose agreement was signed in its envelope.
const signAgreement resource.Verb = "agreement_signed"

// Agreements records agreements that carriers sign in envelopes (agreement_envelope_uuid).
type Agreements struct {
	carriers *resource.Resource[store.Carrier]
}

// NewAgreements returns an Agreements.
func NewAgreements(carriers *resource.Resource[store.Carrier]) *Agreements {
	return &Agreements{carriers}
}

// OnCompleted sets the day on which the agreement was signed. An earlier day is that of an agreement before it.
func (a *Agreements) OnCompleted(ctx context.Context, e esignapi.EnvelopeCompleted) error {
	today, err := a.carriers.Today(ctx)
	if err != nil {
		return err
	}

	return a.record(ctx, e.Envelope, func(c *store.Carrier) { c.Signed = max(c.Signed, today) })
}

// OnStored sets the signed document, which exists some time after the envelope was completed.
func (a *Agreements) OnStored(ctx context.Context, e esignapi.DocumentsStored) error {
	document, err := uuid.Parse(e.Attachments["combined"])
	if err != nil {
		return nil //nolint:nilerr // the vendor has no combined document
	}

	return a.record(ctx, e.Envelope, func(c *store.Carrier) { c.AgreementDoc = &document })
}

// record changes the carriers whose agreement is in an envelope.
func (a *Agreements) record(ctx context.Context, envelope string, change func(*store.Carrier)) error {
	id, err := uuid.Parse(envelope)
	if err != nil {
		return err
	}
	rows, err := a.carriers.Where(ctx, "agreement_envelope_id = ? AND merged_into_id IS NULL", id)
	if err != nil {
		return err
	}
	for _, row := range rows {
		_, err := a.carriers.Change(ctx, row.ID, web.IfMatch{}, signAgreement, func(_ context.Context, c *store.Carrier) error {
			if c.Envelope != nil && *c.Envelope == id {
				change(c)
			}

			return nil
		})
		if err != nil && errs.KindOf(err) != errs.NotFound {
			return err
		}
	}

	return nil
}
