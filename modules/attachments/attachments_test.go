package attachments_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	base  = "/attachments/api/v1"
	files = base + "/attachments"
	png   = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
)

func TestMain(m *testing.M) { moduletest.Main(m, attachments.Module, modules()...) }

func modules() []module.Module { return []module.Module{attachments.Module} }

// form is a body with a file, and its Content-Type.
func form(t *testing.T, name, content string) (body, media string) {
	t.Helper()
	text, media := moduletest.Form(t, name, []byte(content))

	return string(text), media
}

// send stores a file, and returns the answer.
func send(t *testing.T, a *moduletest.App, token, name, content string, fields ...string) moduletest.Response {
	t.Helper()

	return a.SendForm(t, token, files, name, []byte(content), fields...)
}

// stored are the blobs that a company has.
func stored(t *testing.T, store *blob.Store, company moduletest.Company) []string {
	t.Helper()
	names := []string{}
	for info, err := range store.List(principal.AsCompany(t.Context(), company.ID), "attachments") {
		require.NoError(t, err)
		names = append(names, info.Name)
	}

	return names
}

// parts are what a test takes out of the service.
type parts struct {
	store *blob.Store
	files attachmentsapi.Files
	links attachmentsapi.Links
	holds attachmentsapi.Holds
}

// each runs a test on a service of its own, on both databases, with its parts.
func each(t *testing.T, test func(t *testing.T, a *moduletest.App, p parts), settings ...string) {
	t.Helper()
	var taken sync.Map // parts by the database of their service
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		p, _ := taken.Load(a.DB)
		test(t, a, p.(parts))
	}, moduletest.Set(settings...), moduletest.With(fx.Invoke(func(
		db *database.DB, store *blob.Store, f attachmentsapi.Files, l attachmentsapi.Links, h attachmentsapi.Holds,
	) {
		taken.Store(db, parts{store, f, l, h})
	})))
}

// as is a context in which a company's service is at work.
func as(t *testing.T, company moduletest.Company) context.Context {
	t.Helper()

	return principal.AsCompany(t.Context(), company.ID)
}

func digest(content string) string {
	sum := sha256.Sum256([]byte(content))

	return hex.EncodeToString(sum[:])
}

func TestStore_KeepsWhatALaterReadAnswers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		content := png + strings.Repeat("x", 300<<10)
		made := send(t, a, a.Owner.Token, "photo.jpg", content, "category", "pod_photo", "visibility", "customer", "title", " Left side ", "sha256", digest(content)).OK(t)
		read := a.Call(t, a.Owner.Token, http.MethodGet, made.Header.Get("Location"), nil).OK(t)

		require.Equal(t, string(made.Body), string(read.Body))
		require.Equal(t, "image/png", read.Get("media_type").String(), "what it is, not what it is said to be")
		require.Equal(t, digest(content), read.Get("sha256").String())
		require.Equal(t, "ready", read.Get("state").String())
		require.Equal(t, "Left side", read.Get("title").String())
		require.Equal(t, []string{"attachments.attachment.stored"}, a.EventNames(t, a.Owner))
		require.Equal(t, []string{"attachments.attachment.receive"}, a.Audited(t, a.Owner))
		require.Len(t, stored(t, p.store, a.Owner), 1)
		used := a.Call(t, a.Owner.Token, http.MethodGet, base+"/usage", nil).OK(t)
		require.EqualValues(t, len(content), used.Get("bytes").Int())

		path := made.Header.Get("Location") + "/content"
		got := a.Call(t, a.Owner.Token, http.MethodGet, path+"?disposition=inline", nil).OK(t)
		require.Equal(t, content, string(got.Body))
		require.Equal(t, "image/png", got.Header.Get("Content-Type"))
		require.Equal(t, `"`+digest(content)+`"`, got.Header.Get("ETag"))
		require.Contains(t, got.Header.Get("Content-Disposition"), "inline")
		require.Contains(t, got.Header.Get("Content-Security-Policy"), "sandbox")
		require.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
		require.Equal(t, "private, no-cache", got.Header.Get("Cache-Control"))

		part := a.Call(t, a.Owner.Token, http.MethodGet, path, nil, "Range", "bytes=1-3").OK(t)
		require.Equal(t, http.StatusPartialContent, part.Status)
		require.Equal(t, "PNG", string(part.Body))
		end := a.Call(t, a.Owner.Token, http.MethodGet, path, nil, "Range", "bytes=-4", "If-Range", got.Header.Get("ETag")).OK(t)
		require.Equal(t, "xxxx", string(end.Body))
		other := a.Call(t, a.Owner.Token, http.MethodGet, path, nil, "Range", "bytes=1-3", "If-Range", `"another"`).OK(t)
		require.Equal(t, http.StatusOK, other.Status, "a part of another version is of no use")
		a.Call(t, a.Owner.Token, http.MethodGet, path, nil, "Range", "bytes=99999999-").
			Refused(t, http.StatusRequestedRangeNotSatisfiable, "web.range_not_satisfiable")
		same := a.Call(t, a.Owner.Token, http.MethodGet, path, nil, "If-None-Match", got.Header.Get("ETag"))
		require.Equal(t, http.StatusNotModified, same.Status)

		stranger := a.NewCompany(t).Token
		for _, path := range []string{path, made.Header.Get("Location"), made.Header.Get("Location") + "/versions", made.Header.Get("Location") + "/versions/1/content"} {
			a.Call(t, stranger, http.MethodGet, path, nil).Refused(t, http.StatusNotFound, "attachments.not_found")
		}
		require.Zero(t, a.Call(t, stranger, http.MethodGet, files, nil).OK(t).Get("data.#").Int())
	})
}

