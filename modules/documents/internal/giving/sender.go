// Package giving has documents reach others: by a link, and to be signed. It also ends them.
package giving

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/documents/documentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/reading"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Reading is what the links of documents are for.
const Reading link.Purpose = "documents.read"

// LinkRules are the rules of links to documents.
func LinkRules() link.Rules {
	const day = 24 * time.Hour

	return link.Rules{Life: 90 * day, MaxLife: 366 * day} //nolint:mnd // days
}

func subjectOf(id uuid.UUID) link.Subject { return link.Subject{Type: documentsapi.Document, ID: id} }

// Letters are what goes along with a link.
type Letters struct {
	brands companiesapi.Brands
	hooks  *hook.Bus
	bus    *events.Bus
	links  *link.Service
	clock  clock.Clock
}

// NewLetters returns Letters.
func NewLetters(b companiesapi.Brands, h *hook.Bus, bus *events.Bus, l *link.Service, c clock.Clock) *Letters {
	return &Letters{b, h, bus, l, c}
}

// now is the time.
func (l *Letters) now() time.Time { return l.clock.Now() }

// enter returns the id of the document of a link, and the context of its company. Errors: link.Refusals.
func (l *Letters) enter(ctx context.Context, text string) (context.Context, uuid.UUID, error) {
	ctx, found, err := l.links.Enter(ctx, Reading, text)

	return ctx, found.Subject.ID, err
}

// brand is how the company looks.
func (l *Letters) brand(ctx context.Context) (page.Brand, error) {
	brand, err := l.brands.Brand(ctx)

	return page.Brand(brand), err
}

// revoke ends a link. Error: link.ErrNotFound.
func (l *Letters) revoke(ctx context.Context, document, id uuid.UUID) error {
	return l.links.RevokeOf(ctx, Reading, subjectOf(document), id)
}

// Sender gives links to documents, and sends them.
type Sender struct {
	reader  *reading.Reader
	rows    *resource.Resource[store.Document]
	shares  *share.Service
	letters *Letters
	db      *database.DB
}

// NewSender returns a Sender.
func NewSender(r *reading.Reader, rows *resource.Resource[store.Document], s *share.Service, l *Letters, db *database.DB) *Sender {
	return &Sender{r, rows, s, l, db}
}

type sendInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		To        []share.Recipient `json:"to,omitempty" maxItems:"5" nullable:"false" doc:"To whom the link is sent. Without anybody, pass on the link of the answer yourself."`
		Text      string            `json:"text,omitempty" maxLength:"300" doc:"The message, which the address of the link follows; by default, it names the company and the document." example:"Here is your agreement."`
		ExpiresAt time.Time         `json:"expires_at,omitzero" doc:"When the link ends: by default in 90 days, at most in 366."`
	}
}

type shareOutput struct{ Body share.Share }

type linksOutput struct {
	Body struct {
		Data []share.Share `json:"data" nullable:"false"`
	}
}

type oneInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type linkInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Link uuid.UUID `path:"link" format:"uuid"`
}

// SendRoutes registers the operations.
func SendRoutes(r *web.Router, s *Sender) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/documents/{uuid}/send", ID: "send_document", Access: web.Scope("send"), Secret: true, Summary: "Send a link to a document",
		Description: "Only this response has the text of the link, which always shows this revision. If none of the recipients can be reached, there is no link, and nothing is sent.",
		Errors:      []*errs.Error{s.reader.NotFound(), store.ErrNotReady, store.ErrVoid, share.ErrRecipient, link.ErrInvalid, notify.ErrNoChannel, store.ErrInvalid},
	}, s.send)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/documents/{uuid}/links", ID: "list_document_links", Access: web.Read, Summary: "List the links to a document", Description: "The newest 100.",
		Errors: []*errs.Error{s.reader.NotFound()},
	}, s.links)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/documents/{uuid}/links/{link}", ID: "revoke_document_link", Access: web.Scope("send"), Summary: "Revoke a link to a document",
		Errors: []*errs.Error{s.reader.NotFound(), link.ErrNotFound},
	}, func(ctx context.Context, in *linkInput) (*struct{}, error) {
		if _, err := s.reader.Find(ctx, in.UUID); err != nil {
			return nil, err
		}

		return nil, s.letters.revoke(ctx, in.UUID, in.Link)
	})
}

func (s *Sender) links(ctx context.Context, in *oneInput) (*linksOutput, error) {
	if _, err := s.reader.Find(ctx, in.UUID); err != nil {
		return nil, err
	}
	out := &linksOutput{}
	var err error
	out.Body.Data, err = s.shares.List(ctx, Reading, subjectOf(in.UUID))

	return out, err
}

func (s *Sender) send(ctx context.Context, in *sendInput) (*shareOutput, error) {
	d, err := s.reader.ToGive(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	out := &shareOutput{}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		now := s.letters.now()
		d, err := s.rows.Change(ctx, d.ID, web.IfMatch{}, store.VerbSend, func(ctx context.Context, d *store.Document) error {
			if err := d.Usable(); err != nil {
				return err
			}
			d.SentAt = &now
			if d.Delivery == store.NotSent {
				d.Delivery = store.Sent
			}

			return nil
		})
		if err != nil {
			return err
		}
		given, err := s.letters.letter(ctx, d, in.Body.Text, channelsOf(in.Body.To))
		if err != nil {
			return err
		}
		if out.Body, err = s.shares.Give(ctx, given, share.Create{ExpiresAt: in.Body.ExpiresAt, To: in.Body.To}); err != nil {
			return err
		}

		return cmp.Or(out.Body.Reached(), s.letters.told(ctx, d, out.Body))
	})

	return out, err
}

// letter is the link to a document, unless an area vetoes it.
func (l *Letters) letter(ctx context.Context, d store.Document, text string, channels []string) (share.Given, error) {
	if err := hook.Run(ctx, l.hooks, &documentsapi.Sending{About: d.Facts(), Channels: channels}); err != nil {
		return share.Given{}, err
	}
	brand, err := l.brands.Brand(ctx)
	title := strings.TrimSpace(d.Title + " " + d.Number)

	return share.Given{
		Purpose: Reading, Subject: subjectOf(d.ID), Page: store.Base + "/shared/", Title: title,
		Text: cmp.Or(strings.TrimSpace(text), brand.Name+": "+title+" is here."), About: d.Item.Ref(),
	}, err
}

// told publishes that a document was sent.
func (l *Letters) told(ctx context.Context, d store.Document, given share.Share) error {
	sent := documentsapi.Sent{About: d.Facts(), Channels: []string{}}
	for _, one := range given.Deliveries {
		if one.Result == share.Sent && !slices.Contains(sent.Channels, one.Channel) {
			sent.Channels = append(sent.Channels, one.Channel)
		}
	}

	return l.bus.Publish(ctx, sent)
}

func channelsOf(to []share.Recipient) []string {
	channels := []string{}
	for _, one := range to {
		if !slices.Contains(channels, one.Channel) {
			channels = append(channels, one.Channel)
		}
	}

	return channels
}
