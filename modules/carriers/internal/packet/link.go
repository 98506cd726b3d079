package packet

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// party is the party of a life cycle step that a link holder takes.
const party = "carrier"

// enter returns the packet of a valid link and the context of its company. It changes nothing.
func (d *Desk) enter(ctx context.Context, text string) (context.Context, Packet, error) {
	ctx, found, err := d.outside.Links.Enter(ctx, Purpose, text)
	if err != nil {
		return ctx, Packet{}, err
	}
	row, err := d.packets.Find(ctx, found.Subject.ID)
	if errors.Is(err, d.packets.NotFound()) || err == nil && (row.State == Revoked || row.State == Expired) {
		err = errGone
	}

	return ctx, row, err
}

// look returns the packet as the link holder sees it.
func (d *Desk) look(ctx context.Context, text string) (View, error) {
	ctx, row, err := d.enter(ctx, text)
	if err != nil {
		return View{}, err
	}

	return d.view(ctx, row)
}

// save changes the proposal of a packet by its link. The first change starts the packet.
func (d *Desk) save(ctx context.Context, text string, do func(ctx context.Context, p *Packet) error) (View, error) {
	ctx, row, err := d.enter(ctx, text)
	if err != nil {
		return View{}, err
	}
	if row, err = d.change(ctx, row.ID, func(ctx context.Context, p *Packet) error {
		if err := d.outside.Given.AllowEntries(ctx, Item+" "+p.ID.String(), 1, savesPerHour, savesPerDay); err != nil {
			return err
		}

		return do(ctx, p)
	}); err != nil {
		return View{}, err
	}

	return d.view(ctx, row)
}

// A carrier saves steps of a packet so often at most.
const savesPerHour, savesPerDay = 200, 600

func (d *Desk) change(ctx context.Context, id uuid.UUID, do func(ctx context.Context, p *Packet) error) (Packet, error) {
	return d.packets.Change(ctx, id, web.IfMatch{}, "save", func(ctx context.Context, p *Packet) error {
		if !p.open() {
			return errClosed
		}
		if err := do(ctx, p); err != nil {
			return err
		}
		if p.State == Sent {
			p.StartedAt = new(d.now())

			return d.packets.Step(ctx, p, state.Move{Verb: string(start), Party: party})
		}

		return nil
	})
}

// unseen reports whether a step was saved after the caller read it, and sets the revision of s. old is nil for a step that was never
// saved.
func unseen(s, old *Seen) bool {
	var current int64
	if old != nil && old.Revision != nil {
		current = *old.Revision
	}
	stale := s.Revision != nil && *s.Revision != current
	s.Revision = new(current + 1)

	return stale
}

// saveStep stores the entries of a step that the packet asks for.
func saveStep[E any, P interface {
	*E
	seen() *Seen
}](ctx context.Context, d *Desk, text, step string, entries E, at func(*Proposal) **E) (View, error) {
	return d.save(ctx, text, func(_ context.Context, p *Packet) error {
		b, saved := entries, at(&p.Proposal.V) // a copy, since this may run again
		if !p.asks(step) {
			return errAsked
		}
		if unseen(P(&b).seen(), P(*saved).seen()) {
			return errChanged
		}
		*saved = &b

		return nil
	})
}

// saveRemitTo stores the account number encrypted, and its last four digits with the proposal.
func (d *Desk) saveRemitTo(ctx context.Context, text string, b RemitTo) (View, error) {
	return d.save(ctx, text, func(ctx context.Context, p *Packet) error {
		b := b
		if !p.asks(stepRemitTo) {
			return errAsked
		}
		old := p.Proposal.V.RemitTo
		b.Last4 = ""
		if old != nil {
			b.Last4 = old.Last4
		}
		if unseen(&b.Seen, old.seen()) {
			return errChanged
		}
		number := strings.NewReplacer(" ", "", "-", "").Replace(b.Account)
		b.Account, b.Routing = "", strings.NewReplacer(" ", "", "-", "").Replace(b.Routing)
		if b.Method == "check" {
			number, b.Last4, b.Routing, b.Bank, b.AccountType = "", "", "", "", ""
			if err := d.store.keepAccount(ctx, p.ID, secret.Text{}); err != nil {
				return err
			}
		}
		if number != "" {
			b.Last4 = ""
			if !accountRule.MatchString(number) {
				number = ""
			} else {
				b.Last4 = number[len(number)-4:]
			}
			if err := d.store.keepAccount(ctx, p.ID, secret.Hide(number)); err != nil {
				return err
			}
		}
		p.Proposal.V.RemitTo = &b

		return nil
	})
}

