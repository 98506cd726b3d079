package web

import (
	"embed"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/swaggest/swgui/v5/static"
)

//go:embed docs/index.html docs/docs.js
var docsFS embed.FS

// docsPolicy lets the docs page use what the service itself serves, and nothing else. Swagger UI
// draws its icons from data: addresses.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// assetLife is how long a browser may keep a part of the docs page without asking.
const assetLife = time.Hour

// docsRoutes serve the API reference. Its page names its parts relative to itself, so that it works
// behind a proxy that serves it below a path.
func (a *API) docsRoutes() {
	a.app.Get("/docs", func(c *fiber.Ctx) error {
		if strings.HasSuffix(c.Path(), "/") {
			return c.Redirect("../docs", fiber.StatusMovedPermanently)
		}
		c.Set(fiber.HeaderContentSecurityPolicy, docsPolicy)

		return sendEmbedded(c, "docs/index.html", fiber.MIMETextHTMLCharsetUTF8)
	})
	a.app.Get("/docs/docs.js", func(c *fiber.Ctx) error {
		return sendEmbedded(c, "docs/docs.js", fiber.MIMETextJavaScriptCharsetUTF8)
	})
	a.app.Get("/docs/swagger-ui.css", func(c *fiber.Ctx) error {
		return sendZipped(c, "swagger-ui.css.gz", "text/css; charset=utf-8")
	})
	a.app.Get("/docs/swagger-ui-bundle.js", func(c *fiber.Ctx) error {
		return sendZipped(c, "swagger-ui-bundle.js.gz", fiber.MIMETextJavaScriptCharsetUTF8)
	})
	a.app.Get("/favicon.ico", func(c *fiber.Ctx) error {
		icon, err := static.FS.ReadFile("favicon-32x32.png")
		if err != nil {
			return fmt.Errorf("icon: %w", err)
		}

		return sendFile(c, file{text: icon, etag: tagOf(icon), media: "image/png"}, assetLife)
	})
}

func sendEmbedded(c *fiber.Ctx, name, media string) error {
	text, err := docsFS.ReadFile(name)
	if err != nil {
		return fmt.Errorf("docs page: %w", err)
	}

	return sendFile(c, file{text: text, etag: tagOf(text), media: media}, 0)
}

// sendZipped sends a file that is kept compressed, which ends with its size (RFC 1952, 2.3.1).
func sendZipped(c *fiber.Ctx, name, media string) error {
	zipped, err := static.FS.ReadFile(name)
	if err != nil {
		return fmt.Errorf("docs page: %w", err)
	}
	size := int(binary.LittleEndian.Uint32(zipped[len(zipped)-4:]))

	return packed{gzipped: zipped, size: size, etag: tagOf([]byte(name + strconv.Itoa(len(zipped))))}.send(c, media, assetLife)
}

func maxAge(d time.Duration) string { return "public, max-age=" + strconv.Itoa(int(d.Seconds())) }
