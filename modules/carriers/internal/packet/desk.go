package packet

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Known has the facts about a carrier that the company and the regulator have.
type Known struct {
	LegalName, DBA string
	USDOT, Docket  string
	Phone, Email   string
	Units          []Unit
	Lanes          []Lane
	Record         Record
}

// Record is the regulator's record of a carrier; a value is "" if the record lacks it.
type Record struct {
	LegalName string `json:"legal_name"`
	DBA       string `json:"dba"`
	Phone     string `json:"phone"`
	Email     string `json:"email"`
}

// Decision is an approved packet, as it changes the carrier.
type Decision struct {
	Packet      uuid.UUID
	Proposal    Proposal
	Account     secret.Text
	Certificate *uuid.UUID
	W9          bool
	Notice      *uuid.UUID
	AcceptedOn  field.Date
	Today       field.Date
}

// Carriers are the carriers of the caller's company. Both join the caller's transaction.
type Carriers interface {
	Known(ctx context.Context, carrier uuid.UUID) (Known, error)
	// Apply writes an approved packet into the carrier's record.
	Apply(ctx context.Context, carrier uuid.UUID, a Decision) error
}

// Channel is a way to reach a carrier by the regulator's record, with the masked address.
type Channel struct {
	Name string `json:"channel"`
	To   string `json:"to" doc:"The phone or e-mail of the regulator's record, masked."`
}

// Identities sends and checks codes that prove that a carrier is reached by the regulator's record.
type Identities interface {
	Channels(ctx context.Context, carrier uuid.UUID) ([]Channel, error)
	Pending(ctx context.Context, carrier uuid.UUID) (*Channel, error)
	Issue(ctx context.Context, carrier uuid.UUID, channel string) error
	// Redeem must not be called in a transaction: it counts failed attempts.
	Redeem(ctx context.Context, carrier uuid.UUID, code string) error
}

// Neighbours are the services of this area and of others that packets use.
type Neighbours struct {
	Carriers   Carriers
	Identities Identities
	Files      attachmentsapi.Files
	Uploads    attachmentsapi.Uploads
	Brands     companiesapi.Brands
	// Missing and Refusals are the errors of Carriers, for the documentation of operations.
	Missing  *errs.Error
	Refusals []*errs.Error
}

// Outside has the services of the platform that reach people without an account.
type Outside struct {
	Links    *link.Service
	Channels *notify.Service
	Given    *share.Service
	BaseURL  string
}

// NewOutside returns an Outside.
func NewOutside(links *link.Service, channels *notify.Service, given *share.Service, w web.Settings) Outside {
	return Outside{links, channels, given, strings.TrimSuffix(w.BaseURL, "/")}
}

const (
	// mostUploadLinks is how many upload links a packet may have.
	mostUploadLinks = 50
)

// Desk sends packets, saves the steps that carriers fill in, and carries out the company's decisions.
type Desk struct {
	near     Neighbours
	outside  Outside
	packets  *resource.Resource[Packet]
	store    *repository
	settings *companySettings
	db       *database.DB
	clock    clock.Clock
}

// NewDesk returns a Desk.
func NewDesk(s Settings, n Neighbours, o Outside, packets *resource.Resource[Packet], db *database.DB, keys *secret.Keys, c clock.Clock) *Desk {
	store := &repository{db, keys}

	return &Desk{
		near: n, outside: o, packets: packets, store: store, settings: &companySettings{s, store, db, c}, db: db, clock: c,
	}
}

func subjectOf(packet uuid.UUID) link.Subject { return link.Subject{Type: Item, ID: packet} }

// recipient validates the address that a link is sent to, and returns its stored form.
func (d *Desk) recipient(channel, to string) (string, error) {
	wrong := errDocuments.WithField("to", "`to` must be a phone number for sms, and an e-mail address for email.")
	phone, isPhone := ParsePhone(to)
	email, isEmail := ParseEmail(to)
	switch channel {
	case notify.SMS:
		if !isPhone || phone == "" {
			return "", wrong
		}
	case notify.Email:
		if !isEmail || email == "" {
			return "", wrong
		}
	}
	if channel != byHand && d.outside.BaseURL == "" {
		return "", errNoAddress
	}
	switch {
	case isPhone && phone != "":
		return string(phone), nil
	case isEmail && email != "":
		return string(email), nil
	case strings.TrimSpace(to) == "" && channel == byHand:
		return "", nil
	default:
		return "", errDocuments.WithField("to", "`to` must be a phone number or an e-mail address.")
	}
}

// byHand is the channel of a link that the user passes on.
const byHand = "link"