func TestContent_RunsNothingOnOurOrigin(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		for name, content := range map[string]string{
			"page.png": "<!DOCTYPE html><html><script>alert(1)</script></html>",
			"logo.png": `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`,
			"data.png": `<?xml version="1.0"?><?xml-stylesheet href="x"?><a/>`,
		} {
			made := send(t, a, a.Owner.Token, name, content).OK(t)
			got := a.Call(t, a.Owner.Token, http.MethodGet, made.Header.Get("Location")+"/content?disposition=inline", nil).OK(t)
			require.Equal(t, "application/octet-stream", got.Header.Get("Content-Type"))
			require.True(t, strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment"), name)
			require.Equal(t, content, string(got.Body))
		}
		both := send(t, a, a.Owner.Token, "both.html", png+"<script>alert(1)</script>").OK(t)
		got := a.Call(t, a.Owner.Token, http.MethodGet, both.Header.Get("Location")+"/content?disposition=inline", nil).OK(t)
		require.Equal(t, "image/png", got.Header.Get("Content-Type"), "a browser shows a broken image")
	})
}

func TestStore_CleansNames(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		for given, want := range map[string]string{
			"../../etc/passwd":                 "passwd",
			`C:\\Users\\a\\scan.txt`:           "scan.txt",
			"invoice\u202egnp.txt":             "invoicegnp.txt",
			strings.Repeat("ä", 3000) + ".txt": strings.Repeat("ä", 125) + ".txt",
			"...":                              "file",
		} {
			made := send(t, a, a.Owner.Token, "x", "Hello", "file_name", given).OK(t)
			require.Equal(t, want, made.Get("file_name").String())
			got := a.Call(t, a.Owner.Token, http.MethodGet, made.Header.Get("Location")+"/content", nil).OK(t)
			require.Contains(t, got.Header.Get("Content-Disposition"), "filename=")
		}
		long := send(t, a, a.Owner.Token, strings.Repeat("x", 5000)+".txt", "Hello").OK(t)
		require.Equal(t, strings.Repeat("x", 251)+".txt", long.Get("file_name").String())
	})
}

func TestStore_RefusesWithoutKeepingAnything(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		text := func(fields ...string) moduletest.Response {
			return send(t, a, a.Owner.Token, "a.txt", "Hello", fields...)
		}
		text("sha256", digest("other")).Refused(t, http.StatusUnprocessableEntity, "attachments.digest_mismatch")
		text("sha256", "abc").Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")
		text("colour", "red").Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")
		text("visibility", "everybody", "category", "POD!", "owner_uuid", "7", "expires_at", "2001-01-01T00:00:00Z").
			Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")
		text("expires_at", "2001-01-01T00:00:00Z").Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")
		text("owner_type", "loads.load").Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")
		text("owner_type", "loads.load", "owner_uuid", uuid.NewString()).Refused(t, http.StatusUnprocessableEntity, "item.unknown_type")
		refused := text("owner_type", "attachments.attachment", "owner_uuid", uuid.NewString()).
			Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")
		require.Contains(t, refused.Get("errors.owner_uuid.0").String(), "no such attachments.attachment")
		send(t, a, a.Owner.Token, "a.jpg", "\x7fELF\x02\x01\x01"+strings.Repeat("\x00", 60)).
			Refused(t, http.StatusUnprocessableEntity, "attachments.type_refused")
		send(t, a, a.Owner.Token, "a.txt", strings.Repeat("x", 3<<19)).Refused(t, http.StatusRequestEntityTooLarge, "attachments.too_large")

		body, media := form(t, "a.txt", "Hello")
		cut := a.Call(t, a.Owner.Token, http.MethodPost, files, body[:len(body)-20], "Content-Type", media)
		cut.Refused(t, http.StatusBadRequest, "web.malformed_form")
		a.Call(t, a.Owner.Token, http.MethodPost, files, `{"a":1}`).Refused(t, http.StatusUnsupportedMediaType, "web.unsupported_media")
		content := "sha-256=:" + base64.StdEncoding.EncodeToString(make([]byte, 32)) + ":"
		a.Call(t, a.Owner.Token, http.MethodPost, files, body, "Content-Type", media, "Repr-Digest", content).
			Refused(t, http.StatusUnprocessableEntity, "attachments.digest_mismatch")
		a.Call(t, a.Owner.Token, http.MethodPost, files, body, "Content-Type", media, "Content-Digest", content).
			Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")

		require.Empty(t, stored(t, p.store, a.Owner))
		require.Empty(t, a.Events(t, a.Owner))
		require.Empty(t, a.Audited(t, a.Owner))
		require.Zero(t, a.Call(t, a.Owner.Token, http.MethodGet, base+"/usage", nil).OK(t).Get("bytes").Int())
		send(t, a, a.Owner.Token, "empty.bin", "").Refused(t, http.StatusUnprocessableEntity, "attachments.empty")
	}, "modules.attachments.max_size=1MiB")
}

