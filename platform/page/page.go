// Package page renders the pages of people who have no account: those of capability links, such as a carrier's onboarding packet.
//
// A page is another face of an operation (web.Operation.Page): it is made of the operation's JSON answer, and of nothing else. It
// works without JavaScript, on a phone first, loads nothing from elsewhere, and its policy lets in its own style and script alone.
// Forms post to an operation with a Form (web.Operation.Form), whose page sends the browser on to the next one. Whose page it is, is
// in its link (platform/link), not in a cookie, so another site cannot have a form submitted.
//
// See docs/page.md.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the layout
	"encoding/base64"
	"encoding/json"
	"html"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dispatchd/dispatchd/platform/qr"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	//go:embed layout/layout.html
	layout string
	//go:embed layout/form.html
	formMarkup string
	//go:embed layout/layout.css
	layoutStyle string
)

// Parts are what the pages of an area have beside the layout.
type Parts struct {
	// Content is the template (html/template) of Page.Content. It may use the templates "form" and "field" with a Form and a Field.
	Content string
	// Style is what its elements need beside the layout's style; Script is the only script of the pages, "" for none.
	Style, Script string
	Functions     template.FuncMap
	// Note is shown above the heading of every page, such as that nothing here is binding; "" for none.
	Note string
}

// File returns the text of an embedded file, for Parts. Without the file, it panics.
func File(files fs.FS, name string) string {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		panic(err)
	}

	return string(text)
}

// Layout renders pages. It may be used from several goroutines.
type Layout struct {
	parts  Parts
	markup func() *template.Template
}

// New returns a layout. It is made when the first page is shown, and a template that is wrong panics then.
func New(parts Parts) *Layout {
	return &Layout{parts: parts, markup: sync.OnceValue(func() *template.Template {
		markup := template.Must(template.New("layout").Funcs(parts.Functions).Parse(layout))
		template.Must(markup.Parse(formMarkup))

		return template.Must(markup.New("content").Parse(parts.Content))
	})}
}

// Page is what a page shows, from top to bottom.
type Page struct {
	Brand Brand
	// Over stands above the heading, in small.
	Over, Heading string
	// Cards says that the content has grounds of its own, so that the page has none.
	Cards bool
	// Texts are paragraphs. Problems are errors that have no field; those of fields are in the fields of Forms.
	Texts, Problems []string
	// Again is the text of a link to the page itself, with the query AgainQuery; "" for none.
	Again, AgainQuery string
	// Scan is the address that a QR code under the texts has, "" for none.
	Scan string
	// Links are a list under the texts.
	Links []Link
	// Onward is where the person goes on; "" for nowhere. With Redirect the browser goes there by itself, after Wait seconds.
	Onward   string
	Redirect bool
	Wait     int
	// Form is shown under the content; nil for none.
	Form *Form
	// Back is where a link under the content leads back to, "" for nowhere.
	Back string
	// Content is what the template of the content shows; nil for none. Scripted adds the script of the parts.
	Content  any
	Scripted bool
	// Pictures lets in images of the service itself.
	Pictures bool
	// Foreign is somebody else's script that runs before that of the parts; nil for none.
	Foreign *Foreign
}

// Link leads to another page, or to a document. Note is what stands beside it.
type Link struct{ Text, Path, Note string }

// Foreign is a script of another host, which a page of card fields cannot do without. It can do all that the page can, so it is named
// by our own code, and never by what somebody has entered.
type Foreign struct {
	// Src is its address; further scripts and styles of its host are let in.
	Src string
	// Code is ours, and runs after it.
	Code string
	// Frames and Connects are further origins that its frames are at, and that it calls.
	Frames, Connects []string
}

// origin is the host of the script, as a policy names it.
func (f Foreign) origin() string {
	at, err := url.Parse(f.Src)
	if err != nil || at.Host == "" {
		return "'none'"
	}

	return at.Scheme + "://" + at.Host
}

// view is a page as the layout shows it.
type view struct {
	Page

	Style               template.CSS
	Script, ForeignCode template.JS
	Note                string
}

// Refresh is the attribute by which a browser continues automatically.
func (v view) Refresh() template.HTMLAttr {
	if !v.Redirect || v.Onward == "" {
		return ""
	}

	return template.HTMLAttr(`content="` + strconv.Itoa(v.Wait) + `; url=` + html.EscapeString(v.Onward) + `"`) //nolint:gosec // escaped
}

// Code is the QR code of the page, "" for none.
func (v view) Code() template.HTML {
	if v.Scan == "" {
		return ""
	}
	code, err := qr.Of(v.Scan)
	if err != nil {
		return "" // the address is among the texts
	}

	return template.HTML(code.SVG("QR code of the address")) //nolint:gosec // made of squares
}

