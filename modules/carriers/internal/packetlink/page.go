package packetlink

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

// pages are those on which carriers fill in a packet. They have no script.
type pages struct{ face *face.Face[View] }

func newPages() *pages {
	return &pages{face.New(face.Parts[View]{
		View: func(v View, _ string) face.View { return v.shown() },
		Verbs: []face.Verb{
			{Name: packet.StepProfile, Submit: saveAndContinue},
			{Name: packet.StepEquipment, Submit: saveAndContinue},
			{Name: packet.StepInsurance, Submit: "Save"},
			{Name: packet.StepRemitTo, Submit: saveAndContinue},
			{Name: packet.StepAgreement, Submit: "Accept"},
			{Name: packet.StepIdentity},
			{Name: "code", Submit: "Confirm"},
			{Name: "submit", Submit: "Submit the packet"},
			{Name: "uploads", Second: true},
			{Name: "agent", Title: "Or ask your insurance agent", Submit: "Send the link", Second: true},
		},
		Labels: fieldLabels,
	})}
}

const saveAndContinue = "Save and continue"

// shown is what the page of a packet shows.
func (v *View) shown() face.View {
	shown := face.View{Brand: v.Brand, Over: "Onboarding of " + v.Carrier.Name, Narrow: true}
	switch v.State {
	case packet.Submitted:
		shown.Heading, shown.Next = "Thank you. Your packet was submitted", []string{v.Brand.Name + " will review it. You can close this page."}
	case packet.Approved:
		shown.Heading, shown.Next = "Your packet was approved", []string{"Nothing more is needed from you."}
	case packet.Rejected:
		shown.Heading = "Your packet was rejected"
		shown.Next = []string{"Reason: " + v.Reason, "Ask " + v.Brand.Name + " to reopen the packet, and then correct it."}
	case packet.Sent, packet.Started, packet.Expired, packet.Revoked, packet.None:
		v.fill(&shown)
	}

	return shown
}

// fill has the page show the step that is asked for, by default the first one that is incomplete.
func (v *View) fill(shown *face.View) {
	name := v.Step
	if name == "" || name != packet.StepReview && v.stepOf(name) == nil {
		name = v.firstOpen()
	}
	shown.Heading = packet.Titles[name]
	if text := problemText(v.Problem); text != "" {
		shown.Problems = []string{text}
	}
	all := face.Card{Title: "All steps", Folded: true}
	for _, s := range append(slices.Clone(v.Steps), packet.StepView{Name: packet.StepReview, Title: packet.Titles[packet.StepReview]}) {
		shown.Steps = append(shown.Steps, face.Step{Text: s.Title, Done: s.Done && s.Saved, Now: s.Name == name})
		all.Links = append(all.Links, page.Link{Text: s.Title, Path: "?step=" + s.Name, Note: standing(s)})
	}
	v.show(name, shown)
	shown.Cards = append(shown.Cards, all)
}

// standing says how far a step is.
func standing(s packet.StepView) string {
	switch {
	case s.Name == packet.StepReview:
		return ""
	case s.Done && s.Saved:
		return "complete"
	case s.Saved:
		return "needs changes"
	case !s.Required:
		return "optional"
	default:
		return "to do"
	}
}

func (v *View) stepOf(name string) *packet.StepView {
	at := slices.IndexFunc(v.Steps, func(s packet.StepView) bool { return s.Name == name })
	if at < 0 {
		return nil
	}

	return &v.Steps[at]
}

// firstOpen returns the first incomplete step. The equipment is optional, but shown until it was saved once.
func (v *View) firstOpen() string {
	for _, s := range v.Steps {
		if !s.Done || !s.Saved && s.Name == packet.StepEquipment {
			return s.Name
		}
	}

	return packet.StepReview
}

// after returns the step that follows another one.
func (v *View) after(name string) string {
	at := slices.IndexFunc(v.Steps, func(s packet.StepView) bool { return s.Name == name })
	if at >= 0 && at+1 < len(v.Steps) {
		return v.Steps[at+1].Name
	}

	return packet.StepReview
}

// problemText explains a failure that concerns no field.
func problemText(code string) string {
	switch code {
	case "":
		return ""
	case packet.ErrChanged.Code:
		return "Someone else saved this step in the meantime. Check the values below and enter your changes again."
	case packet.ErrClosed.Code:
		return "This packet was already submitted and cannot be changed."
	case packet.ErrIncomplete.Code:
		return "Some steps are incomplete. Complete them, and then submit the packet."
	case packet.ErrNotAccepted.Code:
		return "Enter your name and tick the box to accept the agreement."
	case "onetimecode.wrong":
		return "The code is wrong. Check it and try again."
	case "onetimecode.none":
		return "There is no valid code. Request a new one."
	case "onetimecode.too_many":
		return "Too many codes were requested. Try again later."
	case "notify.no_channel":
		return "Messages cannot be sent this way. Choose another way."
	case packet.ErrTooManyLinks.Code:
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
		of = packet.StepInsurance
	case "code":
		of = packet.StepIdentity
	case "submit":
		of = packet.StepReview
	}

	return func(a web.Answer) web.Page {
		at := "../" + path.Base(path.Dir(a.Path))
		if a.Status != http.StatusOK {
			f := page.FailureOf(a)
			if a.Status == http.StatusNotFound || a.Status == http.StatusTooManyRequests && f.Code == link.ErrTooOften.Code || a.Status >= http.StatusInternalServerError ||
				len(f.Code) > 100 || a.Status == http.StatusUnprocessableEntity && f.Code == "web.invalid" || a.Status == http.StatusRequestEntityTooLarge {
				return p.face.Refused(a)
			}

			return web.Page{Location: at + "?" + url.Values{"step": {of}, "problem": {f.Code}}.Encode()}
		}
		var v View
		if json.Unmarshal(a.JSON, &v) != nil {
			return p.face.Refused(a)
		}
		next := of
		if s := v.stepOf(of); s != nil && s.Done && name != "agent" {
			next = v.after(of)
		}

		return web.Page{Location: at + "?step=" + next}
	}
}

// upload redirects the browser to the page of the upload link.
func (p *pages) upload(a web.Answer) web.Page {
	var made struct {
		URL string `json:"url"`
	}
	at := path.Dir(a.Path)
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &made) != nil {
		if a.Status == http.StatusConflict {
			return web.Page{Location: "../" + path.Base(at) + "?" + url.Values{"problem": {page.FailureOf(a).Code}}.Encode()}
		}

		return p.face.Refused(a)
	}

	return web.Page{Location: backTo(made.URL, at, packet.StepReview)}
}