// brim is a writer that is full after some bytes.
type brim struct {
	to   io.Writer
	left int
	err  error
}

func (b *brim) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, b.err
	}

	return b.to.Write(p)
}

func TestStore_KeepsNothingOnAFullDiskOrInABucketThatFails(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		for code, err := range map[string]error{"blob.full": syscall.ENOSPC, "blob.unavailable": errors.New("connection reset by peer")} {
			p.store.Through(func(w io.Writer) io.Writer { return &brim{to: w, left: 256 << 10, err: err} })
			refused := send(t, a, a.Owner.Token, "a.txt", strings.Repeat("x", 1<<20)).Refused(t, http.StatusServiceUnavailable, code)
			require.NotEmpty(t, refused.Header.Get("Retry-After"))
			require.Empty(t, stored(t, p.store, a.Owner))
			require.Zero(t, a.Call(t, a.Owner.Token, http.MethodGet, files, nil).OK(t).Get("data.#").Int())
		}
	})
}

func TestReplace_KeepsWhatWasAsAVersion(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		made := send(t, a, a.Owner.Token, "a.txt", "first").OK(t)
		path := made.Header.Get("Location")
		put := func(content string, headers ...string) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPut, path+"/content", content,
				append([]string{"Content-Type", "application/octet-stream"}, headers...)...)
		}
		sum := sha256.Sum256([]byte("second"))
		right := "sha-512=:AAAA:, sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
		put("tampered", "Content-Digest", right).Refused(t, http.StatusUnprocessableEntity, "attachments.digest_mismatch")
		put("second", "Content-Digest", "sha-256=no").Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")
		second := put("second", "Content-Digest", right, "If-Match", made.Header.Get("ETag")).OK(t)
		put("third", "If-Match", made.Header.Get("ETag")).Refused(t, http.StatusPreconditionFailed, "web.stale")
		require.EqualValues(t, 2, second.Get("content_number").Int())
		require.Len(t, stored(t, p.store, a.Owner), 2, "what was refused is gone")

		versions := a.Call(t, a.Owner.Token, http.MethodGet, path+"/versions", nil).OK(t)
		require.Equal(t, digest("second"), versions.Get("data.0.sha256").String())
		require.EqualValues(t, 1, versions.Get("data.1.number").Int())
		require.Equal(t, "first", string(a.Call(t, a.Owner.Token, http.MethodGet, path+"/versions/1/content", nil).OK(t).Body))
		require.Equal(t, "second", string(a.Call(t, a.Owner.Token, http.MethodGet, path+"/content", nil).OK(t).Body))
		a.Call(t, a.Owner.Token, http.MethodGet, path+"/versions/9/content", nil).Refused(t, http.StatusNotFound, "attachments.version_not_found")
		put("third").Refused(t, http.StatusConflict, "attachments.too_many_versions")
		require.Equal(t, []string{"attachments.attachment.stored", "attachments.attachment.replaced"}, a.EventNames(t, a.Owner))
	}, "modules.attachments.max_versions=2")
}

