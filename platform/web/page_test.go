package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

type shownInput struct {
	upload.Upload

	Name string `path:"name"`
}

type shownOutput struct {
	Body struct {
		Size int `json:"size"`
	}
}

// servePages serves an operation that answers browsers with a page, whose body may be left out.
func servePages(t *testing.T) *service {
	t.Helper()

	return serveFlows(t, func(r *web.Router) {
		web.Register(r, web.Operation{
			Method: http.MethodPut, Path: "/shown/{name}", ID: "show", Summary: "Show", Access: web.Write,
			Errors: []*errs.Error{errNoThing}, Consumes: []string{"text/x-thing"}, BodyOptional: true,
			Headers: [][2]string{{"X-Thing", "1"}},
			Page: func(a web.Answer) web.Page {
				var body struct {
					Size    int    `json:"size"`
					Message string `json:"message"`
				}
				if err := json.Unmarshal(a.JSON, &body); err != nil {
					body.Message = err.Error()
				}

				return web.Page{Policy: "default-src 'self'", HTML: fmt.Appendf(nil, "<p>%d %d %s", a.Status, body.Size, html.EscapeString(body.Message))}
			},
		}, func(_ context.Context, in *shownInput) (*shownOutput, error) {
			if in.Name == "none" {
				return nil, errNoThing
			}
			text, err := io.ReadAll(in)
			out := &shownOutput{}
			out.Body.Size = len(text)

			return out, err
		})
	})
}

func TestPage_IsForWhoWouldRatherHaveHTML(t *testing.T) {
	t.Parallel()
	s := servePages(t)
	for accept, page := range map[string]bool{
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true, "text/html": true, "application/json;q=0.5, text/html;q=0.9": true,
		"*/*": false, "application/json": false, "application/json, text/html;q=0.9": false, "text/html;q=0": false, "text/*": false,
	} {
		r := s.call(t, http.MethodPut, flowsPath+"shown/thing", "text", "Content-Type: text/x-thing", "Accept: "+accept)
		require.Equal(t, http.StatusOK, r.StatusCode)
		require.Contains(t, r.Header.Get("Vary"), "Accept")
		require.Equal(t, "1", r.Header.Get("X-Thing"))
		require.Equal(t, page, r.Header.Get("Content-Type") == "text/html; charset=utf-8", accept)
		require.Equal(t, page, r.Header.Get("Content-Security-Policy") == "default-src 'self'", accept)
	}
}

func TestPage_ShowsRefusalsOfAllKinds(t *testing.T) {
	t.Parallel()
	s := servePages(t)
	for _, c := range []struct {
		path, media, authorization string
		status                     int
	}{
		{"none", "text/x-thing", "Bearer all", 404},
		{"thing", "text/html", "Bearer all", 415},
		{"thing", "text/x-thing", "", 401},
		{"thing?a=b", "text/x-thing", "Bearer all", 422},
	} {
		r := s.call(t, http.MethodPut, flowsPath+"shown/"+c.path, "text", "Content-Type: "+c.media, "Accept: text/html", "Authorization: "+c.authorization)
		require.Equal(t, c.status, r.StatusCode)
		require.Contains(t, r.body, fmt.Sprintf("<p>%d 0 ", c.status))
		require.Equal(t, "1", r.Header.Get("X-Thing"), "headers of the operation are on refusals too")
	}
}

func TestUpload_MayBeWithoutABodyWhereItIsOptional(t *testing.T) {
	t.Parallel()
	s := servePages(t)
	r := s.call(t, http.MethodPut, flowsPath+"shown/thing", "", "Content-Type:")
	require.Equal(t, http.StatusOK, r.StatusCode, r.body)
	require.JSONEq(t, `{"size": 0}`, r.body)
}

func TestMethod_OfAPostMayBeAnotherThatChangesThings(t *testing.T) {
	t.Parallel()
	s := servePages(t)
	post := func(method, meant string) int {
		return s.call(t, method, flowsPath+"shown/thing", "text", "Content-Type: text/x-thing", "X-HTTP-Method-Override: "+meant).StatusCode
	}
	require.Equal(t, http.StatusOK, post(http.MethodPost, "PUT"))
	require.Equal(t, http.StatusMethodNotAllowed, post(http.MethodPost, "DELETE"))
	require.Equal(t, http.StatusMethodNotAllowed, post(http.MethodPost, "GET"), "it stays a POST")
	require.Equal(t, http.StatusMethodNotAllowed, post(http.MethodGet, "PUT"))
	require.Equal(t, http.StatusMethodNotAllowed, post(http.MethodPost, "FOO"))
}

func TestPage_IgnoresKeysThatOthersAddToItsLink(t *testing.T) {
	t.Parallel()
	type formInput struct {
		Link    string `path:"link"`
		Problem string `query:"problem" maxLength:"10"`
		Body    struct {
			Name string `json:"name"`
		}
	}
	type readInput struct {
		Link    string `path:"link"`
		Problem string `query:"problem" maxLength:"10"`
	}
	page := func(a web.Answer) web.Page {
		return web.Page{HTML: fmt.Appendf(nil, "<p>%d %s%s", a.Status, html.EscapeString(a.Form.Get("name")), html.EscapeString(a.Query.Get("utm_source")))}
	}
	s := serveFlows(t, func(r *web.Router) {
		web.Register(r, web.Operation{Method: http.MethodGet, Path: "/opened/{link}", ID: "open", Summary: "Open", Access: web.Public, Errors: []*errs.Error{errNoThing}, Page: page},
			func(context.Context, *readInput) (*shownOutput, error) { return &shownOutput{}, nil })
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/opened/{link}", ID: "enter", Summary: "Enter", Access: web.Public, Errors: []*errs.Error{errNoThing}, Page: page,
			TakesForm: true,
		}, func(context.Context, *formInput) (*shownOutput, error) { return nil, errNoThing })
	})
	const path = "/flows/api/v1/opened/x?fbclid=1&utm_source=a&utm_source=b&%ff=1"
	s.call(t, http.MethodGet, path, "").ok(t)
	r := s.call(t, http.MethodGet, path, "", "Accept: text/html")
	require.Contains(t, r.body, "<p>200")
	r = s.call(t, http.MethodPost, path, "name=Ann", "Accept: text/html", "Content-Type: application/x-www-form-urlencoded")
	require.Contains(t, r.body, "<p>404 Anna")
	s.call(t, http.MethodGet, "/flows/api/v1/opened/x?problem=12345678901", "").refused(t, 422)
}
