package billsoflading

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// What the links to a bill of lading are for: to sign it on the signer's own phone, and to read it.
const (
	signing link.Purpose = "bills_of_lading.sign"
	viewing link.Purpose = "bills_of_lading.view"
)

const (
	signLife    = 48 * time.Hour
	viewLife    = 90 * 24 * time.Hour
	maxViewLife = 366 * 24 * time.Hour
)

var errNoBOL = errs.New(errs.NotFound, "bills_of_lading.link_closed", "This link is no longer valid. Ask for a new one.")

// sharedPage is a bill of lading as somebody sees it by a link.
type sharedPage struct {
	Brand     page.Brand `json:"brand"`
	BOL       bolShown   `json:"bol"`
	Role      string     `json:"role" enum:"releasing,receiving," doc:"As who to sign; empty for nothing to sign."`
	Statement string     `json:"statement" doc:"What is signed."`
	Problem   string     `json:"problem" doc:"The problem of the query, for the page."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (sharedPage) SchemaName() string { return "BOLPage" }

type sharedOutput struct{ Body sharedPage }

// touchlessRoutes are what people without an account do with a bill of lading.
func touchlessRoutes(r *web.Router, k *book) {
	show := newPages()
	refusals := append([]*errs.Error{errNoBOL}, link.Refusals...)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/sign/{link}", ID: "read_sign_page", Access: web.Public, Summary: "Read a bill of lading before signing it by a link",
		Description: "Reading changes nothing. With Accept: text/html, the response is a page.", Errors: refusals, Page: show.sign,
	}, func(ctx context.Context, in *linkInput) (*sharedOutput, error) {
		ctx, b, err := k.enter(ctx, signing, in.Link)
		if err == nil && b.due() == "" {
			err = errNoBOL
		}
		if err != nil {
			return nil, err
		}

		return k.shared(ctx, b, b.due(), in.Problem)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/sign/{link}", ID: "sign_by_link", Access: web.Public, Summary: "Sign a bill of lading by a link",
		Description: "Once. Before it, all vehicles are inspected.", Errors: append(entryErrors(), refusals...), Form: touchlessForm, Page: show.signed,
	}, k.signByLink)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}", ID: "read_shared_bol", Access: web.Public, Summary: "Read a bill of lading by a link", Errors: refusals, Page: show.view,
	}, func(ctx context.Context, in *linkInput) (*sharedOutput, error) {
		ctx, b, err := k.enter(ctx, viewing, in.Link)
		if err != nil {
			return nil, err
		}

		out, err := k.shared(ctx, b, "", in.Problem)
		if err != nil {
			return nil, err
		}
		terms, err := k.settings.Read(ctx)
		if err == nil && !terms.Now.SharePhotos {
			out.Body.BOL.hidePictures()
		}

		return out, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}/pdf", ID: "download_shared_bol", Access: web.Public, Summary: "Download a bill of lading by a link as PDF", Errors: refusals,
		Produces: []string{mediaPDF},
	}, func(ctx context.Context, in *linkInput) (*stream.Stream, error) {
		ctx, b, err := k.enter(ctx, viewing, in.Link)
		if err != nil {
			return nil, err
		}

		return k.download(ctx, b)
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/shared/{link}/photos/{photo}", ID: "read_shared_photo", Access: web.Public, Summary: "See a photo of a bill of lading by a link",
		Description: "In small (1,200 pixels), and without what the camera has written into it, such as the position; where the settings allow it.", Errors: append([]*errs.Error{k.photos.NotFound()}, refusals...),
		Produces: []string{"image/jpeg", "image/png"},
	}, k.sharedPhoto)
}

type sharedPhotoInput struct {
	Link  string    `path:"link" maxLength:"200" doc:"Text of the link."`
	Photo uuid.UUID `path:"photo" format:"uuid" doc:"One of the pictures of the bill of lading."`
}

// sharedPhoto is a photo in small, without what the camera has written into it.
func (k *book) sharedPhoto(ctx context.Context, in *sharedPhotoInput) (*stream.Stream, error) {
	ctx, b, err := k.enter(ctx, viewing, in.Link)
	if err != nil {
		return nil, err
	}
	terms, err := k.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	p, err := k.photos.Find(ctx, in.Photo)
	if err == nil && (p.BOL != b.ID || !terms.Now.SharePhotos) {
		err = k.photos.NotFound()
	}
	if err != nil {
		return nil, err
	}
	image, err := k.previews.Preview(ctx, p.Attachment.String())
	if errs.KindOf(err) == errs.NotFound {
		err = k.photos.NotFound()
	}
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(image.MediaType, image.Content).Tagged(image.SHA256).With("Cache-Control", "private, max-age=3600").Inline("photo"), nil
}

// enter returns the bill of lading that a link leads to, and the context of its company. It changes nothing.
func (k *book) enter(ctx context.Context, p link.Purpose, text string) (context.Context, bol, error) {
	ctx, found, err := k.links.Enter(ctx, p, text)
	if err != nil {
		return ctx, bol{}, err
	}
	b, err := k.bols.Find(ctx, found.Subject.ID)
	if errs.IsRefusal(err) && err != nil || err == nil && b.State == voided {
		err = errNoBOL
	}

	return ctx, b, err
}

// shared is a bill of lading as somebody sees it; at is the stage at which it is signed, "" for none.
func (k *book) shared(ctx context.Context, b bol, at stage, problem string) (*sharedOutput, error) {
	brand, err := k.brand(ctx)
	if err != nil {
		return nil, err
	}
	s, err := k.show(ctx, b)
	if err != nil {
		return nil, err
	}
	p := sharedPage{Brand: brand, BOL: s, Problem: problem}
	if at != "" {
		p.Role, p.Statement = at.counterpart(), at.statement(at.counterpart())
	}

	return &sharedOutput{p}, nil
}

type touchlessInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Name    string `json:"name,omitempty" maxLength:"200"`
		Title   string `json:"title,omitempty" maxLength:"100"`
		Strokes string `json:"strokes,omitempty" maxLength:"65536" doc:"As of a drawn signature; without them, the name is the signature."`
	}
}

func (k *book) signByLink(ctx context.Context, in *touchlessInput) (*sharedOutput, error) {
	ctx, b, err := k.enter(ctx, signing, in.Link)
	if err == nil && b.due() == "" {
		err = errNoBOL
	}
	if err != nil {
		return nil, err
	}
	e := signatureEntry{BOL: b.ID, Stage: b.due(), Role: b.due().counterpart(), Name: in.Body.Name, Title: in.Body.Title, Strokes: in.Body.Strokes, Method: typed}
	if e.Strokes != "" {
		e.Method = drawn
	}
	if err := k.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := k.links.Use(ctx, signing, in.Link); err != nil {
			return err
		}
		_, err := k.sign(ctx, e, true)

		return err
	}); err != nil {
		return nil, err
	}
	if b, err = k.bols.Find(ctx, b.ID); err != nil {
		return nil, err
	}

	return k.shared(ctx, b, "", "")
}
