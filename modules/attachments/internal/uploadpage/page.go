// Package uploadpage has the page by which people send files by an upload link, and what it is told.
package uploadpage

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

//go:embed page
var pageFiles embed.FS

// Pages makes the pages for people who have an upload link.
type Pages struct{ layout *page.Layout }

// New returns the pages.
func New() *Pages {
	return &Pages{layout: page.New(page.Parts{Content: page.File(pageFiles, "page/upload.html"), Style: page.File(pageFiles, "page/upload.css"), Script: page.File(pageFiles, "page/upload.js")})}
}

// form is what the markup shows of a link that can be used.
type form struct {
	Asked                           Asked
	Accept, Rules, Until, UntilText string
	Photos                          bool
}

// Form is the page of a link that can be used.
func (p *Pages) Form(a web.Answer) web.Page {
	var asked Asked
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &asked) != nil {
		return p.layout.Show(problemPage(a))
	}
	shown := page.Page{Brand: page.Brand{Name: asked.Brand}, Heading: asked.Title, Scripted: true, Content: form{
		Asked: asked, Accept: strings.Join(asked.Types, ","), Rules: asked.rules(), Until: asked.ExpiresAt.Format(time.RFC3339), UntilText: asked.ExpiresAt.UTC().Format("2 January 2006, 15:04 UTC"),
		Photos: len(asked.Types) == 0 || slices.ContainsFunc(asked.Types, func(t string) bool { return strings.HasPrefix(t, "image/") }),
	}}
	if shown.Heading == "" {
		shown.Heading = "Send files"
	}
	if asked.Message != "" {
		shown.Texts = []string{asked.Message}
	}
	shown.Texts = append(shown.Texts, refusedNames(asked.Refused)...)

	return p.layout.Show(shown)
}

// Result is the page of an upload by the form itself, without script.
func (p *Pages) Result(a web.Answer) web.Page {
	var file Sent
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &file) != nil {
		return p.layout.Show(problemPage(a))
	}

	if file.Status == "refused" {
		return p.layout.Show(page.Page{
			Heading: "That file was refused", Texts: []string{file.FileName + " was found to be dangerous, and nobody can open it. Please check your device, and send another file."},
			Again: "Send another file", AgainQuery: file.query(), Onward: file.Back,
		})
	}

	return p.layout.Show(page.Page{
		Heading: "Thank you!", Texts: []string{fmt.Sprintf("%s has arrived (%s).", file.FileName, humanSize(file.Size))},
		Again: "Send another file", AgainQuery: file.query(), Onward: file.Back,
	})
}

// query is that of the page itself.
func (s Sent) query() string {
	if s.Back == "" {
		return ""
	}

	return url.Values{"back": {s.Back}}.Encode()
}

// refusedNames says which files were refused when they were scanned.
func refusedNames(names []string) []string {
	if len(names) == 0 {
		return nil
	}

	return []string{"Found to be dangerous, and refused: " + strings.Join(names, ", ") + "."}
}

// problemPage says what went wrong, and what to do about it.
func problemPage(a web.Answer) page.Page {
	var problem struct {
		Code    string              `json:"code"`
		Message string              `json:"message"`
		Errors  map[string][]string `json:"errors"`
		Details struct {
			Allowed []string `json:"allowed"`
			Refused []string `json:"refused"`
		} `json:"details"`
	}
	_ = json.Unmarshal(a.JSON, &problem) //nolint:errcheck // without a message, the heading tells
	const another = "If there is more to send, please ask the person who sent you the link for a new one."
	switch {
	case problem.Code == "link.used_up":
		return page.Page{Heading: "This link has been used", Texts: slices.Concat(refusedNames(problem.Details.Refused), []string{"All files that it was for have arrived.", another})}
	case problem.Code == "link.expired":
		return page.Page{Heading: "This link has expired", Texts: []string{another}}
	case problem.Code == store.ErrType.Code:
		shown := page.Page{Heading: "That file was not taken", Texts: []string{"Files of this kind are not taken here."}, Again: "Try again"}
		if names := typeNames(problem.Details.Allowed); names != "" {
			shown.Texts = append(shown.Texts, "It may be: "+names+".")
		}

		return shown
	case a.Status == http.StatusNotFound:
		return page.Page{Heading: "This link is not valid", Texts: []string{
			"It may have been withdrawn, or a part of the address is missing.", "Please ask the person who sent you the link for a new one.",
		}}
	case a.Status == http.StatusTooManyRequests:
		return page.Page{Heading: "Too many at a time", Texts: []string{"Please wait a minute, and try again."}, Again: "Try again"}
	}
	shown := page.Page{Heading: "That did not work", Again: "Try again", Texts: problem.Errors["file"]}
	if len(shown.Texts) == 0 && problem.Message != "" {
		shown.Texts = []string{problem.Message}
	}

	return shown
}

// rules says in words what may be sent.
func (a Asked) rules() string {
	number := "One file"
	if a.UploadsLeft > 1 {
		number = fmt.Sprintf("Up to %d files, each", a.UploadsLeft)
	}
	text := number + " of at most " + humanSize(a.MaxSize)
	if len(a.Types) > 0 {
		text += ": " + typeNames(a.Types)
	}

	return text + "."
}

// typeNames is what people call media types, "" for none.
func typeNames(types []string) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = typeName(t)
	}

	return strings.Join(slices.Compact(names), ", ")
}

// typeName is what people call a media type.
func typeName(media string) string {
	kind, name, _ := strings.Cut(media, "/")
	switch {
	case media == "application/pdf":
		return "PDF"
	case media == "image/*":
		return "photos and other images"
	case media == "text/plain":
		return "plain text"
	case name == "*":
		return kind
	case kind == "image":
		return strings.ToUpper(name)
	default:
		return media
	}
}

// humanSize is a number of bytes as people say it, rounded down.
func humanSize(size int64) string {
	for _, unit := range []struct {
		name   string
		factor int64
	}{{"GB", 1_000_000_000}, {"MB", 1_000_000}, {"KB", 1000}} {
		if size >= unit.factor {
			tenths := size * 10 / unit.factor
			if tenths%10 == 0 || tenths >= 100 {
				return fmt.Sprintf("%d %s", tenths/10, unit.name)
			}

			return fmt.Sprintf("%d.%d %s", tenths/10, tenths%10, unit.name)
		}
	}

	return fmt.Sprintf("%d bytes", size)
}
