package carriers

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// signAgreement is the verb of a carrier whose agreement was signed in its envelope.
const signAgreement resource.Verb = "agreement_signed"

// agreements records agreements that carriers sign in envelopes (agreement_envelope_uuid).
type agreements struct {
	carriers *resource.Resource[carrier]
}

func newAgreements(carriers *resource.Resource[carrier]) *agreements { return &agreements{carriers} }

// onCompleted sets the day on which the agreement was signed. An earlier day is that of an agreement before it.
func (a *agreements) onCompleted(ctx context.Context, e esignapi.EnvelopeCompleted) error {
	today, err := a.carriers.Today(ctx)
	if err != nil {
		return err
	}

	return a.record(ctx, e.Envelope, func(c *carrier) { c.Signed = max(c.Signed, today) })
}

// onStored sets the signed document, which exists some time after the envelope was completed.
func (a *agreements) onStored(ctx context.Context, e esignapi.DocumentsStored) error {
	document, err := uuid.Parse(e.Attachments["combined"])
	if err != nil {
		return nil //nolint:nilerr // the vendor has no combined document
	}

	return a.record(ctx, e.Envelope, func(c *carrier) { c.AgreementDoc = &document })
}

// record changes the carriers whose agreement is in an envelope.
func (a *agreements) record(ctx context.Context, envelope string, change func(*carrier)) error {
	id, err := uuid.Parse(envelope)
	if err != nil {
		return err
	}
	rows, err := a.carriers.Where(ctx, "agreement_envelope_id = ? AND merged_into_id IS NULL", id)
	if err != nil {
		return err
	}
	for _, row := range rows {
		_, err := a.carriers.Change(ctx, row.ID, web.IfMatch{}, signAgreement, func(_ context.Context, c *carrier) error {
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
