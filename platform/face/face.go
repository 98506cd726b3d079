// Package face shows people without an account what an area has for them at a link, and lets them act on it.
//
// An area gives facts and verbs: a function makes the View of an answer, with cards of facts and the forms that are due, and each Verb is an
// operation below the page's path, which takes its form (web.Operation.TakesForm). What is the same for all is here: the layout, the way back
// from a form, what was entered wrong, and what a refusal means to an outsider. See docs/page.md.
package face

import (
	"cmp"
	_ "embed" // the markup
	"encoding/json"
	"html/template"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	//go:embed face.html
	markup string
	//go:embed face.css
	style string
	//go:embed face.js
	script string
)

// Verb is what people do on a page, with a form: POST <page>/<name>. Its fields have the names of the body's properties.
type Verb struct {
	// Name is the last element of the operation's path; "" for a POST to the page itself.
	Name string
	// Title is the heading of the form, Submit the text of its button. With Second, the button is not the main one of the page.
	Title, Submit string
	Second        bool
	// Fields are all that the form may have.
	Fields []page.Field
}

// Act is a Verb that is due, with what is known already.
type Act struct {
	Verb string
	// Title and Submit are those of the verb, unless they are given. Text stands above the form. Second makes the button not the main one.
	Title, Submit, Text string
	Second              bool
	// Hidden are sent along as they are, Values are in the fields, and Options are those of selects, each by the names of fields.
	Hidden, Values map[string]string
	Options        map[string][]page.Option
	// Without are fields that the form does not have. Fields are those of the verb, unless they are given.
	Without []string
	Fields  []page.Field
	// Problems are what is wrong with what the fields show, by their names; those of no field stand above.
	Problems map[string][]string
}

// Parts are what the pages of an area are made of. T is the body of the answer that a page shows.
type Parts[T any] struct {
	// View shows the body. link is the text of the link as a relative address, so that link+"/photo" is below the page.
	View  func(body T, link string) View
	Verbs []Verb
	// Told are what an outsider reads of refusals, by their codes. Without a text, the message of the refusal is shown on a page of its own.
	Told map[string]string
	// Labels are those of fields that no verb has.
	Labels map[string]string
	// Markup defines further templates (html/template) for View.Own, which Own names. Style and Script are theirs.
	Markup, Style, Script string
}

// Face renders the pages of an area. It may be used from several goroutines.
type Face[T any] struct {
	parts  Parts[T]
	layout *page.Layout
}

// New returns a Face. A template that is wrong panics when the first page is shown.
func New[T any](p Parts[T]) *Face[T] {
	own := p.Markup
	if own == "" {
		own = `{{define "own"}}{{end}}`
	}

	return &Face[T]{p, page.New(page.Parts{
		Content: own + markup, Style: style + p.Style, Script: script + p.Script, Functions: template.FuncMap{"join": strings.Join},
	})}
}

// Page shows the answer of the operation that reads what the link leads to.
func (f *Face[T]) Page(a web.Answer) web.Page {
	var body T
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &body) != nil {
		return f.Refused(a)
	}
	link := path.Base(a.Path)
	v := f.parts.View(body, link)
	if text := f.parts.Told[a.Query.Get("problem")]; text != "" {
		v.Problems = append([]string{text}, v.Problems...)
	}

	return f.layout.Show(v.page(&forms{verbs: f.parts.Verbs, link: link}))
}

// After leads from the form of a verb back to the page, which tells what was refused; or shows the form again, with what was entered and the
// problems at its fields.
func (f *Face[T]) After(a web.Answer) web.Page {
	return f.layout.AnsweredForm(a, f.parts.Told, f.label, f.entered(path.Base(a.Path), a))
}

// Again shows a refusal of the form that is sent to the page itself: the form with what was entered, if something entered is wrong.
func (f *Face[T]) Again(a web.Answer) web.Page {
	refused := page.RefusedPage(a, f.label)
	if refused.Again != "" {
		refused.Again, refused.Onward = "", path.Base(a.Path)
	}
	if form := f.entered("", a); form != nil && a.Status == http.StatusUnprocessableEntity {
		refused.Onward, refused.Form = "", form.Again(a.Form)
		refused.Form.Action = path.Base(a.Path)
		refused.Problems = page.Explain(refused.Form.Fields, page.FailureOf(a).Errors)
	}

	return f.layout.Show(refused)
}

