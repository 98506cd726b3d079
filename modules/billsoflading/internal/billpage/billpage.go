// Package billpage has what the pages with bills of lading share: a bill of lading as people read it, how it is signed, and the script.
package billpage

import (
	"embed"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/page"
)

//go:embed page
var pageFiles embed.FS

// Parts are those of the pages that show bills of lading. Their script keeps what cannot be sent, draws signatures, and finds the place of a damage on
// the outline; without it, everything can be entered as well.
func Parts[T any](view func(body T, link string) face.View, verbs ...face.Verb) face.Parts[T] {
	return face.Parts[T]{
		View: view, Verbs: verbs, Told: explained, Labels: map[string]string{"file": "Photo", "strokes": "Signature"},
		Markup: page.File(pageFiles, "page/bol.html"), Style: page.File(pageFiles, "page/bol.css"), Script: page.File(pageFiles, "page/bol.js"),
	}
}

// explained are the failures that a page explains with words of its own, by their codes.
var explained = map[string]string{
	store.ErrSigned.Code: store.ErrSigned.Message, store.ErrNotNow.Code: store.ErrNotNow.Message, store.ErrVINDiffers.Code: store.ErrVINDiffers.Message, store.ErrVoid.Code: store.ErrVoid.Message,
	store.ErrTermsUnconfirmed.Code: "The pay for this load has changed, and your carrier has not confirmed that yet. Ask your carrier to confirm it by its link, or call the office, and sign again.",
}

// Signer is the field of everyone who signs. The script draws the signature.
var Signer = page.Field{Name: "name", Label: "Name", Autocomplete: "name", MaxLength: 200, Required: true}

// Steps are the life of bills of lading, which are signed twice. Due is the stage that is next, "" after all.
func Steps(due store.Stage) []face.Step {
	return []face.Step{
		{Text: "Inspect and sign at the pickup", Done: due != store.AtPickup}, {Text: "Inspect and sign at the delivery", Done: due == ""},
	}
}

// Bill is the card of a bill of lading: from whom, to whom, who has signed, and what is to be said.
func Bill(b report.Report) face.Card {
	card := face.Card{Title: "Bill of lading " + b.Number, Stops: []face.Stop{{Title: "From", Lines: linesOf(b.Consignor)}, {Title: "To", Lines: linesOf(b.Consignee)}}}
	var texts []string
	if b.State == store.Draft {
		texts = append(texts, "It is not issued yet.")
	}
	for _, a := range b.Amendments {
		texts = append(texts, "Amended: "+a.Text)
	}
	card.Text = strings.Join(texts, "\n")
	for _, s := range b.Signatures {
		card.List = append(card.List, s.Text())
	}

	return card
}

// Vehicle is the card of a vehicle: how it was found at each stage, and an outline with its damages.
func Vehicle(v report.Vehicle) face.Card {
	card, on := face.Card{Title: v.Vehicle.Text()}, Outline{}
	for _, one := range []struct {
		title string
		found *report.Inspection
	}{{"At the pickup", v.Pickup}, {"At the delivery", v.Delivery}} {
		if one.found == nil {
			continue
		}
		lines := one.found.Lines()
		if one.found.State == store.Submitted {
			lines = append(lines, "Inspection complete")
		}
		card.Facts = append(card.Facts, face.Fact{Label: one.title, Value: strings.Join(lines, "\n")})
		for _, d := range one.found.Damages {
			if m, there := markOf(d, one.found == v.Delivery && !d.Existing); there {
				on.Marks = append(on.Marks, m)
			}
		}
	}
	if len(on.Marks) > 0 {
		card.Own = on
	}

	return card
}

// Outline is that of a vehicle, unfolded around its top, with the damages on it.
type Outline struct{ Marks []mark }

// mark is a damage on the outline, in its units.
type mark struct {
	X, Y int64
	New  bool
}

// side is a part of the outline.
type side struct {
	Name, Label         string
	X, Y, Width, Height int64
}

// sides are those of the outline, 300 by 220.
var sides = []side{
	{"left", "Left side", 70, 10, 160, 45},
	{"top", "Top", 70, 65, 160, 80},
	{"right", "Right side", 70, 155, 160, 45},
	{"front", "Front", 10, 65, 50, 80},
	{"rear", "Rear", 240, 65, 50, 80},
}

// Sides are those of the outline, for the markup.
func (Outline) Sides() []side { return sides }

// Label says what the outline shows to those who do not see it.
func (o Outline) Label() string {
	return "Outline of the vehicle; damage marked on it: " + strconv.Itoa(len(o.Marks))
}

// markOf is where a damage is on the outline.
func markOf(d report.Damage, fresh bool) (m mark, there bool) {
	i := slices.IndexFunc(sides, func(s side) bool { return s.Name == d.Side })
	if i < 0 || d.X == nil || d.Y == nil {
		return m, false
	}
	s := sides[i]
	const whole = 1000

	return mark{s.X + *d.X*s.Width/whole, s.Y + *d.Y*s.Height/whole, fresh}, true
}

func linesOf(p store.Party) []page.Line {
	lines := page.Address(p.Name, append(slices.Clone(p.Address), p.Place())...)
	contact := p.Contact
	if contact == p.Name {
		contact = ""
	}
	if contact != "" || len(p.Phones) > 0 {
		lines = append(lines, page.Called(contact, p.Phones...))
	}

	return lines
}
