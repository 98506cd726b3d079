package attachments_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestLimits_OfACompanyHoldForAllThatComesIn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		old := send(t, a, a.Owner.Token, "old.txt", strings.Repeat("x", 600)).OK(t).Header.Get("Location")
		link := invite(t, a, map[string]any{"max_uploads": 5}).Get("url").String()
		began := begin(t, a, a.Owner.Token, base+"/tus", 600).OK(t).Header.Get("Location")
		made := a.Call(t, a.Owner.Token, http.MethodPut, base+"/limits",
			map[string]any{"max_size": 500, "max_company_size": 1500, "types": []string{"text/*"}}, "If-Match", `"0"`).OK(t)
		require.JSONEq(t, string(made.Body), string(a.Call(t, a.Owner.Token, http.MethodGet, base+"/limits", nil).OK(t).Body))
		require.Equal(t, []int64{500, 1500, 1 << 20, 3 << 20}, []int64{
			made.Get("max_size").Int(), made.Get("max_company_size").Int(), made.Get("service.max_size").Int(), made.Get("service.max_company_size").Int(),
		})

		large, media := form(t, "a.txt", strings.Repeat("x", 501))
		picture, pictured := form(t, "a.png", png)
		send(t, a, a.Owner.Token, "a.txt", strings.Repeat("x", 501)).Refused(t, http.StatusRequestEntityTooLarge, "attachments.too_large")
		send(t, a, a.Owner.Token, "a.png", png).Refused(t, http.StatusUnprocessableEntity, "attachments.type_refused")
		a.Call(t, "", http.MethodPost, link, large, "Content-Type", media).Refused(t, http.StatusRequestEntityTooLarge, "attachments.too_large")
		a.Call(t, "", http.MethodPost, link, picture, "Content-Type", pictured).Refused(t, http.StatusUnprocessableEntity, "attachments.type_refused")
		a.Call(t, a.Owner.Token, http.MethodPut, old+"/content", strings.Repeat("x", 501), "Content-Type", "application/octet-stream").
			Refused(t, http.StatusRequestEntityTooLarge, "attachments.too_large")
		begin(t, a, a.Owner.Token, base+"/tus", 501).Refused(t, http.StatusRequestEntityTooLarge, "attachments.too_large")
		begin(t, a, "", link+"/tus", 501).Refused(t, http.StatusRequestEntityTooLarge, "attachments.too_large")
		more(t, a, a.Owner.Token, began, 0, strings.Repeat("x", 600)).Refused(t, http.StatusRequestEntityTooLarge, "attachments.too_large")
		shown := a.Call(t, a.Owner.Token, http.MethodGet, base+"/upload_links", nil).OK(t)
		require.EqualValues(t, 500, shown.Get("data.0.max_size").Int())
		require.EqualValues(t, 100, invite(t, a, map[string]any{"max_size": 100}).Get("max_size").Int())
		asked := a.Call(t, "", http.MethodGet, link, nil).OK(t)
		require.EqualValues(t, 500, asked.Get("max_size").Int())
		require.Equal(t, "text/*", asked.Get("types.0").String())

		send(t, a, a.Owner.Token, "b.txt", strings.Repeat("x", 500)).OK(t)
		send(t, a, a.Owner.Token, "c.txt", strings.Repeat("x", 401)).Refused(t, http.StatusConflict, "attachments.quota_exceeded")
		begin(t, a, a.Owner.Token, base+"/tus", 401).Refused(t, http.StatusConflict, "attachments.quota_exceeded")
		usage := a.Call(t, a.Owner.Token, http.MethodGet, base+"/usage", nil).OK(t)
		require.Equal(t, []int64{1100, 1500, 500}, []int64{usage.Get("bytes").Int(), usage.Get("limit").Int(), usage.Get("max_size").Int()})
		a.Call(t, a.Owner.Token, http.MethodGet, old+"/content", nil).OK(t)

		other := a.NewCompany(t)
		send(t, a, other.Token, "a.png", png+strings.Repeat("x", 5000)).OK(t)
		require.Equal(t, "null", a.Call(t, other.Token, http.MethodGet, base+"/limits", nil).OK(t).Get("max_size").Raw)

		a.Call(t, a.Owner.Token, http.MethodPut, base+"/limits", map[string]any{}, "If-Match", `"1"`).OK(t)
		send(t, a, a.Owner.Token, "a.png", png+strings.Repeat("x", 5000)).OK(t)
		require.Contains(t, a.Audited(t, a.Owner), "attachments.limits_changed")
		a.Eventually(t, func() bool { return len(stored(t, p.store, a.Owner)) == 3 }, "what was refused is not kept")
	}, "modules.attachments.max_size=1MiB", "modules.attachments.max_company_size=3MiB")
}

