package web

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/web/httperror"
)

// serve surrounds every request: it gets an id, is answered even if its handler panics, and is
// logged.
func (a *API) serve(c *fiber.Ctx) error {
	started := time.Now() //nolint:forbidigo // to measure, nothing is decided by it
	ex := a.newExchange(c)
	a.secure(c)
	a.seen.arrived()
	a.next(c, ex)
	a.compress(c, ex)
	a.accountAnswer(c, ex)
	if c.GetRespHeader(fiber.HeaderCacheControl) == "" {
		c.Set(fiber.HeaderCacheControl, cacheControl(c, ex))
	}
	took := time.Since(started)
	if a.detach(c, ex, started) {
		a.seen.streaming(ex, took)

		return nil
	}
	a.seen.answered(c, ex, took)
	a.logAccess(c, ex, took)
	ex.finishBody(c)
	ex.sending(c)

	return nil
}

// next runs what serves the request, and answers for it when it fails.
func (a *API) next(c *fiber.Ctx, ex *exchange) {
	defer func() {
		if p := recover(); p != nil {
			ex.dropStream()
			a.log.LogAttrs(ex.latest(), slog.LevelError, "request panicked",
				slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
			// What the handler set so far is about an answer that will not come.
			origin := c.GetRespHeader(fiber.HeaderAccessControlAllowOrigin)
			c.Response().Reset()
			c.Set(fiber.HeaderXRequestID, ex.id)
			if origin != "" { // without it, a page could not read that something failed
				c.Set(fiber.HeaderAccessControlAllowOrigin, origin)
				c.Vary(fiber.HeaderOrigin)
			}
			a.secure(c)
			a.send(c, newHTTPError(ex, httperror.ErrInternal))
		}
	}()
	if err := c.Next(); err != nil {
		if err := a.onError(c, err); err != nil {
			panic(err)
		}
	}
}

// cacheControl lets nobody keep an answer but, if it can be asked for again by its tag, the client.
func cacheControl(c *fiber.Ctx, ex *exchange) string {
	secret := ex.call.endpoint != nil && ex.call.endpoint.op.Secret
	if !secret && c.GetRespHeader(fiber.HeaderETag) != "" {
		return "private, no-cache"
	}

	return "no-store"
}

// logAccess logs a request by its route: a path or a query may hold what is nobody's business.
func (a *API) logAccess(c *fiber.Ctx, ex *exchange, took time.Duration) {
	level := slog.LevelInfo
	if ex.call.endpoint == nil {
		level = slog.LevelDebug // probes, the docs page, and what nobody serves
	}
	if !a.settings.AccessLog || !a.log.Enabled(ex, level) {
		return
	}
	pattern := c.Route().Path
	if ex.call.endpoint != nil {
		pattern = ex.call.endpoint.info.Path
	}
	// Not through the logger, which looks each time for the line of the program that logs.
	record := slog.NewRecord(time.Now(), level, "request", 0) //nolint:forbidigo // the log's own time
	record.AddAttrs(
		slog.String("method", c.Method()),
		slog.String("route", pattern),
		slog.Int("status", c.Response().StatusCode()),
		slog.Duration("took", took),
	)
	_ = a.log.Handler().Handle(ex.latest(), record) //nolint:errcheck // as the logger does: there is nowhere to say it
}
