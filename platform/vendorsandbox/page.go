package vendorsandbox

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the layout
	"encoding/base64"
	"encoding/json"
	"html"
	"html/template"
	"net/http"
	"slices"

	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	//go:embed page/layout.html
	layout string
	//go:embed page/layout.css
	layoutStyle string
)

// Pages makes the pages of a sandbox. They have no script; their style is in them, and is the only one that their policy lets in.
type Pages struct {
	markup *template.Template
	style  template.CSS
	policy string
	note   string
}

// NewPages returns pages that say in a note that they are a sandbox's. Content is the template that shows Page.Content, style is what
// its elements need beside those of the layout. A template that is wrong panics.
func NewPages(note, content, style string, functions template.FuncMap) *Pages {
	style = layoutStyle + style
	sum := sha256.Sum256([]byte(style))
	markup := template.Must(template.New("layout").Funcs(functions).Parse(layout))

	return &Pages{
		markup: template.Must(markup.New("content").Parse(content)), style: template.CSS(style), note: note, //nolint:gosec // our own
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	}
}

// Page is what a page shows, from top to bottom.
type Page struct {
	Heading         string
	Texts, Problems []string
	// Again is the text of a link to the page itself; "" for none.
	Again string
	// Onward is where the person goes on; "" for nowhere. With Redirect the browser goes there by itself.
	Onward   string
	Redirect bool
	// Content is what the template of the content shows; nil for none.
	Content any
}

// view is a page as the layout shows it.
type view struct {
	Page

	Style template.CSS
	Note  string
}

// Refresh is the attribute by which a browser goes on by itself.
func (v view) Refresh() template.HTMLAttr {
	if !v.Redirect || v.Onward == "" {
		return ""
	}

	return template.HTMLAttr(`content="0; url=` + html.EscapeString(v.Onward) + `"`) //nolint:gosec // escaped
}

// Show makes a page.
func (p *Pages) Show(shown Page) web.Page {
	var text bytes.Buffer
	if err := p.markup.ExecuteTemplate(&text, "layout", view{Page: shown, Style: p.style, Note: p.note}); err != nil {
		return web.Page{HTML: []byte("The page cannot be shown."), Policy: p.policy} // of a template and a value that are tested
	}

	return web.Page{HTML: text.Bytes(), Policy: p.policy}
}

// Refused makes the page of an answer that is a failure: of the link, or of what was entered. Label is what people call a field, "" for
// one whose message says it all.
func (p *Pages) Refused(a web.Answer, label func(field string) string) web.Page {
	var failure struct {
		Code    string              `json:"code"`
		Message string              `json:"message"`
		Errors  map[string][]string `json:"errors"`
	}
	_ = json.Unmarshal(a.JSON, &failure) //nolint:errcheck // without a message, the heading says it
	switch {
	case failure.Code == "link.used_up", failure.Code == "link.expired":
		return p.Show(Page{Heading: "This link cannot be used any more", Texts: []string{"It works once, or for a while. Please ask whoever gave it to you for a new one."}})
	case a.Status == http.StatusNotFound:
		return p.Show(Page{Heading: "This link is not valid", Texts: []string{
			"It may have been withdrawn, or a part of the address is missing.", "Please ask whoever gave you the link for a new one.",
		}})
	}
	shown := Page{Heading: "That did not work", Again: "Back"}
	for field, messages := range failure.Errors {
		for _, message := range messages {
			if name := label(field); name != "" {
				message = name + ": " + message
			}
			shown.Problems = append(shown.Problems, message)
		}
	}
	slices.Sort(shown.Problems)
	if len(shown.Problems) == 0 && failure.Message != "" {
		shown.Texts = []string{failure.Message}
	}

	return p.Show(shown)
}