func TestLimits_OfACompanyAreWithinThoseOfTheService(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		put := func(token string, body map[string]any, headers ...string) moduletest.Response {
			return a.Call(t, token, http.MethodPut, base+"/limits", body, headers...)
		}
		for field, value := range map[string]any{
			"max_size": 1<<20 + 1, "max_company_size": 3<<20 + 1, "types": []string{"application/pdf"},
		} {
			refused := put(a.Owner.Token, map[string]any{field: value}).Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")
			require.True(t, refused.Get("errors."+field).Exists(), string(refused.Body))
		}
		for field, value := range map[string]any{"types": []string{"pdf"}} {
			put(a.Owner.Token, map[string]any{field: value}).Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")
		}
		for _, body := range []map[string]any{{"max_size": 0}, {"max_size": -1}, {"max_size": "1"}, {"size": 1}} {
			put(a.Owner.Token, body).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		}
		weak := a.Token(t, a.Owner, "attachments:read", "attachments:write")
		put(weak, map[string]any{}).Refused(t, http.StatusForbidden, "web.scope_missing")
		a.Call(t, weak, http.MethodGet, base+"/limits", nil).OK(t)
		put(a.Owner.Token, map[string]any{}, "If-Match", `"7"`).Refused(t, http.StatusPreconditionFailed, "web.stale")
		require.NotContains(t, a.Audited(t, a.Owner), "attachments.limits_changed")
	}, "modules.attachments.max_size=1MiB", "modules.attachments.max_company_size=3MiB", "modules.attachments.allowed_types=text/*,image/*")
}

func TestTrail_HasWhatChangedOfDescriptionsAndLimits(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		made := send(t, a, a.Owner.Token, "a.txt", "a").OK(t)
		changes := func(action string) string {
			var text string
			require.NoError(t, a.DB.SQL().QueryRowContext(t.Context(),
				"SELECT CAST(changes AS text) FROM audit_entries WHERE action = '"+action+"' AND company_id = '"+a.Owner.ID.String()+"' ORDER BY at DESC, id DESC LIMIT 1").Scan(&text))

			return text
		}
		put := func(body map[string]any) {
			a.Call(t, a.Owner.Token, http.MethodPut, made.Header.Get("Location"), body).OK(t)
		}

		put(map[string]any{"title": "Bill", "visibility": "carrier"})
		require.JSONEq(t, `{"title":{"before":"","after":"Bill"},"visibility":{"before":"internal","after":"carrier"}}`, changes("attachments.attachment.updated"))
		owner := made.Get("uuid").String()
		put(map[string]any{
			"title": "Bill", "visibility": "carrier", "category": "bol", "file_name": "b.txt", "expires_at": "2099-01-02T03:04:05Z",
			"owner_type": "attachments.attachment", "owner_uuid": owner,
		})
		require.JSONEq(t, `{"category":{"before":"","after":"bol"},"file_name":{"before":"a.txt","after":"b.txt"},
			"expires_at":{"before":null,"after":"2099-01-02T03:04:05Z"},
			"owner_type":{"before":"","after":"attachments.attachment"},"owner_uuid":{"before":null,"after":"`+owner+`"}}`,
			changes("attachments.attachment.updated"))

		a.Call(t, a.Owner.Token, http.MethodPut, base+"/limits", map[string]any{"max_size": 500}).OK(t)
		require.JSONEq(t, `{"max_size":{"before":0,"after":500}}`, changes("attachments.limits_changed"))
	})
}

func TestLimits_OfThePlanHoldForTheBytesOfFiles(t *testing.T) {
	t.Parallel()
	plan := moduletest.Limiting(map[string]int64{"storage": 1000})
	moduletest.BootEach(t, append(modules(), plan), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		old := send(t, a, a.Owner.Token, "old.txt", strings.Repeat("x", 600)).OK(t).Header.Get("Location")
		refused := send(t, a, a.Owner.Token, "more.txt", strings.Repeat("x", 401)).Refused(t, http.StatusConflict, "billing.limit_reached")
		require.Equal(t, "storage 600", refused.Get("details.limit").String()+" "+refused.Get("details.used").String())
		send(t, a, a.Owner.Token, "fits.txt", strings.Repeat("x", 400)).OK(t)
		a.Call(t, a.Owner.Token, http.MethodGet, old+"/content", nil).OK(t)
	})
}
