package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
)

const mediaHTML = "text/html"

// Page is an answer to a browser.
type Page struct {
	HTML []byte
	// Policy is its Content-Security-Policy.
	Policy string
	// Location, if it is not "", is the page that the browser is sent to instead (303): the one that comes after a form.
	Location string
}

// Answer is what an operation answers with, before it is made a page of. A page is made of nothing else, so
// it says nothing that the answer does not.
type Answer struct {
	Status int
	// JSON is the body: the operation's, or that of an error.
	JSON []byte
	// Path is the path of the request, as it came.
	Path string
	// Query is the query of the request.
	Query url.Values
	// Form is what was entered, for a page that asks again; nil unless the request was a form.
	Form url.Values
}

// opensByLink reports whether people open the operation, or send its form, by a link that others may have added to: messengers and mailers append keys such
// as fbclid and utm_source, which pages ignore.
func (e *endpoint) opensByLink() bool {
	return e.op.Access == Public && (e.op.Page != nil || e.op.Method == http.MethodGet && strings.Contains(e.op.Path, "{link}"))
}

// page answers a browser with a page instead of JSON.
func (e *endpoint) page(c *call) {
	if e.op.Page == nil {
		return
	}
	f := c.fiber
	f.Vary(fiber.HeaderAccept)
	if !prefersHTML(f.Get(fiber.HeaderAccept)) || len(f.Response().Body()) == 0 {
		return
	}
	query, _ := url.ParseQuery(string(f.Request().URI().QueryString())) //nolint:errcheck // what is no pair says nothing
	p := e.op.Page(Answer{
		Status: f.Response().StatusCode(), JSON: f.Response().Body(), Path: string(f.Request().URI().PathOriginal()), Query: query, Form: c.form,
	})
	f.Response().ResetBody()
	if p.Location != "" {
		f.Response().Header.Del(fiber.HeaderContentType)
		f.Status(fiber.StatusSeeOther).Set(fiber.HeaderLocation, p.Location)

		return
	}
	f.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	f.Set(fiber.HeaderContentSecurityPolicy, p.Policy)
	f.Response().SetBodyRaw(p.HTML)
}

// prefersHTML reports whether somebody would rather have HTML than JSON. Who takes anything gets JSON.
func prefersHTML(accept string) bool {
	return acceptWeight(accept, mediaHTML) > acceptWeight(accept, mediaJSON)
}

// acceptWeight is how much a media type is wanted by name, 0 if it is not named.
func acceptWeight(accept, media string) float64 {
	for entry := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(entry, ";")
		if !strings.EqualFold(strings.TrimSpace(name), media) {
			continue
		}
		for parameter := range strings.SplitSeq(parameters, ";") {
			key, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
			if q, err := strconv.ParseFloat(value, 64); key == "q" && err == nil {
				return q
			}
		}

		return 1
	}

	return 0
}