// accept stores an acceptance of the agreement with its evidence.
func (d *Desk) accept(ctx context.Context, text, address, agent string, a Acceptance) (View, error) {
	return d.save(ctx, text, func(ctx context.Context, p *Packet) error {
		if !p.asks(stepAgreement) {
			return errAsked
		}
		if p.Proposal.V.Agreement != nil {
			return nil // already accepted, by a double click or by someone else
		}
		shown, err := d.agreementOf(ctx, *p)
		if err != nil {
			return err
		}
		if a.Version != shown.Version {
			return errChanged
		}
		if strings.TrimSpace(a.Name) == "" || !a.Accepted {
			return errNotAccepted
		}
		p.Proposal.V.Agreement = &Accepted{
			Acceptance: a, Text: shown.Text, At: d.now(), Address: address, UserAgent: string([]rune(agent)[:min(len([]rune(agent)), 500)]),
		}

		return nil
	})
}

// uploads are the documents that a packet has upload links for.
var uploads = map[string]struct {
	category, title string
	step            string
}{
	certificate: {certificate, "Certificate of insurance", stepInsurance},
	stepW9:      {stepW9, "W-9", stepW9},
	notice:      {notice, "Notice of assignment", stepRemitTo},
}

// uploadTypes are the accepted media types.
var uploadTypes = []string{"application/pdf", "image/*"}

const (
	uploadSize  = 25 << 20
	uploadFiles = 10
)

// upload creates an upload link for a document.
func (d *Desk) upload(ctx context.Context, text, document string) (made attachmentsapi.UploadLink, err error) {
	ctx, row, err := d.enter(ctx, text)
	if err != nil {
		return made, err
	}
	_, err = d.change(ctx, row.ID, func(ctx context.Context, p *Packet) error {
		of := uploads[document]
		if !p.asks(of.step) {
			return errAsked
		}
		made, err = d.invite(ctx, p, of.category, of.title, "")

		return err
	})

	return made, err
}

// invite creates an upload link that belongs to a packet.
func (d *Desk) invite(ctx context.Context, p *Packet, category, title, message string) (attachmentsapi.UploadLink, error) {
	if len(p.Proposal.V.UploadLinks) >= mostUploadLinks {
		return attachmentsapi.UploadLink{}, errTooMuch
	}
	brand, err := d.near.Brands.Brand(ctx)
	if err != nil {
		return attachmentsapi.UploadLink{}, err
	}
	made, err := d.near.Uploads.Invite(ctx, attachmentsapi.Upload{
		OwnerType: Item, OwnerUUID: p.ID.String(), Category: category, Title: title, Message: message, Brand: brand.Name, MaxUploads: uploadFiles,
		MaxSize: uploadSize, Types: uploadTypes, ExpiresAt: p.LinkExpires,
	})
	p.Proposal.V.UploadLinks = append(slices.Clone(p.Proposal.V.UploadLinks), made.UUID)

	return made, err
}

// A carrier asks few agents for its certificate.
const agentsPerHour, agentsPerDay = 3, 6

// ofAgent names the field of the agent's address.
func ofAgent(err error) error {
	wrong, ok := errors.AsType[*errs.Error](err)
	if !ok || len(wrong.Fields) == 0 {
		return err
	}
	for _, texts := range wrong.Fields {
		return share.ErrRecipient.WithField("to", strings.Replace(texts[0], "`address` must be the number of a contact of the stop, or an ordinary", "`to` must be an ordinary", 1))
	}

	return err
}

