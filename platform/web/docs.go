package web

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
)

//go:embed docs/index.html docs/docs.css docs/docs.js docs/favicon.png
var docsFS embed.FS

// docsPolicy lets the docs page use what the service itself serves, and nothing else.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// assetLife is how long a browser may keep the icon without asking.
const assetLife = time.Hour

// docsRoutes serve the API reference: a page that shows an area at a time, by the area's OpenAPI document, and searches the operations of
// all. It names its parts relative to itself, so that it works behind a proxy that serves it below a path.
func (a *API) docsRoutes() {
	a.app.Get("/docs", func(c *fiber.Ctx) error {
		if strings.HasSuffix(c.Path(), "/") {
			return c.Redirect("../docs", fiber.StatusMovedPermanently)
		}
		c.Set(fiber.HeaderContentSecurityPolicy, docsPolicy)

		return sendEmbedded(c, "index.html", fiber.MIMETextHTMLCharsetUTF8, 0)
	})
	a.app.Get("/docs/docs.js", func(c *fiber.Ctx) error {
		return sendEmbedded(c, "docs.js", fiber.MIMETextJavaScriptCharsetUTF8, 0)
	})
	a.app.Get("/docs/docs.css", func(c *fiber.Ctx) error {
		return sendEmbedded(c, "docs.css", "text/css; charset=utf-8", 0)
	})
	reference := sync.OnceValues(a.newReference)
	a.app.Get("/docs/operations.json", func(c *fiber.Ctx) error {
		list, err := reference()
		if err != nil {
			return err
		}

		return list.send(c, mediaJSON, 0)
	})
	a.app.Get("/favicon.ico", func(c *fiber.Ctx) error { return sendEmbedded(c, "favicon.png", "image/png", assetLife) })
}

func sendEmbedded(c *fiber.Ctx, name, media string, fresh time.Duration) error {
	text, err := docsFS.ReadFile("docs/" + name)
	if err != nil {
		return fmt.Errorf("docs page: %w", err)
	}

	return sendFile(c, file{text: text, etag: tagOf(text), media: media}, fresh)
}

// referenceList is what the reference page finds operations by.
type referenceList struct {
	Name        string          `json:"name"`
	Version     string          `json:"version"`
	Description string          `json:"description"`
	Areas       []referenceArea `json:"areas"`
}

type referenceArea struct {
	AboutArea

	Operations []referenceOperation `json:"operations"`
}

type referenceOperation struct {
	ID      string `json:"id"`
	Method  string `json:"method"`
	Path    string `json:"path"`
	Summary string `json:"summary"`
}

// newReference lists the operations of each area. It describes none, which is what takes time.
func (a *API) newReference() (packed, error) {
	list := referenceList{Name: a.about.Name, Version: a.about.Version, Description: introduction, Areas: []referenceArea{}}
	all := a.Operations()
	for _, area := range a.about.Areas {
		of := referenceArea{AboutArea: area}
		for _, o := range all {
			if o.Prefix == area.ID {
				of.Operations = append(of.Operations, referenceOperation{ID: o.ID, Method: o.Method, Path: o.Path, Summary: o.Summary})
			}
		}
		if len(of.Operations) > 0 {
			list.Areas = append(list.Areas, of)
		}
	}

	return newPacker().pack(func(w io.Writer) error { return json.NewEncoder(w).Encode(list) })
}

func maxAge(d time.Duration) string { return "public, max-age=" + strconv.Itoa(int(d.Seconds())) }
