package giving

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/documents/documentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/reading"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Signer has documents signed by the esign area, where the company uses it.
type Signer struct {
	reader *reading.Reader
	rows   *resource.Resource[store.Document]
	ports  *port.Registry
	clock  clock.Clock
	db     *database.DB
}

// NewSigner returns a Signer.
func NewSigner(r *reading.Reader, rows *resource.Resource[store.Document], p *port.Registry, c clock.Clock, db *database.DB) *Signer {
	return &Signer{r, rows, p, c, db}
}

// Recipient is who is to sign.
type Recipient struct {
	Name  string `json:"name" minLength:"1" maxLength:"100"`
	Email string `json:"email" format:"email" maxLength:"100"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Recipient) SchemaName() string { return "DocumentSigner" }

type signInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Recipients []Recipient `json:"recipients" minItems:"1" maxItems:"10" nullable:"false" doc:"Who is to sign, one after the other."`
		Account    *uuid.UUID  `json:"account_uuid,omitempty" doc:"An account of the esign area; by default that of the company."`
		Subject    string      `json:"subject,omitempty" maxLength:"100" doc:"Of the message that the signers get; by default the title of the document."`
		Message    string      `json:"message,omitempty" maxLength:"1000"`
	}
}

// SignRoutes registers the operation.
func SignRoutes(r *web.Router, s *Signer) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/documents/{uuid}/sign", ID: "sign_document", Access: web.Scope("send"), Summary: "Have a document signed",
		Description: "The PDF is sent in an envelope of the esign area. Once all have signed, `delivery` is `signed`; the signed PDF is with the envelope.",
		Errors:      []*errs.Error{s.reader.NotFound(), store.ErrNotReady, store.ErrVoid, store.ErrSigned, store.ErrNoSignature, store.ErrInvalid},
	}, s.sign)
}

// envelopes are those of the esign area. Error: store.ErrNoSignature.
func (s *Signer) envelopes(ctx context.Context) (esignapi.Envelopes, error) {
	all, err := port.All[esignapi.Envelopes](ctx, s.ports)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, store.ErrNoSignature
	}

	return all[0].Value, nil
}

func (s *Signer) sign(ctx context.Context, in *signInput) (*web.Resource[store.Document], error) {
	d, err := s.reader.ToGive(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	envelopes, err := s.envelopes(ctx)
	if err != nil {
		return nil, err
	}
	wanted := esignapi.Envelope{
		Subject: in.Body.Subject, Message: in.Body.Message, ItemType: documentsapi.Document, ItemUUID: d.ID.String(), Source: documentsapi.Area,
	}
	if wanted.Subject == "" {
		wanted.Subject = d.Title
	}
	if in.Body.Account != nil {
		wanted.Account = in.Body.Account.String()
	}
	for i, one := range in.Body.Recipients {
		wanted.Recipients = append(wanted.Recipients, esignapi.Recipient{Name: one.Name, Email: one.Email, RoutingOrder: i + 1})
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		d, err = s.rows.Change(ctx, d.ID, web.IfMatch{}, store.VerbSign, func(ctx context.Context, d *store.Document) error {
			if err := d.Usable(); err != nil {
				return err
			}
			if d.Delivery == store.Signed {
				return store.ErrSigned.WithMessage("The document is signed already.")
			}
			wanted.Attachments = []string{d.Attachment.String()}
			envelope, err := envelopes.Send(ctx, wanted)
			if err != nil {
				return err
			}
			id, now := item.ID(envelope), s.clock.Now()
			if d.Envelope, d.SentAt = &id, &now; d.Delivery == store.NotSent {
				d.Delivery = store.Sent
			}

			return nil
		})

		return err
	})

	return s.rows.Answer(ctx, d, err)
}

// void ends the envelope of a document. One that has ended already, or whose area the company no longer uses, is no error.
func (s *Signer) void(ctx context.Context, d store.Document, reason string) error {
	if d.Envelope == nil {
		return nil
	}
	envelopes, err := s.envelopes(ctx)
	if err == nil {
		err = envelopes.Void(ctx, d.Envelope.String(), reason)
	}
	if errs.IsRefusal(err) {
		return nil
	}

	return err
}

// OnCompleted marks the document of an envelope that all have signed.
func (s *Signer) OnCompleted(ctx context.Context, e esignapi.EnvelopeCompleted) error {
	if e.ItemType != documentsapi.Document {
		return nil
	}
	now := s.clock.Now()

	return s.db.InTx(ctx, func(ctx context.Context) error {
		_, err := s.rows.ChangeSome(ctx, []uuid.UUID{item.ID(e.Item)}, store.VerbSigned, func(_ context.Context, d *store.Document) error {
			if d.Envelope != nil && d.Envelope.String() == e.Envelope && d.State == store.Ready {
				d.Delivery, d.SignedAt = store.Signed, &now
			}

			return nil
		})

		return err
	})
}