// Show renders a page.
func (l *Layout) Show(shown Page) web.Page {
	style := layoutStyle + l.parts.Style + shown.Brand.style()
	styles, scripts, connects, frames := []string{sourceOf(style)}, []string{}, []string{}, []string{}
	v := view{Page: shown, Style: template.CSS(style), Note: l.parts.Note} //nolint:gosec // our own, and a color that was checked
	if f := shown.Foreign; f != nil {
		styles, scripts = append(styles, f.origin()), append(scripts, f.origin(), sourceOf(f.Code))
		frames, connects = append(append(frames, f.origin()), f.Frames...), append(append(connects, f.origin()), f.Connects...)
		v.ForeignCode = template.JS(f.Code) //nolint:gosec // our own
	}
	if shown.Scripted {
		scripts, connects = append(scripts, sourceOf(l.parts.Script)), append(connects, "'self'")
		v.Script = template.JS(l.parts.Script) //nolint:gosec // our own
	}
	images := []string{"data:"}
	if shown.Pictures || shown.Brand.Logo != "" {
		images = append(images, "'self'")
	}
	policy := "default-src 'none'" + directive("img-src", images) + "; form-action 'self'; base-uri 'none'; frame-ancestors 'none'" +
		directive("style-src", styles) + directive("script-src", scripts) + directive("connect-src", connects) + directive("frame-src", frames)
	var text bytes.Buffer
	if err := l.markup().ExecuteTemplate(&text, "layout", v); err != nil {
		return web.Page{HTML: []byte("The page cannot be shown."), Policy: policy} // of a template and a value that are tested
	}

	return web.Page{HTML: text.Bytes(), Policy: policy}
}

// directive is a part of a policy, "" without sources: then the default is in force.
func directive(name string, sources []string) string {
	if len(sources) == 0 {
		return ""
	}

	return "; " + name + " " + strings.Join(sources, " ")
}

// sourceOf is how a policy names a text in a page.
func sourceOf(text string) string {
	sum := sha256.Sum256([]byte(text))

	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Failure is an answer that is an error, as a page reads it.
type Failure struct {
	Code    string              `json:"code"`
	Message string              `json:"message"`
	Errors  map[string][]string `json:"errors"`
	Details json.RawMessage     `json:"details"`
}

// FailureOf reads the error of an answer. Without one it is zero.
func FailureOf(a web.Answer) Failure {
	var f Failure
	_ = json.Unmarshal(a.JSON, &f) //nolint:errcheck // without a message, the heading says it

	return f
}

// Answered leads from a form back to the page that it stands on, one step up. Failures that this page explains, by their codes, go along as its
// query problem; any other is a page of its own, which label names the fields for.
func (l *Layout) Answered(a web.Answer, explained map[string]string, label func(field string) string) web.Page {
	return l.AnsweredForm(a, explained, label, nil)
}

// AnsweredForm is Answered for a form that is shown again, with what was entered and the problems at its fields, when something entered is wrong. The form is
// as on its page, but for values; nil for none.
func (l *Layout) AnsweredForm(a web.Answer, explained map[string]string, label func(field string) string, form *Form) web.Page {
	back := "../" + path.Base(path.Dir(a.Path))
	if a.Status < http.StatusMultipleChoices {
		return web.Page{Location: back}
	}
	if code := FailureOf(a).Code; explained[code] != "" {
		return web.Page{Location: back + "?problem=" + code}
	}
	if failure := FailureOf(a); form != nil && a.Form != nil && a.Status == http.StatusUnprocessableEntity && len(failure.Errors) > 0 {
		again := form.Again(a.Form)
		again.Action = path.Base(a.Path)

		return l.Show(Page{Heading: "Please check what you have entered", Problems: Explain(again.Fields, failure.Errors), Form: again, Back: back})
	}
	refused := RefusedPage(a, label)
	if refused.Again != "" {
		refused.Again, refused.Onward = "", back
	}

	return l.Show(refused)
}

// Refused renders the page of an answer that is a failure: of the link, or of what was entered. Label is what people call a field,
// "" for one whose message says it all; nil is for a page without fields.
func (l *Layout) Refused(a web.Answer, label func(field string) string) web.Page {
	return l.Show(RefusedPage(a, label))
}

// RefusedPage is the page that Refused renders.
func RefusedPage(a web.Answer, label func(field string) string) Page {
	failure := FailureOf(a)
	switch {
	case failure.Code == "link.used_up", failure.Code == "link.expired":
		return Page{Heading: "This link is no longer valid", Texts: []string{"It works once, or for a while. Please ask the person who sent it to you for a new one."}}
	case failure.Code == "link.unavailable":
		return Page{Heading: "This page is not available at the moment", Texts: []string{"Please try again later, or ask the person who sent you the link."}, Again: "Try again"}
	case a.Status == http.StatusNotFound:
		return Page{Heading: "This link is not valid", Texts: []string{
			"It may have been withdrawn, or a part of the address is missing.", "Please ask the person who sent you the link for a new one.",
		}}
	case a.Status == http.StatusTooManyRequests:
		return Page{Heading: "Too many at a time", Texts: []string{"Please wait a minute, and try again."}, Again: "Try again"}
	}
	shown := Page{Heading: "That did not work", Again: "Back"}
	for field, messages := range failure.Errors {
		for _, message := range messages {
			if label != nil && label(field) != "" {
				message = label(field) + ": " + message
			}
			shown.Problems = append(shown.Problems, message)
		}
	}
	slices.Sort(shown.Problems)
	if len(shown.Problems) == 0 && failure.Message != "" {
		shown.Texts = []string{failure.Message}
	}

	return shown
}
