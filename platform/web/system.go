package web

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/web/etag"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

// home is what "/" answers.
type home struct {
	About

	Links map[string]string `json:"links"`
}

// fiberConfig is how the shared app is set up.
func (a *API) fiberConfig() fiber.Config {
	return fiber.Config{
		// Fiber reuses its buffers; handlers keep strings.
		Immutable:     true,
		CaseSensitive: true,
		// The handler runs before the body is there.
		StreamRequestBody: true,
		BodyLimit:         1,
		// Forms are parsed by the operation that reads one.
		DisablePreParseMultipartForm: true,

		ReadBufferSize: int(a.settings.HeaderLimit),
		ReadTimeout:    a.settings.ReadTimeout,
		IdleTimeout:    a.settings.IdleTimeout,
		// No WriteTimeout: it would cut off streams.

		// Who is calling is decided in client.go. Without trusted proxies Fiber believes no header.
		EnableTrustedProxyCheck: true,

		DisableStartupMessage:     true,
		DisableDefaultContentType: true,
		ErrorHandler:              a.onError,
		JSONEncoder:               jsonbody.Encode,
	}
}

// systemRoutes are the routes that every deployment has. One that serves only what it is told to (web.operations) does not
// say what else there is.
func (a *API) systemRoutes() {
	a.app.Get("/healthz", a.healthz)
	a.app.Get("/readyz", a.readyz)
	if len(a.settings.Operations) > 0 {
		return
	}
	about := home{About: a.about, Links: map[string]string{
		"docs": "/docs", "openapi": "/openapi.json", "health": "/healthz", "ready": "/readyz",
	}}
	a.app.Get("/", func(c *fiber.Ctx) error { return c.JSON(about) })
	a.app.Get("/openapi.json", a.openapi)
	a.docsRoutes()
}

// openapi answers with the OpenAPI document, whole or of an area. The first one who asks waits for it to be made, not the start.
func (a *API) openapi(c *fiber.Ctx) error {
	area := string(c.Context().QueryArgs().Peek("area"))
	all, err := a.documents()
	if err != nil {
		return err
	}
	document, known := all[area]
	if !known || area == "" && c.Context().QueryArgs().Has("area") {
		areas := slices.Sorted(maps.Keys(all))[1:]

		return httperror.ErrInvalid.WithField("area", fmt.Sprintf("There is no area %q. The areas are %s.", httperror.Printable(area), strings.Join(areas, ", ")))
	}

	return document.send(c, mediaJSON, 0)
}

// file is something that is served as it is.
type file struct {
	text  []byte
	etag  string
	media string
}

// sendFile answers with a file, or with 304 if the client has it. It may be kept for as long as
// fresh says, and has to be asked for after that.
func sendFile(c *fiber.Ctx, f file, fresh time.Duration) error {
	if sendHead(c, f, fresh) {
		return c.SendStatus(fiber.StatusNotModified)
	}

	return c.Send(f.text)
}

// sendHead sets the headers of a file, and reports whether the client has it.
func sendHead(c *fiber.Ctx, f file, fresh time.Duration) (has bool) {
	c.Set(fiber.HeaderETag, f.etag)
	c.Set(fiber.HeaderCacheControl, "no-cache")
	if fresh > 0 {
		c.Set(fiber.HeaderCacheControl, maxAge(fresh))
	}
	if known, has := etag.Known(c.Get(fiber.HeaderIfNoneMatch), f.etag); has {
		c.Set(fiber.HeaderETag, known)

		return true
	}
	c.Set(fiber.HeaderContentType, f.media)

	return false
}