// send creates a packet and sends its link. The text of the link is returned for the channel link alone.
func (d *Desk) send(ctx context.Context, carrier uuid.UUID, to, channel string, wanted []string) (row Packet, text string, err error) {
	if to, err = d.recipient(channel, to); err != nil {
		return row, "", err
	}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		known, err := d.near.Carriers.Known(ctx, carrier)
		if err != nil {
			return err
		}
		settings, err := d.settings.read(ctx)
		if err != nil {
			return err
		}
		if wanted == nil {
			wanted = settings.Documents
			if settings.Agreement == "" {
				wanted = slices.DeleteFunc(slices.Clone(wanted), func(d string) bool { return d == stepAgreement })
			}
		} else if slices.Contains(wanted, stepAgreement) && settings.Agreement == "" {
			return errAgreement
		}
		row = Packet{Carrier: carrier, To: to, Channel: channel, Documents: resource.JSON[[]string]{V: ordered(wanted)}}
		row.LinkExpires = d.expiry(settings)
		if row, err = d.packets.Create(ctx, row); err != nil {
			return err
		}
		text, err = d.deliver(ctx, row, known)

		return err
	})

	return row, text, err
}

func (d *Desk) expiry(s asked) time.Time {
	return d.clock.Now().Add(time.Duration(s.LinkDays) * 24 * time.Hour)
}

// address is the address of a packet's page, without a host where web.base_url is not set.
func (d *Desk) address(text string) string { return d.outside.BaseURL + base + "/packet/" + text }

// deliver creates the link of a packet and sends it. For the channel link it returns the link's text instead.
func (d *Desk) deliver(ctx context.Context, row Packet, known Known) (string, error) {
	_, text, err := d.outside.Links.Create(ctx, link.NewLink{Purpose: Purpose, Subject: subjectOf(row.ID), Holder: link.HolderOf(carriersapi.Item, row.Carrier), ExpiresAt: row.LinkExpires})
	if err != nil {
		return "", err
	}
	if row.Channel == byHand {
		return text, nil
	}
	brand, err := d.near.Brands.Brand(ctx)
	if err != nil {
		return "", err
	}
	message := brand.Name + " asks " + known.LegalName + " to fill in its carrier packet: " + d.address(text)

	return "", d.outside.Channels.Send(ctx, notify.Message{
		Channel: row.Channel, To: row.To, Subject: "Carrier packet for " + brand.Name, Text: secret.Hide(message),
		Secrets: []secret.Text{secret.Hide(text)}, About: item.Ref{Type: Item, UUID: row.ID},
	})
}

// resend sends a new link and revokes the previous ones.
func (d *Desk) resend(ctx context.Context, id uuid.UUID, match web.IfMatch) (row Packet, text string, err error) {
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		settings, err := d.settings.read(ctx)
		if err != nil {
			return err
		}
		row, err = d.packets.Change(ctx, id, match, resend, func(ctx context.Context, p *Packet) error {
			switch p.State {
			case Expired:
				if err := d.packets.Step(ctx, p, state.Move{Verb: string(resend)}); err != nil {
					return err
				}
			case Sent, Started, Rejected:
			case Submitted, Approved, Revoked, None:
				return errClosed
			}
			p.LinkExpires = d.expiry(settings)

			return nil
		})
		if err != nil {
			return err
		}
		if _, err := d.outside.Links.RevokeAll(ctx, Purpose, subjectOf(id)); err != nil {
			return err
		}
		known, err := d.near.Carriers.Known(ctx, row.Carrier)
		if err != nil {
			return err
		}
		text, err = d.deliver(ctx, row, known)

		return err
	})

	return row, text, err
}

// revoke ends a packet and its links.
func (d *Desk) revoke(ctx context.Context, id uuid.UUID, match web.IfMatch) (row Packet, err error) {
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		row, err = d.packets.Change(ctx, id, match, revoke, func(ctx context.Context, p *Packet) error {
			return d.packets.Step(ctx, p, state.Move{Verb: string(revoke)})
		})
		if err != nil {
			return err
		}

		return d.endLinks(ctx, &row)
	})

	return row, err
}

// endLinks revokes the links of a packet and deletes its account number.
func (d *Desk) endLinks(ctx context.Context, row *Packet) error {
	if _, err := d.outside.Links.RevokeAll(ctx, Purpose, subjectOf(row.ID)); err != nil {
		return err
	}
	for _, id := range row.Proposal.V.UploadLinks {
		if err := d.near.Uploads.Revoke(ctx, id); err != nil && errs.KindOf(err) != errs.NotFound {
			return err
		}
	}

	return d.store.keepAccount(ctx, row.ID, secret.Text{})
}

