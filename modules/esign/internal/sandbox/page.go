package sandbox

import (
	"embed"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"

	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

//go:embed page
var pageFiles embed.FS

// pageFile is a file that the compiler has put in: without it, no page is made, and its tests fail.
func pageFile(name string) string {
	text, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		return ""
	}

	return string(text)
}

// pages makes the pages of people who sign.
type pages struct{ layout *page.Layout }

func newPages() pages {
	return pages{layout: page.New(page.Parts{
		Note: "This is a sandbox: nothing that is signed here is binding.", Content: pageFile("signing.html"), Style: pageFile("signing.css"),
		Functions: template.FuncMap{"human": humanLabel, "checked": isChecked},
	})}
}

// humanLabel is the label of a tab as people write it.
func humanLabel(label string) string {
	text := strings.ReplaceAll(label, "_", " ")
	if text == "" {
		return "Text"
	}

	return strings.ToUpper(text[:1]) + text[1:]
}

// redirectPage is the page of a link that leads to another.
func (p pages) redirectPage(a web.Answer) web.Page {
	var view viewBody
	if a.Status != http.StatusSeeOther || json.Unmarshal(a.JSON, &view) != nil {
		return p.refused(a)
	}

	return p.layout.Show(page.Page{Heading: "One moment", Onward: view.URL, Redirect: true})
}

// signingPage is the page on which somebody signs.
func (p pages) signingPage(a web.Answer) web.Page {
	var asked signingBody
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &asked) != nil {
		return p.refused(a)
	}
	shown := page.Page{Heading: asked.Subject, Onward: asked.ReturnTo}
	switch {
	case asked.Can:
		shown.Content = asked
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

	return p.layout.Show(shown)
}

// donePage is the page after somebody has signed, or not.
func (p pages) donePage(a web.Answer) web.Page {
	var b signedBody
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &b) != nil {
		return p.refused(a)
	}
	shown := page.Page{Heading: "Thank you!", Texts: []string{"You have signed. There is nothing more to do."}}
	switch b.Outcome {
	case "declined":
		shown = page.Page{Heading: "You have declined", Texts: []string{"The sender is told, with the reason that you gave."}}
	case "later":
		shown = page.Page{Heading: "See you later", Texts: []string{"Nothing is signed yet. The link works for a while."}, Again: "Go on signing"}
	}
	shown.Onward, shown.Redirect = b.ReturnTo, true

	return p.layout.Show(shown)
}

// refused says what went wrong, and what to do about it.
func (p pages) refused(a web.Answer) web.Page {
	return p.layout.Refused(a, func(field string) string {
		if label, ok := strings.CutPrefix(field, tabField); ok {
			return humanLabel(label)
		}

		return ""
	})
}
