package signing

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/margins"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

// The failures of signatures.
var (
	ErrNothing  = errs.New(errs.Conflict, "loads.nothing_to_sign", "The load is signed as it is, or was lost or canceled. There is nothing to sign.")
	ErrOutdated = errs.New(errs.Conflict, "loads.changes_outdated", "The load has changed again in the meantime. Look at it again.")
	ErrUnsigned = errs.New(errs.Conflict, "loads.change_order_unsigned", "The customer has yet to sign what has changed. See details.fields. Whoever has the scope loads:override can go on with a note.")
	errInvalid  = errs.New(errs.Invalid, "loads.invalid_signature", "The given data was invalid.")
)

// Loads is what the package needs of loads.
type Loads interface {
	// Sign has the customer of a load agree to it as it is. For a signature of changes, key is that of what was shown. Errors:
	// loadsapi.ErrNotFound, ErrNothing, ErrOutdated.
	Sign(ctx context.Context, load uuid.UUID, match web.IfMatch, key *string, s Signature) error
	// Ask returns the link by which the customer of a load signs its changes, and notes that it is sent. Errors: loadsapi.ErrNotFound,
	// ErrNothing.
	Ask(ctx context.Context, load uuid.UUID) (share.Given, error)
	// Known returns the number of a load, and the name of the time zone of its first stop, "" if it is not known. Error: loadsapi.ErrNotFound.
	Known(ctx context.Context, load uuid.UUID) (number, zone string, err error)
	// Enter returns the load of a link, in the context of its company.
	Enter(ctx context.Context, link string) (context.Context, uuid.UUID, error)
}

// Desk takes signatures.
type Desk struct {
	loads   Loads
	rows    *Repository
	given   *share.Service
	printer *document.Printer
	db      *database.DB
}

// NewDesk returns a Desk.
func NewDesk(loads Loads, rows *Repository, given *share.Service, p *document.Printer, db *database.DB) *Desk {
	return &Desk{loads, rows, given, p, db}
}

// Routes registers the operations on signatures that people with an account use.
func Routes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/signatures", ID: "list_load_signatures", Access: web.Read, Summary: "List what the customer has signed of a load",
		Description: "The newest 100, with what had changed since the one before.", Errors: []*errs.Error{loadsapi.ErrNotFound},
	}, d.list)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/signatures/{signature}/pdf", ID: "download_load_signature", Access: web.Read,
		Summary: "Download what the customer has signed of a load as PDF", Errors: []*errs.Error{loadsapi.ErrNotFound, errNoSignature}, Produces: []string{document.MediaPDF},
	}, d.print)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/signatures", ID: "create_load_signature", Access: web.Write, Summary: "Note that the customer has signed a load",
		Description: "On paper, by e-mail or by phone: the load as it is now, with what has changed. If-Match, with the ETag of the load, has it be what you read.", Errors: []*errs.Error{loadsapi.ErrNotFound, ErrNothing, errInvalid},
	}, d.create)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/change_orders", ID: "create_change_order", Access: web.Write, Secret: true, Summary: "Ask the customer to sign what has changed",
		Description: "Makes a link to the page of the load, where the customer sees what was and what is, and signs it. Only this response has its text.",
		Errors:      []*errs.Error{loadsapi.ErrNotFound, ErrNothing, share.ErrRecipient, link.ErrPortalOff},
	}, d.ask)
}

// LinkErrors are those of a signature by a link.
func LinkErrors() []*errs.Error { return []*errs.Error{ErrNothing, ErrOutdated, errInvalid} }