// approve applies the proposal to the carrier, of the version that was read: after a packet was reopened, the carrier may have proposed something else.
func (d *Desk) approve(ctx context.Context, id uuid.UUID, match web.IfMatch) (row Packet, err error) {
	today, err := d.packets.Today(ctx)
	if err != nil {
		return row, err
	}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		files, err := d.files(ctx, id)
		if err != nil {
			return err
		}
		number, err := d.store.account(ctx, id)
		if err != nil {
			return err
		}
		row, err = d.packets.Change(ctx, id, match, approve, func(ctx context.Context, p *Packet) error {
			if err := d.packets.Step(ctx, p, state.Move{Verb: string(approve)}); err != nil {
				return err
			}
			if match.IfMatch == "" || match.IfMatch == "*" {
				return errUnread
			}
			p.DecidedAt, p.Reason = new(d.now()), ""
			p.ReviewDue = field.Date(midnight(today).Add(reviewAfter).Format(time.DateOnly))

			return nil
		})
		if err != nil {
			return err
		}
		a := Decision{
			Packet: id, Proposal: row.Proposal.V, Account: number, Certificate: files.first(agentCertificate, certificate), W9: files.first(stepW9) != nil,
			Notice: files.first(notice), Today: today,
		}
		if row.Proposal.V.Agreement != nil {
			a.AcceptedOn = today
		}
		if err := d.near.Carriers.Apply(ctx, row.Carrier, a); err != nil {
			return err
		}

		return d.endLinks(ctx, &row)
	})

	return row, err
}

// reject rejects a packet; the carrier sees the reason.
func (d *Desk) reject(ctx context.Context, id uuid.UUID, match web.IfMatch, reason string) (Packet, error) {
	return d.packets.Change(ctx, id, match, reject, func(ctx context.Context, p *Packet) error {
		p.DecidedAt, p.Reason = new(d.now()), reason

		return d.packets.Step(ctx, p, state.Move{Verb: string(reject), Reason: reason})
	})
}

func (d *Desk) now() time.Time { return d.clock.Now() }

func midnight(day field.Date) time.Time {
	t, err := time.Parse(time.DateOnly, string(day))
	if err != nil {
		return time.Time{}
	}

	return t
}

// Expire is the job that expires packets that were not started before their links expired.
type Expire struct{}

// Kind implements jobs.Args.
func (Expire) Kind() string { return "carriers.expire_packets" }

// ExpireEvery is the interval of the job.
const ExpireEvery = time.Hour

// ExpireAll runs the job.
func (d *Desk) ExpireAll(ctx context.Context, _ Expire) error {
	return d.store.eachUnopened(ctx, d.clock.Now(), func(ctx context.Context, id uuid.UUID) error {
		_, err := d.packets.Change(ctx, id, web.IfMatch{}, expire, func(ctx context.Context, p *Packet) error {
			if p.State != Sent || p.LinkExpires.After(d.clock.Now()) {
				return nil
			}

			return d.packets.Step(ctx, p, state.Move{Verb: string(expire)})
		})
		if errors.Is(err, d.packets.NotFound()) {
			return nil
		}

		return err
	})
}

// Contacts returns the phones and e-mails that open packets were sent to or have in their profile, by carrier.
func Contacts(ctx context.Context, packets *resource.Resource[Packet], carriers ...uuid.UUID) (map[uuid.UUID][]string, error) {
	rows, err := packets.Where(ctx, "carrier_id IN ? AND state IN ('sent', 'started', 'submitted')", carriers)
	all := map[uuid.UUID][]string{}
	for _, row := range rows {
		if row.To != "" {
			all[row.Carrier] = append(all[row.Carrier], row.To)
		}
		all[row.Carrier] = append(all[row.Carrier], row.Proposal.V.emails()...)
	}

	return all, err
}

// States returns the states of the newest packets of some carriers, after the given changes.
func States(
	ctx context.Context, packets *resource.Resource[Packet], changes []*resource.Change[Packet], carriers ...uuid.UUID,
) (map[uuid.UUID]State, error) {
	rows, err := packets.Where(ctx, "carrier_id IN ?", carriers)
	after := make(map[uuid.UUID]*Packet, len(rows)+len(changes))
	for i := range rows {
		after[rows[i].ID] = &rows[i]
	}
	for _, c := range changes {
		after[c.After.ID] = c.After
		if c.Verb == resource.Delete {
			delete(after, c.After.ID)
		}
	}
	newest := map[uuid.UUID]*Packet{}
	for _, p := range after {
		if n := newest[p.Carrier]; n == nil || bytes.Compare(n.ID[:], p.ID[:]) < 0 {
			newest[p.Carrier] = p
		}
	}
	states := make(map[uuid.UUID]State, len(carriers))
	for _, id := range carriers {
		states[id] = None
		if p := newest[id]; p != nil {
			states[id] = p.State
		}
	}

	return states, err
}
