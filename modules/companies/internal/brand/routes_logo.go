package brand

import (
	"context"
	"io"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/picture"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// formRoom is what a form has beside its file.
const formRoom = 64 * config.KiB

// LogoRoutes are the operations on the logo.
func LogoRoutes(r *web.Router, l *Logos) {
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/logo", ID: "replace_logo", Access: web.Write,
		Summary: "Set the company's logo",
		Description: "The body is a PNG or JPEG image of at most 1 MiB and 2,000 pixels on each side, by itself or as the one file of a form. " +
			"It is drawn anew as a PNG of at most 1,000 pixels on each side, so that nothing but its pixels is kept. SVG is not accepted.",
		Errors:  append([]*errs.Error{errType, errTooLarge, errTooWide, errUnreadable}, blob.Errors...),
		MaxBody: maxLogo + formRoom, Consumes: []string{upload.FormMedia, picture.PNG, picture.JPEG, "application/octet-stream"},
	}, l.putLogo)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/logo", ID: "delete_logo", Access: web.Write,
		Summary: "Remove the company's logo", Description: "Without a logo, this changes nothing.", Errors: []*errs.Error{errInvalid},
	}, l.deleteLogo)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/logo/{company_uuid}", ID: "read_logo", Access: web.Public,
		Summary: "Read the logo of a company",
		Description: "Needs no token, so that pages and mails can show it. The address that `logo` of the brand has changes with the logo, and its " +
			"answer may be kept forever; without `v`, or with one of an earlier logo, the answer is the current logo and is to be asked for again.",
		Errors:   append([]*errs.Error{errNoLogo}, blob.Errors...),
		Produces: []string{picture.PNG},
	}, l.getLogo)
}

// logoBody is a logo as answers show it.
type logoBody struct {
	Logo   string `json:"logo" doc:"Path of the logo, which changes with it." example:"/companies/api/v1/logo/0190d0c0-0000-7000-8000-000000000001?v=8f434346648f6b96"`
	SHA256 string `json:"sha256" doc:"Of the PNG that is kept, as hexadecimal digits."`
	Size   int64  `json:"size" doc:"In bytes."`
	Width  int64  `json:"width" doc:"In pixels."`
	Height int64  `json:"height" doc:"In pixels."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (logoBody) SchemaName() string { return "Logo" }

type logoOutput struct{ Body logoBody }

type putLogoInput struct{ upload.Upload }

func (l *Logos) putLogo(ctx context.Context, in *putLogoInput) (*logoOutput, error) {
	content, err := io.ReadAll(io.LimitReader(in, int64(maxLogo)+1))
	if err != nil {
		return nil, err
	}
	if len(content) > int(maxLogo) {
		return nil, errTooLarge
	}
	b, err := l.put(ctx, content)
	if err != nil {
		return nil, err
	}

	return &logoOutput{logoBody{b.Logo.PathOf(principal.CompanyOf(ctx)), b.Logo.SHA256, b.Logo.Size, b.Logo.Width, b.Logo.Height}}, nil
}

func (l *Logos) deleteLogo(ctx context.Context, _ *struct{}) (*struct{}, error) {
	return nil, l.remove(ctx)
}

type getLogoInput struct {
	Company uuid.UUID `path:"company_uuid" format:"uuid" doc:"Id of the company."`
	V       string    `query:"v" maxLength:"64" doc:"Beginning of the hash of the logo."`
}

func (l *Logos) getLogo(ctx context.Context, in *getLogoInput) (*stream.Stream, error) {
	ctx = principal.AsCompany(ctx, in.Company)
	b, err := l.desk.Now(ctx)
	if err != nil {
		return nil, err
	}
	if b.Logo.SHA256 == "" {
		return nil, errNoLogo
	}
	caching := "public, no-cache"
	if in.V == b.Logo.tag() {
		caching = "public, max-age=31536000, immutable"
	}

	return stream.NewDownload(picture.PNG, l.files.Open(ctx, b.Logo.Blob, b.Logo.Size)).
		Tagged(b.Logo.SHA256).
		With("Cache-Control", caching).
		With("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'").
		Inline("logo.png"), nil
}

// PNG returns the logo of the caller's company as a PNG, and nil if it has none.
func (l *Logos) PNG(ctx context.Context) (png []byte, err error) {
	b, err := l.desk.Now(ctx)
	if err != nil || b.Logo.SHA256 == "" {
		return nil, err
	}
	file := l.files.Open(ctx, b.Logo.Blob, b.Logo.Size)
	png, err = io.ReadAll(file)
	if closing := file.Close(); err == nil {
		err = closing
	}

	return png, err
}
