package server

import (
	"net/http"

	"github.com/valyala/fasthttp"
)

// HeaderMethod is how clients behind a proxy that lets GET and POST through alone say what they mean.
const HeaderMethod = "X-HTTP-Method-Override"

// overrideMethod takes a POST for what it says that it is: nothing that is safer than a POST, so that a
// page of another origin, which may send simple requests, gains nothing.
func overrideMethod(h *fasthttp.RequestHeader) {
	if string(h.Method()) != http.MethodPost {
		return
	}
	switch meant := string(h.Peek(HeaderMethod)); meant {
	case http.MethodPut, http.MethodPatch, http.MethodDelete:
		h.SetMethod(meant)
	}
}
