package server

import (
	"strconv"

	"github.com/valyala/fasthttp"
)

// headerClaim is what a request has, inside the service, in the place of a Content-Length that nobody takes.
const headerClaim = "Dispatchd-Claimed-Length"

// received looks at the head of a request before its body is read.
func (s *Server) received(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	h.Del(headerFlaw)
	h.Del(headerClaim)
	h.Del(headerLength)
	if flaw := headFlaw(h); flaw != "" {
		h.Set(headerFlaw, flaw)
		leaveBody(h)

		return fasthttp.RequestConfig{}
	}
	s.refuseClaim(h)
	hideLength(h)

	return fasthttp.RequestConfig{}
}

// headerLength is where a request has its Content-Length until its handler runs.
const headerLength = "Dispatchd-Length"

// lengthOfChunks is fasthttp's length of a body in chunks.
const lengthOfChunks = -1

// hideLength has fasthttp call the handler at once: of a body whose length it knows it waits for the beginning, and a client
// that is to be refused may not have sent that yet. Of a body in chunks, for which it takes this one, it waits for nothing.
func hideLength(h *fasthttp.RequestHeader) {
	if length := h.ContentLength(); length > 0 {
		h.Set(headerLength, strconv.Itoa(length))
		h.SetContentLength(lengthOfChunks)
	}
}

// showLength undoes hideLength before anything is read.
func showLength(h *fasthttp.RequestHeader) {
	text := h.Peek(headerLength)
	if len(text) == 0 {
		return
	}
	if length, err := strconv.Atoi(string(text)); err == nil {
		h.SetContentLength(length)
	}
	h.Del(headerLength)
}

// leaveBody has the body of a request not waited for, and its connection closed.
func leaveBody(h *fasthttp.RequestHeader) {
	h.SetContentLength(0)
	h.SetConnectionClose()
	h.Del("Expect")
}

// refuseClaim has a body that is larger than any operation takes not waited for: fasthttp would, for its beginning, before
// anybody is asked. The client is answered at once, and the connection closed;
// what it sends until it has seen the answer is dropped.
func (s *Server) refuseClaim(h *fasthttp.RequestHeader) {
	if length := h.ContentLength(); int64(length) > max(s.config.LargestBody, DrainBytes) { // what is less is read and dropped, so that the client sees why
		h.Set(headerClaim, strconv.Itoa(length))
		leaveBody(h)
	}
}

// ClaimedLength is how long the client says that the body is, in bytes; negative if it does not.
func ClaimedLength(h *fasthttp.RequestHeader) int64 {
	if length, err := strconv.ParseInt(string(h.Peek(headerClaim)), 10, 64); err == nil {
		return length
	}

	return int64(h.ContentLength())
}
