package attachments_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestShare_LeadsAStrangerToTheContentForATime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		made := send(t, a, a.Owner.Token, "photo.png", png).OK(t)
		path := made.Header.Get("Location")
		link := a.Call(t, a.Owner.Token, http.MethodPost, path+"/links", map[string]any{"max_uses": 2, "disposition": "inline"}).OK(t)
		url := link.Get("url").String()
		require.True(t, strings.HasPrefix(url, base+"/shared/dsl_"))

		for range 2 {
			got := a.Call(t, "", http.MethodGet, url, nil).OK(t)
			require.Equal(t, png, string(got.Body))
			require.Contains(t, got.Header.Get("Content-Disposition"), "inline")
		}
		a.Call(t, "", http.MethodGet, url, nil).Refused(t, http.StatusNotFound, "link.used_up")
		listed := a.Call(t, a.Owner.Token, http.MethodGet, path+"/links", nil).OK(t)
		require.EqualValues(t, 2, listed.Get("data.0.uses").Int())
		require.Empty(t, listed.Get("data.0.url").String(), "it is said once")

		second := a.Call(t, a.Owner.Token, http.MethodPost, path+"/links", map[string]any{}).OK(t)
		revoke := path + "/links/" + second.Get("uuid").String()
		a.Call(t, a.NewCompany(t).Token, http.MethodDelete, revoke, nil).Refused(t, http.StatusNotFound, "attachments.not_found")
		other := send(t, a, a.Owner.Token, "other.png", png).OK(t).Header.Get("Location")
		a.Call(t, a.Owner.Token, http.MethodDelete, other+"/links/"+second.Get("uuid").String(), nil).
			Refused(t, http.StatusNotFound, "attachments.link_not_found")
		a.Call(t, a.Owner.Token, http.MethodDelete, revoke, nil).OK(t)
		a.Call(t, "", http.MethodGet, second.Get("url").String(), nil).Refused(t, http.StatusNotFound, "link.revoked")
		a.Call(t, "", http.MethodGet, base+"/shared/dsl_"+strings.Repeat("A", 43), nil).Refused(t, http.StatusNotFound, "link.unknown")
		a.Call(t, a.Owner.Token, http.MethodPost, path+"/links", map[string]any{"expires_at": time.Now().Add(9 * 24 * time.Hour)}). //nolint:forbidigo // the service has the system's clock
																		Refused(t, http.StatusUnprocessableEntity, "link.invalid")

		url, err := p.links.Link(as(t, a.Owner), made.Get("uuid").String(), attachmentsapi.Share{})
		require.NoError(t, err)
		require.Contains(t, a.Call(t, "", http.MethodGet, url, nil).OK(t).Header.Get("Content-Disposition"), "attachment")
		a.Call(t, a.Owner.Token, http.MethodDelete, path, nil).OK(t)
		a.Call(t, "", http.MethodGet, url, nil).Refused(t, http.StatusNotFound, "attachments.link_void")
		a.Call(t, a.Owner.Token, http.MethodPost, path+"/links", map[string]any{}).Refused(t, http.StatusNotFound, "attachments.not_found")
	})
}

// invite makes an upload link.
func invite(t *testing.T, a *moduletest.App, wish map[string]any) moduletest.Response {
	t.Helper()

	return a.Call(t, a.Owner.Token, http.MethodPost, base+"/upload_links", wish).OK(t)
}

