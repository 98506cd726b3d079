package companies_test

import (
	"bytes"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestLetterhead_TakesWhatIsNotSetFromTheCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		a.patch(t, a.Owner.Token, "/company", fields{
			"legal_name": "Blue Ridge LLC", "usdot_number": "1234567", "mc_number": "654321",
			"address": fields{"street": "100 Main St", "city": "Roanoke", "state": "VA", "postal_code": "24011", "country": "US"},
		}).OK(t)
		shown := a.get(t, a.Owner.Token, "/letterhead").OK(t)
		require.JSONEq(t, `{
			"legal_name": "Blue Ridge LLC", "address": "100 Main St\nRoanoke, VA 24011", "phone": "", "email": "", "website": "", "tax_id": "",
			"usdot": "1234567", "docket": "MC-654321", "remit_text": "", "footer": "", "paper_size": "letter", "version": 0,
			"inherited": ["legal_name", "address", "usdot", "docket"]
		}`, string(shown.Body))

		set := a.patch(t, a.Owner.Token, "/letterhead", fields{
			"legal_name": " Blue Ridge Auto Transport LLC ", "phone": "(540) 555-0100", "email": "Office@Example.com", "website": "HTTPS://Example.com",
			"usdot": "USDOT 07654321", "docket": "mc 123", "tax_id": "12-3456789", "remit_text": "Pay to:\r\nBox 1", "footer": "Thank you",
		}, "If-Match", `"0"`).OK(t)
		require.JSONEq(t, `{
			"legal_name": "Blue Ridge Auto Transport LLC", "address": "100 Main St\nRoanoke, VA 24011", "phone": "+15405550100",
			"email": "office@example.com", "website": "https://example.com/", "tax_id": "12-3456789", "usdot": "7654321", "docket": "MC-123",
			"remit_text": "Pay to:\nBox 1", "footer": "Thank you", "paper_size": "letter", "version": 1, "inherited": ["address"]
		}`, string(set.Body))
		require.Equal(t, `"1"`, set.Header.Get("ETag"))
		require.Equal(t, "companies.letterhead_updated", a.actions(t, a.Owner.Token)[0])

		a.patch(t, a.Owner.Token, "/letterhead", fields{"footer": "Bye"}, "If-Match", `"0"`).Refused(t, http.StatusPreconditionFailed, "web.stale")
		again := a.patch(t, a.Owner.Token, "/letterhead", fields{"usdot": nil, "phone": nil}).OK(t)
		require.Equal(t, []string{"1234567", "", `["address","usdot"]`}, []string{again.Get("usdot").String(), again.Get("phone").String(), again.Get("inherited").Raw})
		same := a.patch(t, a.Owner.Token, "/letterhead", fields{"footer": "Thank you"}).OK(t)
		require.Equal(t, int64(2), same.Get("version").Int(), "a write without changes is a no-op")
		require.Equal(t, 2, a.published(t, "companies.letterhead.updated"))
		require.Empty(t, a.get(t, a.NewCompany(t).Token, "/letterhead").OK(t).Get("footer").String())
	})
}

func TestLetterhead_SaysWhatIsWrongWithEachField(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		for field, value := range map[string]any{
			"phone": "555", "email": "office", "website": "javascript:alert(1)", "usdot": "MC-1", "docket": "USDOT 5",
			"legal_name": strings.Repeat("x", 201), "address": strings.Repeat("x\n", 251), "tax_id": strings.Repeat("1", 41),
			"remit_text": strings.Repeat("x", 2001), "footer": strings.Repeat("x", 501),
		} {
			refused := a.patch(t, a.Owner.Token, "/letterhead", fields{field: value})
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, "%s: %s", field, refused.Body)
			require.NotEmpty(t, refused.Get("errors."+field+".0").String(), "%s: %s", field, refused.Body)
			t.Logf("%s: %s", field, refused.Get("errors."+field+".0").String())
		}
		wrong := a.patch(t, a.Owner.Token, "/letterhead", fields{
			"legal_name": "Two\nlines", "address": "1\n2\n3\n4\n5\n6\n7", "footer": "a\tb",
		}).Refused(t, http.StatusUnprocessableEntity, "companies.invalid_letterhead")
		require.Len(t, wrong.Get("errors").Map(), 3)
		require.Equal(t, int64(0), a.get(t, a.Owner.Token, "/letterhead").OK(t).Get("version").Int())
	})
}

func TestLetterhead_IsForLetterPaperInNorthAmerica(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		for country, want := range map[string]string{"US": "letter", "CA": "letter", "MX": "letter", "DE": "a4", "GB": "a4"} {
			a.patch(t, a.Owner.Token, "/company", fields{"address": fields{"country": country}}).OK(t)
			require.Equal(t, want, a.get(t, a.Owner.Token, "/letterhead").OK(t).Get("paper_size").String(), country)
		}
	})
}

func TestLetterhead_IsChangedByThoseWhoMayChangeTheCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		dispatcher := a.join(t, a.Owner.Token, "d@example.com", "dispatcher")
		a.get(t, dispatcher.token, "/letterhead").OK(t)
		a.patch(t, dispatcher.token, "/letterhead", fields{"footer": "x"}).Refused(t, http.StatusForbidden, "web.scope_missing")
		a.putLogo(t, dispatcher.token, pngOf(t, 10, 10)).Refused(t, http.StatusForbidden, "web.scope_missing")
		a.Call(t, dispatcher.token, http.MethodDelete, api+"/logo", nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		a.patch(t, dispatcher.token, "/number_series/loads.load", fields{"next_number": 5}).Refused(t, http.StatusForbidden, "web.scope_missing")
	})
}

func TestLetterhead_IsOnPapersWithTheLogoAndTheColor(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		var printer *document.Printer
		a := app{App: moduletest.Boot(t, url, areas(), moduletest.With(fx.Populate(&printer)))}
		a.patch(t, a.Owner.Token, "/company", fields{"legal_name": "Blue Ridge LLC", "dba": "Blue Ridge", "address": fields{"street": "1 Main St", "country": "CA"}}).OK(t)
		a.patch(t, a.Owner.Token, "/brand", fields{"primary_color": "#1a2b3c"}).OK(t)
		a.patch(t, a.Owner.Token, "/letterhead", fields{"phone": "+15405550100", "remit_text": "PO Box 1", "footer": "Bye"}).OK(t)
		a.putLogo(t, a.Owner.Token, pngOf(t, 20, 10)).OK(t)
		got, err := printer.Letterhead(principal.AsCompany(t.Context(), a.Owner.ID))
		require.NoError(t, err)
		size, err := png.DecodeConfig(bytes.NewReader(got.Logo))
		require.NoError(t, err)
		require.Equal(t, []int{20, 10}, []int{size.Width, size.Height})
		got.Logo = nil
		require.Equal(t, document.Letterhead{
			Name: "Blue Ridge LLC", DBA: "Blue Ridge", Address: []string{"1 Main St", "CA"}, Country: "CA", Phone: "+15405550100", Remit: "PO Box 1",
			Footer: "Bye", Color: "#1a2b3c",
		}, got)
	})
}
