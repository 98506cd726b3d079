package carriers

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/regulator"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/onetimecode"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	identityCode onetimecode.Purpose = "carriers.identity"
	// byCall has a person read out the code, on a call to the phone of the regulator's record.
	byCall = "call"
)

var errNoRecord = errs.New(errs.Conflict, "carriers.no_record", "The regulator's record has no phone or e-mail for this channel. Choose another channel, or refresh the record.")

// identities prove that a carrier is reached by the regulator's record.
type identities struct {
	judge    *judge
	codes    *onetimecode.Service
	channels *notify.Service
}

func newIdentities(j *judge, codes *onetimecode.Service, channels *notify.Service) *identities {
	return &identities{j, codes, channels}
}

func identityRoutes(r *web.Router, i *identities) {
	missing := i.judge.carriers.NotFound()
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/{uuid}/identity_code", ID: "send_identity_code", Access: web.Write, Secret: true,
		Summary: "Send a carrier an identity code",
		Description: "Six digits go to the phone or e-mail of the regulator's record, and to no other. With the channel `call`, the answer has the code: call the " +
			"phone that the answer names, and have the carrier type it. A code is good for ten minutes and five tries; a newer one replaces it.",
		Errors: []*errs.Error{missing, errNoRecord, notify.ErrNoChannel, onetimecode.ErrTooMany},
	}, i.postCode)
	// It is no POST, so that no Idempotency-Key takes a wrong try back.
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/carriers/{uuid}/identity_code", ID: "verify_identity_code", Access: web.Write,
		Summary:     "Confirm the identity of a carrier by its code",
		Description: "A right code is kept as a confirmation of the carrier's identity.",
		Errors:      append([]*errs.Error{missing}, onetimecode.RedeemErrors...),
	}, i.putCode)
}

type postCodeInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Channel string `json:"channel" enum:"sms,email,call"`
	}
}

type postCodeOutput struct{ Body codeBody }

type codeBody struct {
	Channel   string    `json:"channel" enum:"sms,email,call"`
	To        string    `json:"to" doc:"The phone or e-mail of the regulator's record."`
	Code      string    `json:"code,omitempty" doc:"With the channel call, in this answer alone."`
	ExpiresAt time.Time `json:"expires_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (codeBody) SchemaName() string { return "IdentityCode" }

func (i *identities) postCode(ctx context.Context, in *postCodeInput) (*postCodeOutput, error) {
	code, text, err := i.issue(ctx, in.UUID, in.Body.Channel)
	if err != nil {
		return nil, err
	}
	out := &postCodeOutput{codeBody{Channel: code.Channel, To: code.To, ExpiresAt: code.ExpiresAt}}
	if code.Channel == byCall {
		out.Body.Code = text.Reveal()
	}

	return out, nil
}

type putCodeInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Code string `json:"code" minLength:"1" maxLength:"20" example:"493817"`
	}
}

func (i *identities) putCode(ctx context.Context, in *putCodeInput) (*web.Resource[carrier], error) {
	if _, err := i.judge.carriers.Find(ctx, in.UUID); err != nil {
		return nil, err
	}
	if err := i.redeem(ctx, in.UUID, in.Body.Code); err != nil {
		return nil, err
	}
	row, err := i.judge.carriers.Find(ctx, in.UUID)

	return i.judge.carriers.Answer(ctx, row, err)
}

func aboutCarrier(id uuid.UUID) item.Ref { return item.Ref{Type: carriersapi.Item, UUID: id} }

// issue makes a code of a carrier, and sends it, unless it is read out.
func (i *identities) issue(ctx context.Context, id uuid.UUID, channel string) (code onetimecode.Code, text secret.Text, err error) {
	err = i.judge.db.InTx(ctx, func(ctx context.Context) error {
		if err := i.judge.carriers.Hold(ctx, id); err != nil {
			return err
		}
		row, err := i.judge.carriers.Find(ctx, id)
		if err != nil {
			return err
		}
		f, err := i.judge.facts(ctx, &row)
		if err != nil {
			return err
		}
		to := recordFor(f.Identity, channel)
		if to == "" {
			return errNoRecord
		}
		if code, text, err = i.codes.Issue(ctx, onetimecode.Request{Purpose: identityCode, Subject: aboutCarrier(id), Channel: channel, To: to}); err != nil {
			return err
		}
		if channel == byCall {
			return nil
		}

		return i.channels.Send(ctx, notify.Message{
			Channel: channel, To: to, Subject: "Your identity code", Urgent: true, About: aboutCarrier(id), Secrets: []secret.Text{text},
			Text: secret.Hide("Your code is " + text.Reveal() + ". It confirms that this carrier is yours. Give it to nobody who calls you."),
		})
	})

	return code, text, err
}

// recordFor is the phone or e-mail of the record for a channel, "" for none.
func recordFor(record regulator.Identity, channel string) string {
	switch {
	case channel == notify.Email:
		return record.Email
	case channel == notify.SMS && record.CellPhone != "":
		return record.CellPhone
	default:
		return record.Phone
	}
}

// redeem keeps a right code as a confirmation of the carrier's identity. It is not called in a transaction.
func (i *identities) redeem(ctx context.Context, id uuid.UUID, typed string) error {
	return i.codes.Redeem(ctx, identityCode, aboutCarrier(id), typed, func(ctx context.Context, c onetimecode.Code) error {
		in := &confirmInput{UUID: id}
		in.Body.Channel, in.Body.Note = c.To, "Typed the identity code that went out by "+c.Channel+"."
		_, err := i.judge.confirm(ctx, in)

		return err
	})
}
