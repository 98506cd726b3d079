package web

import (
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// headerClaim is what a request has, inside the service, in the place of a Content-Length that nobody takes.
const headerClaim = "Dispatchd-Claimed-Length"

// refuseClaim has a body that is larger than any operation takes not waited for: fasthttp would, for its beginning, before
// anybody is asked. The client is answered at once, and the connection closed;
// what it sends until it has seen the answer is dropped.
func (a *API) refuseClaim(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	h.Del(headerClaim)
	if length := h.ContentLength(); int64(length) > max(a.largest, drainBytes) { // what is less is read and dropped, so that the client sees why
		h.Set(headerClaim, strconv.Itoa(length))
		h.SetContentLength(0)
		h.SetConnectionClose()
		h.Del(fiber.HeaderExpect)
	}

	return fasthttp.RequestConfig{}
}

// claimed is how long the client says that the body is, in bytes; negative if it does not.
func claimed(h *fasthttp.RequestHeader) int64 {
	if length, err := strconv.ParseInt(string(h.Peek(headerClaim)), 10, 64); err == nil {
		return length
	}

	return int64(h.ContentLength())
}