func TestUpload_TakesAFileOfAStrangerForTheOwnerOfTheLink(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		load := send(t, a, a.Owner.Token, "owner.txt", "owner").OK(t).Get("uuid").String()
		link := invite(t, a, map[string]any{
			"owner_type": "attachments.attachment", "owner_uuid": load, "category": "insurance", "visibility": "carrier",
			"title": "Insurance papers", "message": "Please send the certificate.",
		})
		url := link.Get("url").String()
		asked := a.Call(t, "", http.MethodGet, url, nil).OK(t)
		require.Equal(t, "Insurance papers", asked.Get("title").String())
		require.EqualValues(t, 1, asked.Get("uploads_left").Int())

		body, media := form(t, "papers.txt", "Papers")
		sent := a.Call(t, "", http.MethodPost, url, body, "Content-Type", media).OK(t)
		require.JSONEq(t, `{"file_name":"papers.txt","media_type":"text/plain","size":6,"status":"received","sha256":"`+digest("Papers")+`"}`, string(sent.Body))
		a.Call(t, "", http.MethodPost, url, body, "Content-Type", media).Refused(t, http.StatusNotFound, "link.used_up")

		got := a.Call(t, a.Owner.Token, http.MethodGet, files+"?filter[owner_uuid]="+load, nil).OK(t)
		require.Equal(t, "insurance", got.Get("data.0.category").String())
		require.Equal(t, link.Get("uuid").String(), got.Get("data.0.upload_link_uuid").String())
		seen := a.Call(t, a.Owner.Token, http.MethodGet, link.Header.Get("Location"), nil).OK(t)
		require.Equal(t, "used_up", seen.Get("status").String())
		require.False(t, seen.Get("link").Exists())
		require.EqualValues(t, 1, a.Call(t, a.Owner.Token, http.MethodGet, base+"/upload_links?filter[category]=insurance", nil).OK(t).Get("data.#").Int())
		other := a.NewCompany(t).Token
		require.Zero(t, a.Call(t, other, http.MethodGet, base+"/upload_links", nil).OK(t).Get("data.#").Int())
		a.Call(t, other, http.MethodGet, link.Header.Get("Location"), nil).Refused(t, http.StatusNotFound, "attachments.upload_link_not_found")
		a.Call(t, other, http.MethodPost, link.Header.Get("Location")+"/revoke", nil).Refused(t, http.StatusNotFound, "attachments.upload_link_not_found")
	})
}

func TestUpload_KeepsTheLimitsOfItsLink(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		link := invite(t, a, map[string]any{"max_uploads": 2, "max_size": 1000, "types": []string{"image/*"}})
		url := link.Get("url").String()
		post := func(name, content string) moduletest.Response {
			body, media := form(t, name, content)

			return a.Call(t, "", http.MethodPost, url, body, "Content-Type", media)
		}
		post("a.png", "no image").Refused(t, http.StatusUnprocessableEntity, "attachments.type_refused")
		post("a.png", png+strings.Repeat("x", 1000)).Refused(t, http.StatusRequestEntityTooLarge, "attachments.too_large")
		require.Empty(t, stored(t, p.store, a.Owner))
		require.EqualValues(t, 2, a.Call(t, "", http.MethodGet, url, nil).OK(t).Get("uploads_left").Int(), "what is refused uses nothing up")

		var all sync.WaitGroup
		var answers [6]moduletest.Response
		for i := range answers {
			body, media := form(t, "a.png", png)
			all.Go(func() { answers[i] = a.Call(t, "", http.MethodPost, url, body, "Content-Type", media) })
		}
		all.Wait()
		through := 0
		for _, answer := range answers {
			if answer.Status == http.StatusOK {
				through++
			}
		}
		require.Equal(t, 2, through, "no more get through than may")
		require.Len(t, stored(t, p.store, a.Owner), 2)

		second := invite(t, a, map[string]any{})
		url = second.Get("url").String()
		a.Call(t, a.Owner.Token, http.MethodPost, second.Header.Get("Location")+"/revoke", nil).OK(t)
		require.Equal(t, "revoked", a.Call(t, a.Owner.Token, http.MethodPost, second.Header.Get("Location")+"/revoke", nil).OK(t).Get("status").String())
		post("a.png", png).Refused(t, http.StatusNotFound, "link.revoked")
		a.Call(t, "", http.MethodGet, url, nil).Refused(t, http.StatusNotFound, "link.revoked")
		a.Call(t, a.Owner.Token, http.MethodPost, base+"/upload_links", map[string]any{"owner_type": "loads.load", "owner_uuid": uuid.NewString()}).
			Refused(t, http.StatusUnprocessableEntity, "item.unknown_type")
		a.Call(t, a.Owner.Token, http.MethodPost, base+"/upload_links", map[string]any{"types": []string{"pdf"}, "message": strings.Repeat("x", 3000)}).
			Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")
	})
}

