package carriers

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
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

// codeSender sends and checks codes that prove that a carrier is reached by the regulator's record.
type codeSender struct {
	codes    *onetimecode.Service
	channels *notify.Service
}

func newCodeSender(codes *onetimecode.Service, channels *notify.Service) *codeSender {
	return &codeSender{codes, channels}
}

// possible are the channels by which a code can be sent to a record, with the masked phone or address.
func (s *codeSender) possible(ctx context.Context, record regulatorapi.Identity) ([]carriersapi.Channel, error) {
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
func (s *codeSender) issue(
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
func (s *codeSender) current(ctx context.Context, p onetimecode.Purpose, subject item.Ref) (onetimecode.Code, error) {
	return s.codes.Current(ctx, p, subject)
}

// redeem checks a code, and does in its transaction what it proves. Errors: onetimecode.wrong, onetimecode.none.
func (s *codeSender) redeem(
	ctx context.Context, p onetimecode.Purpose, subject item.Ref, typed string, proved func(context.Context, onetimecode.Code) error,
) error {
	return s.codes.Redeem(ctx, p, subject, typed, proved)
}

// identities proves who the carriers of the company are.
type identities struct {
	carriers      *resource.Resource[carrier]
	roster        *roster
	confirmations *confirmations
	sender        *codeSender
}

func newIdentities(carriers *resource.Resource[carrier], r *roster, c *confirmations, sender *codeSender) *identities {
	return &identities{carriers, r, c, sender}
}

func identityRoutes(r *web.Router, i *identities) {
	missing := i.carriers.NotFound()
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/{uuid}/confirm_identity", ID: "confirm_identity", Access: web.Write,
		Summary:     "Keep that a carrier was reached by the regulator's record",
		Description: "Thieves use the numbers of real carriers with phones and e-mails of their own. Call the phone, or write to the e-mail, of the regulator's record, and keep here that the carrier answered.",
		Errors:      []*errs.Error{missing, errNotOnRecord},
	}, func(ctx context.Context, in *confirmInput) (*web.Resource[carrier], error) {
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
func (i *identities) issue(ctx context.Context, id uuid.UUID, channel string) (code onetimecode.Code, text secret.Text, err error) {
	err = i.roster.inTx(ctx, func(ctx context.Context) error {
		if err := i.roster.hold(ctx, id); err != nil {
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

// Channels implements packet.Identities.
func (i *identities) Channels(ctx context.Context, id uuid.UUID) ([]packet.Channel, error) {
	record, err := i.confirmations.recordOf(ctx, id)
	if err != nil {
		return nil, err
	}
	found, err := i.sender.possible(ctx, record)
	all := make([]packet.Channel, len(found))
	for n, one := range found {
		all[n] = packet.Channel(one)
	}

	return all, err
}

// Issue implements packet.Identities.
func (i *identities) Issue(ctx context.Context, id uuid.UUID, channel string) error {
	_, _, err := i.issue(ctx, id, channel)

	return err
}

// Pending implements packet.Identities. It returns nil if there is no valid code.
func (i *identities) Pending(ctx context.Context, id uuid.UUID) (*packet.Channel, error) {
	code, err := i.sender.current(ctx, identityCode, aboutCarrier(id))
	if onetimecode.IsNone(err) {
		return nil, nil //nolint:nilnil // no code is not an error
	}

	return &packet.Channel{Name: code.Channel, To: maskAddress(code.To)}, err
}

// Redeem implements packet.Identities. It stores a confirmation of the carrier's identity.
func (i *identities) Redeem(ctx context.Context, id uuid.UUID, typed string) error {
	return i.sender.redeem(ctx, identityCode, aboutCarrier(id), typed, func(ctx context.Context, c onetimecode.Code) error {
		in := &confirmInput{UUID: id}
		in.Body.Channel, in.Body.Note = c.To, "Entered the identity code sent by "+c.Channel+"."
		_, err := i.confirmations.confirm(ctx, in)

		return err
	})
}

// confirmed reports whether a carrier was ever reached by the regulator's record.
func (i *identities) confirmed(ctx context.Context, id uuid.UUID) (bool, error) {
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

// prover implements carriersapi.Identities.
type prover struct{ identities *identities }

func newProver(i *identities) carriersapi.Identities { return prover{i} }

// Confirmed implements carriersapi.Identities.
func (p prover) Confirmed(ctx context.Context, id string) (bool, error) {
	return p.identities.confirmed(ctx, item.ID(id))
}

// Channels implements carriersapi.Identities.
func (p prover) Channels(ctx context.Context, id string) ([]carriersapi.Channel, error) {
	found, err := p.identities.Channels(ctx, item.ID(id))
	all := make([]carriersapi.Channel, len(found))
	for i, one := range found {
		all[i] = carriersapi.Channel(one)
	}

	return all, err
}

// Issue implements carriersapi.Identities.
func (p prover) Issue(ctx context.Context, id, channel string) error {
	return p.identities.Issue(ctx, item.ID(id), channel)
}

// Redeem implements carriersapi.Identities.
func (p prover) Redeem(ctx context.Context, id, code string) error {
	return p.identities.Redeem(ctx, item.ID(id), code)
}