func TestUpdate_SaysAnewWhatAFileIs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		owner := send(t, a, a.Owner.Token, "owner.txt", "owner").OK(t).Get("uuid").String()
		made := send(t, a, a.Owner.Token, "a.txt", "Hello", "title", "Old", "category", "old").OK(t)
		path := made.Header.Get("Location")
		body := map[string]any{"title": "New", "owner_type": "attachments.attachment", "owner_uuid": owner, "visibility": "carrier"}
		changed := a.Call(t, a.Owner.Token, http.MethodPut, path, body, "If-Match", made.Header.Get("ETag")).OK(t)
		require.Equal(t, "New", changed.Get("title").String())
		require.Empty(t, changed.Get("category").String())
		require.Equal(t, "a.txt", changed.Get("file_name").String())
		a.Call(t, a.Owner.Token, http.MethodPut, path, body, "If-Match", made.Header.Get("ETag")).Refused(t, http.StatusPreconditionFailed, "web.stale")
		body["owner_uuid"] = uuid.NewString()
		a.Call(t, a.Owner.Token, http.MethodPut, path, body).Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")
		a.Call(t, a.NewCompany(t).Token, http.MethodPut, path, body).Refused(t, http.StatusNotFound, "attachments.not_found")

		of := a.Call(t, a.Owner.Token, http.MethodGet, files+"?filter[owner_type]=attachments.attachment&filter[owner_uuid]="+owner, nil).OK(t)
		require.EqualValues(t, 1, of.Get("data.#").Int())
		found := a.Call(t, a.Owner.Token, http.MethodGet, files+"?filter[media_type][starts]=text/&sort=-size&q=owner", nil).OK(t)
		require.Equal(t, owner, found.Get("data.0.uuid").String())
		require.EqualValues(t, 1, found.Get("data.#").Int())
	})
}

func TestList_SearchesWithoutCaseAndAccents(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		send(t, a, a.Owner.Token, "a.txt", "Hello", "title", "A naïve Événement").OK(t)
		for word, found := range map[string]int64{"naive": 1, "naïve": 1, "NAI%CC%88VE": 1, "evenement": 1, "événement": 1, "nativ": 0} {
			require.Equal(t, found, a.Call(t, a.Owner.Token, http.MethodGet, files+"?q="+word, nil).OK(t).Get("data.#").Int(), word)
		}
	})
}

func TestDelete_CanBeUndoneUntilThePurge(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		made := send(t, a, a.Owner.Token, "a.txt", "Hello").OK(t)
		path, id := made.Header.Get("Location"), made.Get("uuid").String()
		holder := uuid.NewString()
		require.NoError(t, p.holds.Hold(as(t, a.Owner), id, "esign.envelope", holder))
		require.NoError(t, p.holds.Hold(as(t, a.Owner), id, "esign.envelope", holder), "again changes nothing")
		require.Error(t, p.holds.Hold(as(t, a.NewCompany(t)), id, "esign.envelope", holder))
		a.Call(t, a.Owner.Token, http.MethodDelete, path, nil).Refused(t, http.StatusConflict, "attachments.held")
		a.Call(t, a.Owner.Token, http.MethodPut, path+"/content", "x", "Content-Type", "application/octet-stream").
			Refused(t, http.StatusConflict, "attachments.held")
		require.NoError(t, p.holds.Release(as(t, a.Owner), id, "esign.envelope", holder))

		a.Call(t, a.Owner.Token, http.MethodDelete, path, nil).OK(t)
		a.Call(t, a.Owner.Token, http.MethodDelete, path, nil).Refused(t, http.StatusNotFound, "attachments.not_found")
		a.Call(t, a.Owner.Token, http.MethodGet, path+"/content", nil).Refused(t, http.StatusNotFound, "attachments.not_found")
		require.Zero(t, a.Call(t, a.Owner.Token, http.MethodGet, files, nil).OK(t).Get("data.#").Int())
		require.EqualValues(t, 1, a.Call(t, a.Owner.Token, http.MethodGet, files+"?deleted=true", nil).OK(t).Get("data.#").Int())
		restored := a.Call(t, a.Owner.Token, http.MethodPost, path+"/restore", nil).OK(t)
		require.Equal(t, "ready", restored.Get("state").String())
		again := a.Call(t, a.Owner.Token, http.MethodPost, path+"/restore", nil).Refused(t, http.StatusConflict, "state.not_allowed")
		require.JSONEq(t, `["delete"]`, again.Get("details.allowed").Raw, "only what a caller can ask for")
		require.Equal(t, "Hello", string(a.Call(t, a.Owner.Token, http.MethodGet, path+"/content", nil).OK(t).Body))
		require.Equal(t, []string{
			"attachments.attachment.stored", "attachments.attachment.deleted", "attachments.attachment.restored",
		}, a.EventNames(t, a.Owner))
	})
}
