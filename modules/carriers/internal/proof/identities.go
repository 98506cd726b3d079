package proof

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/onetimecode"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	identityCode onetimecode.Purpose = "carriers.identity"
	// byCall is a call to the phone of the regulator's record, in which a user reads out the code.
	byCall = "call"
)

var errNoRecord = errs.New(errs.Conflict, "carriers.no_record", "The regulator's record has no phone or e-mail for this channel. Choose another channel, or refresh the record.")

// CodeSender sends and checks codes that prove that a carrier is reached by the regulator's record.
type CodeSender struct {
	codes    *onetimecode.Service
	channels *notify.Service
}

// NewCodeSender returns a CodeSender.
func NewCodeSender(codes *onetimecode.Service, channels *notify.Service) *CodeSender {
	return &CodeSender{codes, channels}
}

// possible are the channels by which a code can be sent to a record, with the masked phone or address.
func (s *CodeSender) possible(ctx context.Context, record regulatorapi.Identity) ([]carriersapi.Channel, error) {
	there, err := s.channels.Channels(ctx)
	all := []carriersapi.Channel{}
	for _, name := range there {
		if to := recordFor(record, name); to != "" && (name == notify.SMS || name == notify.Email) {
			all = append(all, carriersapi.Channel{Name: name, To: maskAddress(to)})
		}
	}

	return all, err
}

// issue makes a code for a channel of a record and sends it, except for a call. It joins the caller's transaction.
func (s *CodeSender) issue(
	ctx context.Context, code onetimecode.Request, record regulatorapi.Identity, purpose notify.Purpose,
) (made onetimecode.Code, text secret.Text, err error) {
	code.To = recordFor(record, code.Channel)
	if code.To == "" {
		return made, text, errNoRecord
	}
	if made, text, err = s.codes.Issue(ctx, code); err != nil || code.Channel == byCall {
		return made, text, err
	}

	return made, text, s.channels.Send(ctx, notify.Message{
		Channel: code.Channel, To: code.To, Subject: "Your identity code", Urgent: true, Purpose: purpose, About: code.Subject, Secrets: []secret.Text{text},
		Text: secret.Hide("Your code is " + text.Reveal() + ". It confirms your identity as a carrier. Never give it to someone who calls you."),
	})
}

// current is the code that was issued last. Error: one of onetimecode.IsNone.
func (s *CodeSender) current(ctx context.Context, p onetimecode.Purpose, subject item.Ref) (onetimecode.Code, error) {
	return s.codes.Current(ctx, p, subject)
}

// redeem checks a code, and does in its transaction what it proves. Errors: onetimecode.wrong, onetimecode.none.
func (s *CodeSender) redeem(
	ctx context.Context, p onetimecode.Purpose, subject item.Ref, typed string, proved func(context.Context, onetimecode.Code) error,
) error {
	return s.codes.Redeem(ctx, p, subject, typed, proved)
}

// Identities proves who the carriers of the company are.
type Identities struct {
	carriers      *resource.Resource[store.Carrier]
	roster        *store.Roster
	confirmations *Confirmations
	sender        *CodeSender
}

// NewIdentities returns an Identities.
func NewIdentities(carriers *resource.Resource[store.Carrier], r *store.Roster, c *Confirmations, sender *CodeSender) *Identities {
	return &Identities{carriers, r, c, sender}
}

// Routes registers the operations that prove who carriers are.
func Routes(r *web.Router, i *Identities) {
	missing := i.carriers.NotFound()
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/{uuid}/confirm_identity", ID: "confirm_identity", Access: web.Write,
		Summary:     "Keep that a carrier was reached by the regulator's record",
		Description: "Thieves use the numbers of real carriers with phones and e-mails of their own. Call the phone, or write to the e-mail, of the regulator's record, and keep here that the carrier answered.",
		Errors:      []*errs.Error{missing, ErrNotOnRecord},
	}, func(ctx context.Context, in *confirmInput) (*web.Resource[store.Carrier], error) {
		row, err := i.confirmations.confirm(ctx, in)

		return i.carriers.Answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/{uuid}/identity_code", ID: "send_identity_code", Access: web.Write, Secret: true,
		Summary: "Send a carrier an identity code",
		Description: "Six digits go to the phone or e-mail of the regulator's record, and to no other. With the channel `call`, the answer has the code: call the " +
			"phone that the answer names, and have the carrier type it. A code is valid for ten minutes and five attempts; a newer one replaces it.",
		Errors: []*errs.Error{missing, errNoRecord, notify.ErrNoChannel, notify.ErrRefused, onetimecode.ErrTooMany},
	}, i.postCode)
	// It is a PUT: an Idempotency-Key would undo the count of a failed attempt.
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

