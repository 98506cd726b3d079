package sandbox

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"html"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/web"
)

//go:embed page
var pageFiles embed.FS

// pages makes the pages of people who sign. They have no script; their style is in them, and is the only one that the
// policy lets in.
type pages struct {
	markup *template.Template
	style  template.CSS
	policy string
}

func newPages() *pages {
	style := pageFile("signing.css")
	sum := sha256.Sum256([]byte(style))

	return &pages{
		markup: template.Must(template.New("signing").Parse(pageFile("signing.html"))),
		style:  template.CSS(style), //nolint:gosec // our own
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	}
}

// pageFile is a file that the compiler has put in: without it, no page is made, and its tests fail.
func pageFile(name string) string {
	text, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		return ""
	}

	return string(text)
}

// page is what the markup shows.
type page struct {
	Style           template.CSS
	Heading         string
	Texts, Problems []string
	// Again is the text of a link to the page itself, Onward where the person goes on, "" for none. Refresh is the
	// attribute by which the browser goes there by itself.
	Again   string
	Onward  string
	Refresh template.HTMLAttr
	// Asked is nil unless something can be signed.
	Asked *signingBody
}

// Human is the label of a tab as people write it.
func (page) Human(t provider.Tab) string {
	text := strings.ReplaceAll(t.Label, "_", " ")
	if text == "" {
		return "Text"
	}

	return strings.ToUpper(text[:1]) + text[1:]
}

// Checked reports whether a box is checked.
func (page) Checked(t provider.Tab) bool { return checked(t) }

func (p *pages) show(shown page) web.Page {
	shown.Style = p.style
	var text bytes.Buffer
	if err := p.markup.Execute(&text, shown); err != nil { // of a template and a value that are tested
		return web.Page{HTML: []byte("The page cannot be shown."), Policy: p.policy}
	}

	return web.Page{HTML: text.Bytes(), Policy: p.policy}
}

// onward has a page lead somewhere, at once.
func (shown page) onward(address string) page {
	if address != "" {
		shown.Onward = address
		shown.Refresh = template.HTMLAttr(`content="0; url=` + html.EscapeString(address) + `"`) //nolint:gosec // escaped
	}

	return shown
}

// moved is the page of a link that leads to another.
func (p *pages) moved(a web.Answer) web.Page {
	var view viewBody
	if a.Status != http.StatusSeeOther || json.Unmarshal(a.JSON, &view) != nil {
		return p.show(refusedPage(a))
	}

	return p.show(page{Heading: "One moment"}.onward(view.URL))
}

// asked is the page on which somebody signs.
func (p *pages) asked(a web.Answer) web.Page {
	var asked signingBody
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &asked) != nil {
		return p.show(refusedPage(a))
	}
	shown := page{Heading: asked.Subject}
	switch {
	case asked.Can:
		shown.Asked = &asked
		if asked.Message != "" {
			shown.Texts = []string{asked.Message}
		}
	case asked.Mine == completed:
		shown.Heading, shown.Texts = "You have signed this", []string{asked.Subject}
	case asked.Mine == declined:
		shown.Heading, shown.Texts = "You have declined this", []string{asked.Subject}
	default:
		shown.Heading, shown.Texts = "There is nothing to sign here any more", []string{asked.Subject, "It was taken back, has expired, or somebody has declined it."}
	}
	if asked.ReturnTo != "" {
		shown.Onward = asked.ReturnTo
	}

	return p.show(shown)
}

// done is the page after somebody has signed, or not.
func (p *pages) done(a web.Answer) web.Page {
	var b signedBody
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &b) != nil {
		return p.show(refusedPage(a))
	}
	shown := page{Heading: "Thank you!", Texts: []string{"You have signed. There is nothing more to do."}}
	switch b.Outcome {
	case "declined":
		shown = page{Heading: "You have declined", Texts: []string{"The sender is told, with the reason that you gave."}}
	case "later":
		shown = page{Heading: "See you later", Texts: []string{"Nothing is signed yet. The link works for a while."}, Again: "Go on signing"}
	}

	return p.show(shown.onward(b.ReturnTo))
}

// refusedPage says what went wrong, and what to do about it.
func refusedPage(a web.Answer) page {
	var said struct {
		Code    string              `json:"code"`
		Message string              `json:"message"`
		Errors  map[string][]string `json:"errors"`
	}
	_ = json.Unmarshal(a.JSON, &said) //nolint:errcheck // without a message, the heading tells
	switch {
	case said.Code == "link.used_up", said.Code == "link.expired":
		return page{Heading: "This link cannot be used any more", Texts: []string{"It works once, or for a while. Please ask whoever gave it to you for a new one."}}
	case a.Status == http.StatusNotFound:
		return page{Heading: "This link is not valid", Texts: []string{
			"It may have been withdrawn, or a part of the address is missing.", "Please ask whoever gave you the link for a new one.",
		}}
	}
	shown := page{Heading: "That did not work", Again: "Back"}
	for field, messages := range said.Errors {
		for _, message := range messages {
			if label, ok := strings.CutPrefix(field, "tab."); ok {
				message = page{}.Human(provider.Tab{Label: label}) + ": " + message
			}
			shown.Problems = append(shown.Problems, message)
		}
	}
	slices.Sort(shown.Problems)
	if len(shown.Problems) == 0 && said.Message != "" {
		shown.Texts = []string{said.Message}
	}

	return shown
}