// signature is a signature as the company sees it.
type signature struct {
	UUID    uuid.UUID  `json:"uuid"`
	At      time.Time  `json:"at"`
	Name    string     `json:"name"`
	Method  string     `json:"method" enum:"link,paper,email,phone,esign"`
	Address string     `json:"ip_address" doc:"Of a signature by link."`
	Note    string     `json:"note"`
	By      *uuid.UUID `json:"noted_by_user_uuid"`
	Terms   []agreed   `json:"terms" nullable:"false" doc:"What was signed; without prices for callers without the scope loads:margins."`
	Changes []Line     `json:"changes" nullable:"false" doc:"What had changed since the signature before."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (signature) SchemaName() string { return "LoadSignature" }

// agreed is a term as it was signed.
type agreed struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (agreed) SchemaName() string { return "LoadTerm" }

func (r Row) shown(priced bool) signature {
	s := signature{UUID: r.ID, At: r.At, Name: r.Name, Method: r.Method, Address: r.Address, Note: r.Note, By: r.ByID, Terms: []agreed{}, Changes: []Line{}}
	isPrice := func(kind string) bool { return kind == price || kind == payments }
	for _, line := range r.Changes.V {
		if isPrice(line.Field) && !priced {
			line.Before, line.After = "", ""
		}
		s.Changes = append(s.Changes, line)
	}
	for _, t := range r.Terms.V {
		if isPrice(t.Kind) && !priced {
			continue
		}
		s.Terms = append(s.Terms, agreed{t.Label, t.Text})
	}

	return s
}

type listInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type listOutput struct {
	Body struct {
		Data []signature `json:"data" nullable:"false"`
	}
}

func (d *Desk) list(ctx context.Context, in *listInput) (*listOutput, error) {
	if _, _, err := d.loads.Known(ctx, in.UUID); err != nil {
		return nil, err
	}
	rows, err := d.rows.Of(ctx, in.UUID)
	out := &listOutput{}
	out.Body.Data = make([]signature, len(rows))
	for i, r := range rows {
		out.Body.Data[i] = r.shown(margins.Seen(ctx))
	}

	return out, err
}

type createInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Name   string `json:"name" minLength:"1" maxLength:"200" doc:"Who has signed." example:"Ann Lee"`
		Method string `json:"method" enum:"paper,email,phone,esign"`
		Note   string `json:"note,omitempty" maxLength:"500" doc:"Such as where the paper is."`
	}
}

type createOutput struct{ Body signature }

func (d *Desk) create(ctx context.Context, in *createInput) (*createOutput, error) {
	s := Signature{Name: strings.TrimSpace(in.Body.Name), Method: in.Body.Method, Note: in.Body.Note}
	if s.Name == "" {
		return nil, errInvalid.WithField("name", "The name is required.")
	}
	if who, _ := principal.From(ctx); who.User != uuid.Nil {
		s.By = who.User
	}
	if err := d.loads.Sign(ctx, in.UUID, in.IfMatch, nil, s); err != nil {
		return nil, err
	}
	rows, err := d.rows.Of(ctx, in.UUID)
	if err != nil || len(rows) == 0 {
		return nil, err
	}

	return &createOutput{rows[0].shown(margins.Seen(ctx))}, nil
}

type askInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body share.Create
}

type askOutput struct{ Body share.Share }

func (d *Desk) ask(ctx context.Context, in *askInput) (*askOutput, error) {
	out := &askOutput{}
	err := d.db.InTx(ctx, func(ctx context.Context) error {
		given, err := d.loads.Ask(ctx, in.UUID)
		if err == nil {
			out.Body, err = d.given.Give(ctx, given, in.Body)
		}

		return err
	})

	return out, err
}

// LinkInput is a signature by a link.
type LinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Name     string `json:"name" maxLength:"200" doc:"Who signs."`
		Accepted bool   `json:"accepted" doc:"Whether the changes are accepted."`
		Key      string `json:"changes_key" maxLength:"100" doc:"The changes_key of what was shown."`
	}
}

// ByLink signs the changes of the load of a link. Signing twice is signing once.
func (d *Desk) ByLink(ctx context.Context, in *LinkInput) error {
	ctx, load, err := d.loads.Enter(ctx, in.Link)
	if err != nil {
		return err
	}
	wrong, name := errInvalid, strings.TrimSpace(in.Body.Name)
	if name == "" {
		wrong = wrong.WithField("name", "The name is required.")
	}
	if !in.Body.Accepted {
		wrong = wrong.WithField("accepted", "Accept the changes to sign them.")
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return d.loads.Sign(ctx, load, web.IfMatch{}, &in.Body.Key, Signature{Name: name, Method: Link, Address: web.ClientIP(ctx)})
}
