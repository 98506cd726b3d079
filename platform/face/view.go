package face

import (
	"encoding/json"

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
	// Acts are what is due, the first of which is in reach of a thumb: Call is the text of the button that leads to it, by default that of its form.
	Acts []Act
	Call string
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
	// Own is shown below the cards by the template "own" of the area, with what it has for it.
	Own any
	// Scripted adds the script where neither Viewed nor Fresh do; Foreign is one of another host that runs before it.
	Scripted bool
	Foreign  *page.Foreign
	// Onward is where the person goes on, "" for nowhere; after Wait seconds, if there are any, the browser does so by itself.
	Onward string
	Wait   int
}

// Step is a part of a life: what was, is, and comes.
type Step struct {
	Text string
	Done bool
}

// Card is a group of facts. What it has is shown in the order of the fields.
type Card struct {
	Title string
	// Text is a paragraph.
	Text   string
	Facts  []Fact
	Map    *Map
	Stops  []Stop
	Items  []Item
	Prices []Price
	// Changes are what is no longer as it was.
	Changes []Change
	Lines   []page.Line
	List    []string
	Links   []page.Link
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

	Acts, Aside []due
	// Told is the view's Viewed as JSON, To where it is posted.
	Told, To string
}

// Current is the index of the step that is at work, after all that are done.
func (c content) Current() int {
	for i, s := range c.Steps {
		if !s.Done {
			return i
		}
	}

	return len(c.Steps)
}

// page is what the layout shows.
func (v View) page(link string, acts, aside []due) page.Page {
	c := content{View: v, Acts: acts, Aside: aside}
	if v.Viewed != nil {
		told, _ := json.Marshal(v.Viewed) //nolint:errcheck,errchkjson // of texts and numbers
		c.Told, c.To = string(told), link+"/viewed"
	}
	if len(acts) > 0 && c.Call == "" {
		c.Call = acts[0].Form.Submit
	}

	return page.Page{
		Brand: v.Brand, Over: v.Over, Heading: v.Heading, Texts: v.Next, Problems: v.Problems, Cards: true, Content: c, Pictures: v.Pictures,
		Foreign: v.Foreign, Onward: v.Onward, Redirect: v.Wait > 0, Wait: v.Wait,
		Scripted: v.Viewed != nil || v.Fresh || v.Scripted,
	}
}