func (i *Identities) postCode(ctx context.Context, in *postCodeInput) (*postCodeOutput, error) {
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

func (i *Identities) putCode(ctx context.Context, in *putCodeInput) (*web.Resource[store.Carrier], error) {
	if _, err := i.carriers.Find(ctx, in.UUID); err != nil {
		return nil, err
	}
	if err := i.Redeem(ctx, in.UUID, in.Body.Code); err != nil {
		return nil, err
	}
	row, err := i.carriers.Find(ctx, in.UUID)

	return i.carriers.Answer(ctx, row, err)
}

func aboutCarrier(id uuid.UUID) item.Ref { return item.Ref{Type: carriersapi.Item, UUID: id} }

// issue creates a code and sends it, except for a call.
func (i *Identities) issue(ctx context.Context, id uuid.UUID, channel string) (code onetimecode.Code, text secret.Text, err error) {
	err = i.roster.InTx(ctx, func(ctx context.Context) error {
		if err := i.roster.Hold(ctx, id); err != nil {
			return err
		}
		record, err := i.confirmations.recordOf(ctx, id)
		if err != nil {
			return err
		}
		code, text, err = i.sender.issue(ctx, onetimecode.Request{Purpose: identityCode, Subject: aboutCarrier(id), Channel: channel}, record, notify.Requested)

		return err
	})

	return code, text, err
}

// recordFor returns the phone or e-mail of the record for a channel, or "".
func recordFor(record regulatorapi.Identity, channel string) string {
	switch {
	case channel == notify.Email:
		return record.Email
	case channel == notify.SMS && record.CellPhone != "":
		return record.CellPhone
	default:
		return record.Phone
	}
}

// Channels returns the channels by which a code can be sent to a carrier. Error: carriers.carrier_not_found.
func (i *Identities) Channels(ctx context.Context, id uuid.UUID) ([]carriersapi.Channel, error) {
	record, err := i.confirmations.recordOf(ctx, id)
	if err != nil {
		return nil, err
	}

	return i.sender.possible(ctx, record)
}

// Issue sends a code. Errors: carriers.no_record, notify.no_channel, onetimecode.too_many.
func (i *Identities) Issue(ctx context.Context, id uuid.UUID, channel string) error {
	_, _, err := i.issue(ctx, id, channel)

	return err
}

// Pending returns where the current code was sent, nil if there is no valid code.
func (i *Identities) Pending(ctx context.Context, id uuid.UUID) (*carriersapi.Channel, error) {
	code, err := i.sender.current(ctx, identityCode, aboutCarrier(id))
	if onetimecode.IsNone(err) {
		return nil, nil //nolint:nilnil // no code is not an error
	}

	return &carriersapi.Channel{Name: code.Channel, To: maskAddress(code.To)}, err
}

// Redeem stores a confirmation of the carrier's identity, if the code is right. It must not be called in a transaction: it counts failed attempts.
// Errors: onetimecode.wrong, onetimecode.none.
func (i *Identities) Redeem(ctx context.Context, id uuid.UUID, typed string) error {
	return i.sender.redeem(ctx, identityCode, aboutCarrier(id), typed, func(ctx context.Context, c onetimecode.Code) error {
		_, err := i.confirmations.confirm(ctx, redeemed(id, c))

		return err
	})
}

// redeemed is the confirmation that a right code is.
func redeemed(carrier uuid.UUID, code onetimecode.Code) *confirmInput {
	in := &confirmInput{UUID: carrier}
	in.Body.Channel, in.Body.Note = code.To, "Entered the identity code sent by "+code.Channel+"."

	return in
}

// confirmed reports whether a carrier was ever reached by the regulator's record.
func (i *Identities) confirmed(ctx context.Context, id uuid.UUID) (bool, error) {
	row, err := i.carriers.Find(ctx, id)

	return len(row.Identity.V) > 0, err
}

// maskAddress masks a phone or an e-mail so that its owner recognizes it.
func maskAddress(to string) string {
	if name, domain, isMail := strings.Cut(to, "@"); isMail {
		return name[:min(1, len(name))] + "***@" + domain
	}
	if len(to) < 6 { //nolint:mnd // too short to show a part of
		return "***"
	}

	return to[:5] + " *** **" + to[len(to)-2:]
}
