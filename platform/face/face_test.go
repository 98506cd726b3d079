package face_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

type body struct {
	Number string `json:"number"`
	Open   bool   `json:"open"`
}

// offers are pages on which an offer is accepted or declined.
func offers() *face.Face[body] {
	return face.New(face.Parts[body]{
		View: func(b body, link string) face.View {
			v := face.View{
				Brand: page.Brand{Name: "Lone Star"}, Over: "Offer " + b.Number, Heading: "Dallas → Miami", Steps: []face.Step{{Text: "Made", Done: true}, {Text: "Accepted"}},
				Cards: []face.Card{{
					Title: "Facts", Facts: face.Facts("Price", "$950", "Promised", ""), Links: []page.Link{{Text: "Papers", Path: link + "/documents"}},
					Map: (&face.Map{Places: []face.Place{{Name: "Dallas", At: field.GeoPoint{Lat: "32.8", Lng: "-96.8"}}, {Name: "Lagos", At: field.GeoPoint{Lat: "6.5", Lng: "3.4"}}}}).Drawn(),
				}},
			}
			if b.Open {
				v.Viewed = map[string]any{"number": b.Number}
				v.Acts = []face.Act{{Verb: "accept", Hidden: map[string]string{"number": b.Number}, Values: map[string]string{"day": "2030-01-07"}, Without: []string{"note"}}}
				v.Aside = []face.Act{{Verb: "decline"}}
			}

			return v
		},
		Verbs: []face.Verb{
			{Name: "accept", Title: "Accept", Submit: "Accept and book", Fields: []page.Field{
				{Name: "day", Label: "Day", Type: "date"},
				{Name: "note", Label: "Note"},
				{Name: "accepted", Label: "I accept", Type: "checkbox", Required: true},
				{Type: "group", Label: "Driver", Fields: []page.Field{{Name: "crew.phone", Label: "Phone", Type: "tel"}, {Name: "crew.truck", Label: "Truck"}}},
			}},
			{Name: "decline", Title: "No", Submit: "Decline", Second: true},
		},
		Told: map[string]string{"offers.over": "This offer was answered already."},
	})
}

func shown(t *testing.T, b body, query url.Values) string {
	t.Helper()
	raw, err := json.Marshal(b)
	require.NoError(t, err)

	return string(offers().Page(web.Answer{Status: http.StatusOK, JSON: raw, Path: "/offers/api/v1/offers/dsl_x", Query: query}).HTML)
}

func TestPage_ShowsFactsAndWhatIsDue(t *testing.T) {
	t.Parallel()
	html := shown(t, body{"Q-1", true}, nil)
	for _, want := range []string{
		"Offer Q-1", `<dt>Price</dt><dd>$950</dd>`, `href="dsl_x/documents"`, `action="dsl_x/accept"`, `name="number" value="Q-1"`, `name="day" value="2030-01-07"`,
		`href="#act">Accept and book`, `<summary>No</summary>`, `data-to="dsl_x/viewed" data-told="{&#34;number&#34;:&#34;Q-1&#34;}"`, `aria-current="step">Accepted`, "<title>Dallas</title>",
	} {
		require.Contains(t, html, want)
	}
	for _, wrong := range []string{"Promised", `name="note"`, "Lagos"} {
		require.NotContains(t, html, wrong)
	}
	require.NotContains(t, shown(t, body{"Q-1", false}, nil), "<form")
	require.NotContains(t, shown(t, body{"Q-1", false}, nil), "<script")
}

func TestPage_TellsWhatWasRefused(t *testing.T) {
	t.Parallel()
	require.Contains(t, shown(t, body{}, url.Values{"problem": {"offers.over"}}), "This offer was answered already.")
	require.NotContains(t, shown(t, body{}, url.Values{"problem": {"offers.unknown"}}), "role=\"alert\"")
	refused := offers().Page(web.Answer{Status: http.StatusNotFound, JSON: []byte(`{"code": "link.unknown"}`)})
	require.Contains(t, string(refused.HTML), "This link is not valid")
}

func TestAfter_LeadsBackToThePage(t *testing.T) {
	t.Parallel()
	after := func(status int, answer string, form url.Values) web.Page {
		return offers().After(web.Answer{Status: status, JSON: []byte(answer), Path: "/offers/api/v1/offers/dsl_x/accept", Form: form})
	}
	require.Equal(t, "../dsl_x", after(http.StatusOK, `{}`, nil).Location)
	require.Equal(t, "../dsl_x?problem=offers.over", after(http.StatusConflict, `{"code": "offers.over"}`, nil).Location)

	form := url.Values{"number": {"Q-1"}, "day": {"soon"}, "crew.phone": {"911"}}
	again := string(after(http.StatusUnprocessableEntity, `{"code": "web.invalid", "errors": {"day": ["no day"], "crew.phone": ["no phone"]}}`, form).HTML)
	for _, want := range []string{`action="accept"`, `name="number" value="Q-1"`, `value="soon"`, "Day: no day", "Driver, Phone: no phone", `name="accepted"`, "Accept and book"} {
		require.Contains(t, again, want)
	}
	for _, wrong := range []string{`name="note"`, `name="crew.truck"`} {
		require.NotContains(t, again, wrong, "the page's form did not have it")
	}
	require.Contains(t, string(after(http.StatusConflict, `{"code": "offers.else", "message": "Try later."}`, form).HTML), "Try later.")
}