// agent sends the insurance agent an upload link of its own: the carrier cannot have altered a certificate that the agent uploads.
func (d *Desk) agent(ctx context.Context, text, channel, to string) (View, error) {
	return d.save(ctx, text, func(ctx context.Context, p *Packet) error {
		if !p.asks(stepInsurance) {
			return errAsked
		}
		to, err := d.recipient(channel, to)
		if err != nil {
			return err
		}
		if err := d.outside.Given.AllowOutsider(ctx, share.Outsider{Thing: Item + " " + p.ID.String(), PerHour: agentsPerHour, PerDay: agentsPerDay},
			[]share.Recipient{{Channel: channel, Address: to}}); err != nil {
			return ofAgent(err)
		}
		known, err := d.near.Carriers.Known(ctx, p.Carrier)
		if err != nil {
			return err
		}
		made, err := d.invite(ctx, p, agentCertificate, "Certificate of insurance of "+known.LegalName,
			"Please send the certificate of insurance of "+known.LegalName+", with cargo and auto liability.")
		if err != nil {
			return err
		}
		_, secretText, _ := strings.Cut(made.URL, "/uploads/")

		return d.outside.Channels.Send(ctx, notify.Message{
			Channel: channel, To: to, Subject: "Certificate of insurance of " + known.LegalName,
			Text:    secret.Hide(known.LegalName + " asks you to send its certificate of insurance: " + made.URL),
			Secrets: []secret.Text{secret.Hide(secretText)}, About: item.Ref{Type: Item, UUID: p.ID},
		})
	})
}

// enterIdentity is enter for a packet that still asks for an identity code.
func (d *Desk) enterIdentity(ctx context.Context, text string) (context.Context, Packet, error) {
	ctx, row, err := d.enter(ctx, text)
	switch {
	case err != nil:
	case !row.asks(stepIdentity):
		err = errAsked
	case !row.open():
		err = errClosed
	}

	return ctx, row, err
}

// sendCode sends an identity code to the regulator's record.
func (d *Desk) sendCode(ctx context.Context, text, channel string) (View, error) {
	ctx, row, err := d.enterIdentity(ctx, text)
	if err != nil {
		return View{}, err
	}
	if err := d.near.Identities.Issue(ctx, row.Carrier, channel); err != nil {
		return View{}, err
	}

	return d.view(ctx, row)
}

// typeCode redeems an identity code. The confirmation is stored with the carrier at once: it is a fact, not a part of the proposal.
func (d *Desk) typeCode(ctx context.Context, text, code string) (View, error) {
	ctx, row, err := d.enterIdentity(ctx, text)
	if err != nil {
		return View{}, err
	}
	if row.Proposal.V.VerifiedAt == nil {
		if err := d.near.Identities.Redeem(ctx, row.Carrier, code); err != nil {
			return View{}, err
		}
	}

	return d.save(ctx, text, func(_ context.Context, p *Packet) error {
		if p.Proposal.V.VerifiedAt == nil {
			p.Proposal.V.VerifiedAt = new(d.now())
		}

		return nil
	})
}

// submit submits a packet. Submitting it again changes nothing.
func (d *Desk) submit(ctx context.Context, text string) (View, error) {
	ctx, row, err := d.enter(ctx, text)
	if err != nil {
		return View{}, err
	}
	today, err := d.packets.Today(ctx)
	if err != nil {
		return View{}, err
	}
	row, err = d.packets.Change(ctx, row.ID, web.IfMatch{}, submit, func(ctx context.Context, p *Packet) error {
		if p.State == Submitted {
			return nil
		}
		if p.State != Started {
			return errClosed
		}
		f, err := d.files(ctx, p.ID)
		if err != nil {
			return err
		}
		if steps := p.steps(f, today); !complete(steps) {
			wrong := errIncomplete
			for _, s := range steps {
				if !s.Done {
					wrong = wrong.WithField(s.Name, "Complete the step "+s.Title+".")
				}
			}

			return wrong
		}
		p.SubmittedAt = new(d.now())

		return d.packets.Step(ctx, p, state.Move{Verb: string(submit), Party: party})
	})
	if err != nil {
		return View{}, err
	}

	return d.view(ctx, row)
}
