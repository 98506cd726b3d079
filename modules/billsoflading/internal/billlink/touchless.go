package billlink

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/signing"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

// sharedPage is a bill of lading as people without an account see it by a link.
type sharedPage struct {
	Brand     page.Brand    `json:"brand"`
	BOL       report.Report `json:"bol"`
	Role      string        `json:"role" enum:"releasing,receiving," doc:"As who to sign; empty for nothing to sign."`
	Statement string        `json:"statement" doc:"What is signed."`
	Problem   string        `json:"problem" doc:"The problem of the query, for the page."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (sharedPage) SchemaName() string { return "BOLPage" }

type sharedOutput struct{ Body sharedPage }

type sharedInput struct {
	Link    string `path:"link" maxLength:"200" doc:"Text of the link."`
	Problem string `query:"problem" maxLength:"100" pattern:"^[a-z0-9_.]*$" patternDescription:"the code of an error" doc:"Code of the error that the page explains."`
}

// Showing reads bills of lading for people without an account.
type Showing struct {
	reports *report.Reader
	brands  companiesapi.Brands
}

// NewShowing returns a Showing.
func NewShowing(r *report.Reader, b companiesapi.Brands) *Showing { return &Showing{r, b} }

// of is a bill of lading with the brand of its company. At is the stage at which it is signed, "" for none.
func (k *Showing) of(ctx context.Context, b store.Bol, at store.Stage, problem string) (p sharedPage, err error) {
	brand, err := k.brands.Brand(ctx)
	if err != nil {
		return p, err
	}
	p = sharedPage{Brand: page.Brand(brand), Problem: problem}
	if at != "" {
		p.Role, p.Statement = at.Counterpart(), signing.Statement(at, at.Counterpart())
	}
	p.BOL, err = k.reports.Read(ctx, b)

	return p, err
}

// Touchless takes signatures by a link, on the signer's own device.
type Touchless struct {
	entrance *Entrance
	showing  *Showing
	signer   *signing.Signer
}

// NewTouchless returns a Touchless.
func NewTouchless(e *Entrance, s *Showing, k *signing.Signer) *Touchless { return &Touchless{e, s, k} }

type touchlessInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Name    string `json:"name,omitempty" maxLength:"200"`
		Title   string `json:"title,omitempty" maxLength:"100"`
		Strokes string `json:"strokes,omitempty" maxLength:"65536" doc:"As of a drawn signature; without them, the name is the signature."`
	}
}

// TouchlessRoutes are the operations by a link to sign.
func TouchlessRoutes(r *web.Router, k *Touchless) {
	show, refusals := newSignPage(), append([]*errs.Error{store.ErrLinkClosed}, link.Refusals...)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/sign/{link}", ID: "read_sign_page", Access: web.Public, Summary: "Read a bill of lading before signing it by a link",
		Description: "Reading changes nothing. With Accept: text/html, the response is a page.", Errors: refusals, Page: show.Page,
	}, k.read)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/sign/{link}", ID: "sign_by_link", Access: web.Public, Summary: "Sign a bill of lading by a link",
		Description: "Once. Before it, all vehicles are inspected.", Errors: append(store.EntryErrors(), refusals...), TakesForm: true, Page: signed(show),
	}, k.sign)
}

func (k *Touchless) read(ctx context.Context, in *sharedInput) (*sharedOutput, error) {
	ctx, b, err := k.entrance.enterToSign(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	p, err := k.showing.of(ctx, b, b.Due(), in.Problem)

	return &sharedOutput{p}, err
}

func (k *Touchless) sign(ctx context.Context, in *touchlessInput) (*sharedOutput, error) {
	ctx, b, err := k.entrance.enterToSign(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	e := signing.Entry{BOL: b.ID, Stage: b.Due(), Role: b.Due().Counterpart(), Name: in.Body.Name, Title: in.Body.Title, Strokes: in.Body.Strokes, Method: store.Typed}
	if e.Strokes != "" {
		e.Method = store.Drawn
	}
	if b, err = k.entrance.use(ctx, in.Link, b, func(ctx context.Context) error {
		_, err := k.signer.Sign(ctx, e, true)

		return err
	}); err != nil {
		return nil, err
	}
	p, err := k.showing.of(ctx, b, "", "")

	return &sharedOutput{p}, err
}