func TestUpload_IsSlowedDown(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		url := invite(t, a, map[string]any{}).Get("url").String()
		a.Call(t, "", http.MethodGet, url, nil).OK(t)
		refused := a.Call(t, "", http.MethodGet, url, nil).Refused(t, http.StatusTooManyRequests, "attachments.too_often")
		require.NotEmpty(t, refused.Header.Get("Retry-After"))
	}, "modules.attachments.link_uploads=1")
}

func TestContract_StoresAndFindsFilesOfTheCallersCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		mine, other := as(t, a.Owner), as(t, a.NewCompany(t))
		made, err := p.files.Put(mine, attachmentsapi.NewFile{FileName: "bol.txt", Category: "bol"}, strings.NewReader("Bill of lading"))
		require.NoError(t, err)
		part, err := p.files.Put(mine, attachmentsapi.NewFile{FileName: "a.txt", OwnerType: attachmentsapi.Item, OwnerUUID: made.UUID}, strings.NewReader("a"))
		require.NoError(t, err)

		file, content, err := p.files.Open(mine, made.UUID)
		require.NoError(t, err)
		text, err := io.ReadAll(content)
		require.NoError(t, err)
		require.NoError(t, content.Close())
		require.Equal(t, "Bill of lading", string(text))
		require.Equal(t, made, file)
		of, err := p.files.OfOwner(mine, attachmentsapi.Item, made.UUID)
		require.NoError(t, err)
		require.Equal(t, []attachmentsapi.File{part}, of)
		found, err := p.files.Find(mine, made.UUID, uuid.NewString(), "no id")
		require.NoError(t, err)
		require.Equal(t, map[string]attachmentsapi.File{made.UUID: made}, found)

		chosen := uuid.NewString()
		once, err := p.files.Put(mine, attachmentsapi.NewFile{UUID: chosen, FileName: "b.txt"}, strings.NewReader("b"))
		require.NoError(t, err)
		require.Equal(t, chosen, once.UUID)
		again, err := p.files.Put(mine, attachmentsapi.NewFile{UUID: chosen, FileName: "c.txt"}, strings.NewReader("c"))
		require.NoError(t, err)
		require.Equal(t, once, again, "an id that is there is not stored anew")
		theirs, err := p.files.Put(other, attachmentsapi.NewFile{UUID: chosen, FileName: "d.txt"}, strings.NewReader("d"))
		require.NoError(t, err, "ids are a company's own")
		require.NotEqual(t, once.SHA256, theirs.SHA256)
		_, err = p.files.Put(mine, attachmentsapi.NewFile{UUID: "b", FileName: "b.txt"}, strings.NewReader("b"))
		require.Error(t, err)

		_, _, err = p.files.Open(other, made.UUID)
		require.Error(t, err)
		found, err = p.files.Find(other, made.UUID)
		require.NoError(t, err)
		require.Empty(t, found)
	})
}

func TestStore_KeepsTheQuotaOfTheCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		send(t, a, a.Owner.Token, "a.txt", strings.Repeat("x", 600)).OK(t)
		send(t, a, a.Owner.Token, "b.txt", strings.Repeat("x", 600)).Refused(t, http.StatusConflict, "attachments.quota_exceeded")
		send(t, a, a.Owner.Token, "c.txt", strings.Repeat("x", 424)).OK(t)
		send(t, a, a.Owner.Token, "d.txt", "x").Refused(t, http.StatusConflict, "attachments.quota_exceeded")
		require.Len(t, stored(t, p.store, a.Owner), 2)
		send(t, a, a.NewCompany(t).Token, "d.txt", "x").OK(t)
	}, "modules.attachments.max_company_size=1KiB")
}
