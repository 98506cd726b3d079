package face

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/dispatchd/dispatchd/platform/page"
)

// View is what a page shows, from top to bottom. On wide screens the acts stand beside the cards.
type View struct {
	Brand page.Brand
	// Over says in small what the page is about, "Transport 10042"; Heading says how it stands, or what is asked.
	Over, Heading string
	// Next says in sentences what is next.
	Next []string
	// Problems are what went wrong.
	Problems []string
	Steps    []Step
	Cards    []Card
	// Acts are what is due. The first one, or the first card with one, is in reach of a thumb: Call is the text of the button that leads to it, by
	// default that of the form.
	Acts []Act
	Call string
	// Narrow keeps the acts below the cards on wide screens, too, for pages that are filled in rather than read.
	Narrow bool
	// Aside are further acts, each of which is folded under its title.
	Aside []Act
	// Foot is in small at the end, such as whom to call.
	Foot []page.Line
	// Viewed is what the page's script posts to <page>/viewed when a person has it in a browser; nil for nothing.
	Viewed map[string]any
	// Fresh has the script load the page again every two minutes while it is looked at.
	Fresh bool
	// Pictures lets in images of the service itself.
	Pictures bool
	// Own is shown below the cards by the template "own" of the area.
	Own any
	// Status is the id of a paragraph for what the script has to say, "" for none.
	Status string
	// Scripted adds the script where neither Viewed nor Fresh do; Foreign is one of another host that runs before it.
	Scripted bool
	Foreign  *page.Foreign
	// Onward is where the person goes on, "" for nowhere; after Wait seconds, if there are any, the browser does so by itself.
	Onward string
	Wait   int
}

// Step is a part of a life: what was, is, and comes. Without one that is Now, the first that is not done is at work.
type Step struct {
	Text      string
	Done, Now bool
}

// Card is a group of facts. What it has is shown in the order of the fields.
type Card struct {
	Title string
	// Text is a paragraph. With Long, it is a text to read at length, such as a contract, and scrolls in its card.
	Text   string
	Long   bool
	Facts  []Fact
	Map    *Map
	Stops  []Stop
	Items  []Item
	Prices []Price
	// Changes are what is no longer as it was.
	Changes []Change
	Lines   []page.Line
	List    []string
	Photos  []Photo
	// Own is shown by the template "own" of the area.
	Own   any
	Links []page.Link
	// Acts are what is due of the card, Aside what else can be done, folded under their titles. Those that are a button alone come last.
	Acts, Aside []Act
	// Folded has the title alone be shown until it is opened.
	Folded bool
}

// Fact is a value under its label. With Large, it is what the page is about.
type Fact struct {
	Label, Value string
	Large        bool
}

// Facts are those of pairs of a label and a value, without those that have no value.
func Facts(pairs ...string) (all []Fact) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			all = append(all, Fact{Label: pairs[i], Value: pairs[i+1]})
		}
	}

	return all
}

// Stop is a place on the way. Done says that it is past.
type Stop struct {
	Title, When string
	Lines       []page.Line
	Done        bool
}

// Item is a thing, such as a vehicle: its name, what stands beside it, and what is known of it.
type Item struct {
	Title, Side string
	Lines       []string
	Photos      []Photo
}

// Photo is a picture of the service. With Linked it can be opened.
type Photo struct {
	Source, Text string
	Linked       bool
}

// Price is a line of an account.
type Price struct {
	Label, Amount string
	Notes         []string
	Total         bool
}

// Change is a value before and after; "" for none.
type Change struct{ Label, Before, After string }

// content is a View as the markup shows it.
type content struct {
	View

	Cards       []card
	Acts, Aside []due
	// Told is the view's Viewed as JSON, To where it is posted.
	Told, To string
}

// card is a Card with its forms. ID is that of the element.
type card struct {
	Card

	ID          string
	Acts, Aside []due
}

// due is an act as the markup shows it.
type due struct {
	Title, Text string
	Form        *page.Form
}

// Current is the index of the step that is at work, that after the last one if all are done.
func (c content) Current() int {
	if i := slices.IndexFunc(c.Steps, func(s Step) bool { return s.Now }); i >= 0 {
		return i
	}
	for i, s := range c.Steps {
		if !s.Done {
			return i
		}
	}

	return len(c.Steps)
}

// page is what the layout shows.
func (v View) page(f *forms) page.Page {
	c := content{View: v, Acts: f.of(v.Acts)}
	for _, one := range v.Cards {
		shown := card{Card: one, Acts: f.of(one.Acts)}
		shown.Aside = f.of(one.Aside)
		c.Cards = append(c.Cards, shown)
	}
	c.Aside = f.of(v.Aside)
	if v.Viewed != nil {
		told, _ := json.Marshal(v.Viewed) //nolint:errcheck,errchkjson // of texts and numbers
		c.Told, c.To = string(told), f.link+"/viewed"
	}
	c.lead()

	return page.Page{
		Brand: v.Brand, Over: v.Over, Heading: v.Heading, Texts: v.Next, Problems: append(v.Problems, f.rest...), Cards: true, Content: c, Pictures: v.Pictures,
		Foreign: v.Foreign, Onward: v.Onward, Redirect: v.Wait > 0, Wait: v.Wait,
		Scripted: v.Viewed != nil || v.Fresh || v.Scripted,
	}
}

// lead has the button in reach of a thumb lead to the first form that is due.
func (c *content) lead() {
	if len(c.Acts) > 0 {
		c.Call = cmp.Or(c.Call, c.Acts[0].Form.Submit)

		return
	}
	for i := range c.Cards {
		if len(c.Cards[i].Acts) > 0 {
			c.Cards[i].ID, c.Call = "act", cmp.Or(c.Call, c.Cards[i].Acts[0].Form.Submit)

			return
		}
	}
}
