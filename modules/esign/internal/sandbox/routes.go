package sandbox

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

const mediaForm = "application/x-www-form-urlencoded"

// Routes are what people do at the sandbox.
func Routes(r *web.Router, s *Sandbox) {
	show := newPages()
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/sandbox/inbox", ID: "read_sandbox_inbox", Access: web.Read,
		Summary:     "List who has been asked to sign by the sandbox",
		Description: "The sandbox sends no e-mail: this is what it would have sent, of the youngest 200 envelopes that are on their way.",
		Errors:      []*errs.Error{errClosed},
	}, s.getInbox)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/sandbox/links", ID: "open_sandbox_mail", Access: web.Write, Secret: true,
		Summary:     "Open an e-mail of the sandbox: get the link by which a recipient signs",
		Description: "Anyone with the link signs as the recipient, for a day. The text is in this answer alone.",
		Errors:      []*errs.Error{errNobody, errClosed, errNotYet, errNoMail},
	}, s.postLink)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/sandbox/views/{link}", ID: "open_sandbox_view", Access: web.Public, Status: http.StatusSeeOther,
		Summary: "Open an embedded signing link of the sandbox", Description: "It works once, within five minutes, and leads to the page.",
		Errors: append(link.Refusals, errGone), Page: show.redirectPage,
	}, s.getView)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/sandbox/signing/{link}", ID: "read_sandbox_signing", Access: web.Public,
		Summary:     "Read what a recipient of the sandbox is asked to sign",
		Description: "Browsers, which ask for text/html, get a page on which people sign or decline. Looking at it counts as such: the envelope is delivered.",
		Errors:      append(link.Refusals, errGone), Page: show.signingPage,
	}, s.getSigning)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/sandbox/signing/{link}", ID: "sign_sandbox_envelope", Access: web.Public, Consumes: []string{mediaForm},
		Summary:     "Sign or decline an envelope of the sandbox",
		Description: "A form: `action` is sign, decline or later; to sign, `signature` is the name, and `tab.<label>` the values; to decline, `reason` says why.",
		Errors:      append(link.Refusals, errGone, errForm, errClosed, errSigned), Page: show.donePage,
	}, s.postSigning)
}

type inboxOutput struct{ Body inboxBody }