// Refused shows a refusal on a page of its own.
func (f *Face[T]) Refused(a web.Answer) web.Page { return f.layout.Refused(a, f.label) }

// entered is the form of a verb with the fields that were sent.
func (f *Face[T]) entered(name string, a web.Answer) *page.Form {
	v, found := verbOf(f.parts.Verbs, name)
	if !found || a.Form == nil {
		return nil
	}
	form := &page.Form{Submit: v.Submit, Second: v.Second, Hidden: map[string]string{}}
	for _, of := range v.Fields {
		if kept, sent := sentOf(of, a); sent {
			form.Fields = append(form.Fields, kept)
		}
	}
	if len(form.Fields) == 0 {
		return nil
	}
	names := namesOf(form.Fields)
	for name := range a.Form {
		if !slices.Contains(names, name) {
			form.Hidden[name] = ""
		}
	}

	return form
}

// sentOf is a field, or a group of those of its fields, that a browser has sent. It does not send a checkbox that is not checked.
func sentOf(of page.Field, a web.Answer) (page.Field, bool) {
	if of.Type != "group" {
		return of, of.Type == "checkbox" || of.Type == "heading" || a.Form.Has(of.Name)
	}
	inner := of.Fields
	of.Fields = nil
	for _, one := range inner {
		if kept, sent := sentOf(one, a); sent {
			of.Fields = append(of.Fields, kept)
		}
	}

	return of, len(of.Fields) > 0
}

func namesOf(fields []page.Field) (names []string) {
	for _, of := range fields {
		names = append(append(names, of.Name), namesOf(of.Fields)...)
	}

	return names
}

func verbOf(verbs []Verb, name string) (Verb, bool) {
	i := slices.IndexFunc(verbs, func(v Verb) bool { return v.Name == name })
	if i < 0 {
		return Verb{}, false
	}

	return verbs[i], true
}

// label is what people call a field.
func (f *Face[T]) label(name string) string {
	if text := f.parts.Labels[name]; text != "" {
		return text
	}
	for _, v := range f.parts.Verbs {
		if text := labelIn(v.Fields, name); text != "" {
			return text
		}
	}

	return ""
}

func labelIn(fields []page.Field, name string) string {
	for _, of := range fields {
		if of.Name == name {
			return of.Label
		}
		if text := labelIn(of.Fields, name); text != "" {
			return strings.TrimPrefix(of.Label+", "+text, ", ")
		}
	}

	return ""
}

// forms makes the forms of a page.
type forms struct {
	verbs []Verb
	link  string
	// made is how many there are; rest are the problems that are of none of their fields.
	made int
	rest []string
}

// of are the forms of some acts. Fields that several forms have would have one id, so those of all but the first have their form's number in it.
func (f *forms) of(acts []Act) (all []due) {
	for _, a := range acts {
		v, found := verbOf(f.verbs, a.Verb)
		if !found {
			panic("face: no verb " + a.Verb) // a mistake of the area, which its first test finds
		}
		form := &page.Form{Hidden: a.Hidden, Submit: cmp.Or(a.Submit, v.Submit), Second: a.Second || v.Second, Name: v.Name, Fields: a.fill(v.Fields)}
		if v.Name != "" {
			form.Action = f.link + "/" + v.Name
		}
		if a.Fields != nil {
			form.Fields = a.fill(a.Fields)
		}
		f.rest = append(f.rest, page.Explain(form.Fields, a.Problems)...)
		if f.made++; f.made > 1 {
			form = form.Apart(v.Name + strconv.Itoa(f.made))
		}
		all = append(all, due{cmp.Or(a.Title, v.Title), a.Text, form})
	}

	return all
}

// fill has the fields of a form show what is known.
func (a Act) fill(fields []page.Field) (filled []page.Field) {
	for _, of := range fields {
		if slices.Contains(a.Without, of.Name) && of.Name != "" {
			continue
		}
		if value, known := a.Values[of.Name]; known {
			of.Value = value
		}
		if options := a.Options[of.Name]; options != nil {
			of.Options = options
		}
		of.Fields = a.fill(of.Fields)
		filled = append(filled, of)
	}

	return filled
}
