package packet

import (
	"embed"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

//go:embed page
var pageFiles embed.FS

// pages renders the pages on which carriers fill in a packet. They have no script.
type pages struct{ layout *page.Layout }

func newPages() *pages {
	return &pages{page.New(page.Parts{Content: page.File(pageFiles, "page/packet.html"), Style: page.File(pageFiles, "page/packet.css")})}
}

// stepPage is the content of the page of a step.
type stepPage struct {
	View

	Trail    []trail
	Intro    []string
	Forms    []page.Form
	Files    []FileView
	Contract string
	Next     string
	NextText string
	Summary  []StepView
}

// trail is an entry in the list of steps.
type trail struct {
	Name, Title, State string
	Current            bool
}

// packet renders the page of a packet.
func (p *pages) packet(a web.Answer) web.Page {
	var v View
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &v) != nil {
		return p.refused(a)
	}
	shown := page.Page{Brand: v.Brand}
	switch v.State {
	case Submitted:
		shown.Heading = "Thank you. Your packet was submitted"
		shown.Texts = []string{v.Brand.Name + " will review it. You can close this page."}
	case Approved:
		shown.Heading, shown.Texts = "Your packet was approved", []string{"Nothing more is needed from you."}
	case Rejected:
		shown.Heading = "Your packet was rejected"
		shown.Texts = []string{"Reason: " + v.Reason, "Ask " + v.Brand.Name + " to reopen the packet, and then correct it."}
	case Sent, Started, Expired, Revoked, None:
		return p.step(a, v)
	}

	return p.layout.Show(shown)
}

// step renders the page of one step.
func (p *pages) step(a web.Answer, v View) web.Page {
	name := v.Step
	if name == "" || name != stepReview && v.stepOf(name) == nil {
		name = v.firstOpen()
	}
	shown := page.Page{Brand: v.Brand, Heading: titles[name]}
	if text := problemText(v.Problem); text != "" {
		shown.Problems = []string{text}
	}
	content := stepPage{View: v, Trail: v.trail(name)}
	here := path.Base(a.Path) + "/"
	v.fill(name, here, &content, &shown)
	shown.Content = content

	return p.layout.Show(shown)
}

func (v *View) stepOf(name string) *StepView {
	at := slices.IndexFunc(v.Steps, func(s StepView) bool { return s.Name == name })
	if at < 0 {
		return nil
	}

	return &v.Steps[at]
}

// firstOpen returns the first incomplete step. The equipment is optional, but shown until it was saved once.
func (v *View) firstOpen() string {
	for _, s := range v.Steps {
		if !s.Done || !s.Saved && s.Name == stepEquipment {
			return s.Name
		}
	}

	return stepReview
}

// after returns the step that follows another one.
func (v *View) after(name string) string {
	at := slices.IndexFunc(v.Steps, func(s StepView) bool { return s.Name == name })
	if at >= 0 && at+1 < len(v.Steps) {
		return v.Steps[at+1].Name
	}

	return stepReview
}

func (v *View) trail(current string) (all []trail) {
	for _, s := range v.Steps {
		t := trail{Name: s.Name, Title: s.Title, State: "to do", Current: s.Name == current}
		switch {
		case s.Done && s.Saved:
			t.State = "complete"
		case s.Saved:
			t.State = "needs changes"
		case !s.Required:
			t.State = "optional"
		}
		all = append(all, t)
	}

	return append(all, trail{Name: stepReview, Title: titles[stepReview], Current: current == stepReview})
}

// problemText explains a failure that concerns no field.
func problemText(code string) string {
	switch code {
	case "":
		return ""
	case errChanged.Code:
		return "Someone else saved this step in the meantime. Check the values below and enter your changes again."
	case errClosed.Code:
		return "This packet was already submitted and cannot be changed."
	case errIncomplete.Code:
		return "Some steps are incomplete. Complete them, and then submit the packet."
	case errNotAccepted.Code:
		return "Enter your name and tick the box to accept the agreement."
	case "onetimecode.wrong":
		return "The code is wrong. Check it and try again."
	case "onetimecode.none":
		return "There is no valid code. Request a new one."
	case "onetimecode.too_many":
		return "Too many codes were requested. Try again later."
	case "notify.no_channel":
		return "Messages cannot be sent this way. Choose another way."
	case errTooMuch.Code:
		return "This packet has too many upload links. Ask for a new packet."
	default:
		return "Something is wrong with what you entered. Check it and try again."
	}
}

// saved redirects the browser after a form: to the next step, or back to the step that has a problem.
func (p *pages) saved(name string) func(web.Answer) web.Page {
	of := name
	switch name {
	case "agent":
		of = stepInsurance
	case "code":
		of = stepIdentity
	case "submit":
		of = stepReview
	}

	return func(a web.Answer) web.Page {
		packet := "../" + path.Base(path.Dir(a.Path))
		if a.Status != http.StatusOK {
			f := page.FailureOf(a)
			if a.Status == http.StatusNotFound || a.Status == http.StatusTooManyRequests && f.Code == link.ErrTooOften.Code || a.Status >= http.StatusInternalServerError ||
				len(f.Code) > 100 || a.Status == http.StatusUnprocessableEntity && f.Code == "web.invalid" || a.Status == http.StatusRequestEntityTooLarge {
				return p.refused(a)
			}

			return web.Page{Location: packet + "?" + url.Values{"step": {of}, "problem": {f.Code}}.Encode()}
		}
		var v View
		if json.Unmarshal(a.JSON, &v) != nil {
			return p.refused(a)
		}
		next := of
		if s := v.stepOf(of); s != nil && s.Done && name != "agent" {
			next = v.after(of)
		}

		return web.Page{Location: packet + "?step=" + next}
	}
}

// upload redirects the browser to the page of the upload link.
func (p *pages) upload(a web.Answer) web.Page {
	var made struct {
		URL string `json:"url"`
	}
	packet := path.Dir(a.Path)
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &made) != nil {
		if a.Status == http.StatusConflict {
			return web.Page{Location: "../" + path.Base(packet) + "?" + url.Values{"problem": {page.FailureOf(a).Code}}.Encode()}
		}

		return p.refused(a)
	}

	return web.Page{Location: backTo(made.URL, packet, stepReview)}
}

// refused renders the page of a failure.
func (p *pages) refused(a web.Answer) web.Page {
	return p.layout.Refused(a, func(field string) string {
		if field == "" {
			return ""
		}

		return strings.ToUpper(field[:1]) + strings.ReplaceAll(field[1:], "_", " ")
	})
}