type inboxBody struct {
	Data []mailBody `json:"data" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (inboxBody) SchemaName() string { return "EsignSandboxInbox" }

// mailBody is an e-mail that the sandbox would have sent.
type mailBody struct {
	Account   uuid.UUID `json:"account_uuid"`
	Envelope  uuid.UUID `json:"envelope_id" doc:"The envelope's id at the sandbox: the external_id of the envelope."`
	Recipient string    `json:"recipient_id"`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
	Subject   string    `json:"subject"`
	Status    string    `json:"status" enum:"sent,delivered,autoresponded"`
	Embedded  bool      `json:"embedded" doc:"Whether the recipient signs embedded: then there would have been no e-mail."`
	SentAt    time.Time `json:"sent_at"`
}

// mostWaiting is how many envelopes the inbox shows.
const mostWaiting = 200

func (s *Sandbox) getInbox(ctx context.Context, _ *struct{}) (*inboxOutput, error) {
	rows, err := s.store.waiting(ctx, mostWaiting)
	if err != nil {
		return nil, err
	}
	out := &inboxOutput{Body: inboxBody{Data: []mailBody{}}}
	for _, row := range rows {
		for _, r := range row.Recipients {
			if !r.mustAct() || r.SentAt == nil || r.Status != sent && r.Status != delivered && r.Status != bounced {
				continue
			}
			out.Body.Data = append(out.Body.Data, mailBody{
				Account: row.AccountID, Envelope: row.ID, Recipient: r.ID, Name: r.Name, Email: r.Email, Subject: row.Subject,
				Status: r.Status, Embedded: r.ClientID != "", SentAt: *r.SentAt,
			})
		}
	}

	return out, nil
}

type linkInput struct {
	Body struct {
		Envelope  uuid.UUID `json:"envelope_id" format:"uuid"`
		Recipient string    `json:"recipient_id" minLength:"1" maxLength:"100"`
	}
}

type linkOutput struct{ Body linkBody }

type linkBody struct {
	URL       string    `json:"url" doc:"The page on which the recipient signs. Without a host where web.base_url is not set."`
	ExpiresAt time.Time `json:"expires_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (linkBody) SchemaName() string { return "EsignSandboxLink" }

func (s *Sandbox) postLink(ctx context.Context, in *linkInput) (*linkOutput, error) {
	row, err := s.store.envelope(ctx, uuid.Nil, in.Body.Envelope, false)
	if err != nil {
		return nil, apiError(err)
	}
	r := row.recipient(in.Body.Recipient)
	if err := mayOpen(&row, r); err != nil {
		return nil, err
	}
	made, address, err := s.signLink(ctx, row.ID, seat{Recipient: r.ID, Corrections: r.Corrections})

	return &linkOutput{Body: linkBody{URL: address, ExpiresAt: made.ExpiresAt}}, err
}

type linkText struct {
	Link string `path:"link" maxLength:"200"`
}

type viewOutput struct {
	Location string `header:"Location"`
	Body     viewBody
}

type viewBody struct {
	URL string `json:"url" doc:"The page on which the recipient signs."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (viewBody) SchemaName() string { return "EsignSandboxView" }

func (s *Sandbox) getView(ctx context.Context, in *linkText) (*viewOutput, error) {
	var address string
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		used, err := s.links.Use(ctx, Viewing, in.Link)
		if err != nil {
			return err
		}
		ctx, at, err := s.at(principal.AsCompany(ctx, used.Company), used)
		if err != nil {
			return err
		}
		_, address, err = s.signLink(ctx, at.envelope, at.seat)

		return err
	})

	return &viewOutput{Location: address, Body: viewBody{URL: address}}, err
}

type signingOutput struct{ Body signingBody }

// signingBody is what a recipient is shown.
type signingBody struct {
	Subject    string         `json:"subject"`
	Message    string         `json:"message"`
	Name       string         `json:"name" doc:"The recipient's."`
	Role       string         `json:"role"`
	Status     string         `json:"status" doc:"The envelope's."`
	Mine       string         `json:"recipient_status"`
	Can        bool           `json:"can_sign"`
	Signs      bool           `json:"signs" doc:"Whether a signature is asked for; else it is only read."`
	Documents  []string       `json:"documents" nullable:"false"`
	Tabs       []provider.Tab `json:"tabs" nullable:"false"`
	Embedded   bool           `json:"embedded"`
	ReturnTo   string         `json:"return_to,omitempty" doc:"Where the recipient goes back to."`
	FinishedAt *time.Time     `json:"finished_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (signingBody) SchemaName() string { return "EsignSandboxSigning" }

func (s *Sandbox) getSigning(ctx context.Context, in *linkText) (*signingOutput, error) {
	ctx, at, err := s.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	out := &signingOutput{}
	err = s.withEnvelope(ctx, envelopeOf{id: at.envelope}, func(p *play) error {
		r := p.envelope.seated(at.seat)
		if r == nil {
			return errGone
		}
		if p.envelope.open() {
			if err := p.view(r); err != nil {
				return err
			}
		}
		out.Body = signingView(p.envelope, r, at.seat)

		return nil
	})
	if unlessGone(err) == nil && err != nil {
		err = errGone
	}

	return out, err
}

// signingView is what a recipient is shown of an envelope.
func signingView(e *envelope, r *recipient, at seat) signingBody {
	b := signingBody{
		Subject: e.Subject, Message: e.Message, Name: r.Name, Role: r.Role, Status: e.Status, Mine: r.Status,
		Can: e.open() && r.Status == delivered, Signs: r.Kind != provider.CertifiedDelivery,
		Documents: []string{}, Tabs: []provider.Tab{}, Embedded: at.ReturnURL != "", FinishedAt: r.SignedAt,
	}
	for _, f := range e.Files {
		b.Documents = append(b.Documents, f.Name)
	}
	for _, t := range r.Tabs {
		if t.Fillable {
			b.Tabs = append(b.Tabs, t)
		}
	}
	if !b.Can {
		b.ReturnTo = at.returnURL("viewing_complete")
	}

	return b
}

type signInput struct {
	web.Raw

	Link string `path:"link" maxLength:"200"`
}

type signOutput struct{ Body signedBody }

type signedBody struct {
	Outcome  string `json:"outcome" enum:"signed,declined,later"`
	Event    string `json:"event" doc:"The event that goes to the address to return to: signing_complete, decline or cancel."`
	ReturnTo string `json:"return_to,omitempty" doc:"Where an embedded recipient goes back to."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (signedBody) SchemaName() string { return "EsignSandboxSigned" }

func (s *Sandbox) postSigning(ctx context.Context, in *signInput) (*signOutput, error) {
	form, err := url.ParseQuery(string(in.RawBody))
	if err != nil {
		return nil, errForm.WithField("action", "The body must be a form.")
	}
	ctx, at, err := s.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	out := &signOutput{}
	err = s.withEnvelope(ctx, envelopeOf{id: at.envelope}, func(p *play) error {
		r := p.envelope.seated(at.seat)
		switch {
		case r == nil:
			return errGone
		case r.Status == completed || r.Status == declined:
			return errSigned
		case !p.envelope.open() || r.Status == created:
			return errClosed
		}
		out.Body, err = p.submitForm(r, form)
		out.Body.ReturnTo = at.returnURL(out.Body.Event)

		return err
	})
	if unlessGone(err) == nil && err != nil {
		err = errGone
	}

	return out, err
}
