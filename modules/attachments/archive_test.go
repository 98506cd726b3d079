package attachments_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// unzip returns what is in an archive, by name.
func unzip(t *testing.T, content []byte) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	found := map[string]string{}
	for _, file := range archive.File {
		r, err := file.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		found[file.Name] = string(text)
	}
	require.Len(t, found, len(archive.File), "each name is there once")

	return found
}

func TestArchive_HasTheNewestContentUnderNamesThatDiffer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		owner := send(t, a, a.Owner.Token, "owner.txt", "owner").OK(t).Get("uuid").String()
		of := []string{"owner_type", "attachments.attachment", "owner_uuid", owner}
		var ids []string
		for _, file := range [][2]string{{"a.txt", "one"}, {"A.txt", "two"}, {"a.txt", "three"}, {"../../nul.png", png}, {"what?.pdf", "%PDF-1.7"}} {
			ids = append(ids, send(t, a, a.Owner.Token, file[0], file[1], of...).OK(t).Get("uuid").String())
		}
		a.Call(t, a.Owner.Token, http.MethodPut, files+"/"+ids[0]+"/content", "newer", "Content-Type", "application/octet-stream").OK(t)
		want := map[string]string{"a.txt": "newer", "A (2).txt": "two", "a (3).txt": "three", "_nul.png": png, "what_.pdf": "%PDF-1.7"}

		got := a.Call(t, a.Owner.Token, http.MethodGet, base+"/archive?uuids="+strings.Join(append(ids, ids[0]), ","), nil).OK(t)
		require.Equal(t, "application/zip", got.Header.Get("Content-Type"))
		require.Contains(t, got.Header.Get("Content-Disposition"), "attachments.zip")
		require.Equal(t, want, unzip(t, got.Body))
		query := "?owner_type=attachments.attachment&owner_uuid=" + owner
		require.Equal(t, want, unzip(t, a.Call(t, a.Owner.Token, http.MethodGet, base+"/archive"+query, nil).OK(t).Body))

		a.Call(t, a.Owner.Token, http.MethodDelete, files+"/"+ids[1], nil).OK(t)
		delete(want, "A (2).txt")
		want["a (2).txt"] = want["a (3).txt"]
		delete(want, "a (3).txt")
		require.Equal(t, want, unzip(t, a.Call(t, a.Owner.Token, http.MethodGet, base+"/archive"+query, nil).OK(t).Body))
	})
}

func TestArchive_RefusesWhatTheCallerMayNotRead(t *testing.T) {
	t.Parallel()
	eachScanned(t, func(t *testing.T, a *moduletest.App, _ parts, _ *clam) {
		t.Helper()
		owner := send(t, a, a.Owner.Token, "owner.txt", "owner").OK(t).Get("uuid").String()
		of := []string{"owner_type", "attachments.attachment", "owner_uuid", owner}
		fine := send(t, a, a.Owner.Token, "a.txt", "clean", of...).OK(t).Get("uuid").String()
		bad := send(t, a, a.Owner.Token, "b.txt", "a virus", of...).OK(t).Get("uuid").String()
		get := func(token, query string) moduletest.Response {
			return a.Call(t, token, http.MethodGet, base+"/archive"+query, nil)
		}
		get(a.Owner.Token, "?uuids="+fine+","+bad).Refused(t, http.StatusConflict, "attachments.quarantined")
		get(a.Owner.Token, "?uuids="+fine+","+uuid.NewString()).Refused(t, http.StatusNotFound, "attachments.not_found")
		get(a.NewCompany(t).Token, "?uuids="+fine).Refused(t, http.StatusNotFound, "attachments.not_found")
		require.Equal(t, map[string]string{"a.txt": "clean"},
			unzip(t, get(a.Owner.Token, "?owner_type=attachments.attachment&owner_uuid="+owner).OK(t).Body))
		get(a.Owner.Token, "?owner_type=attachments.attachment&owner_uuid="+uuid.NewString()).Refused(t, http.StatusNotFound, "attachments.not_found")
		for _, wrong := range []string{"", "?uuids=x", "?owner_type=a.b", "?uuids=" + fine + "&owner_type=a.b&owner_uuid=" + owner} {
			require.Equal(t, http.StatusUnprocessableEntity, get(a.Owner.Token, wrong).Status, wrong)
		}
		large := send(t, a, a.Owner.Token, "c.txt", strings.Repeat("x", 2000)).OK(t).Get("uuid").String()
		get(a.Owner.Token, "?uuids="+large).Refused(t, http.StatusRequestEntityTooLarge, "attachments.archive_too_large")
	}, "modules.attachments.max_archive=1000")
}

func TestArchive_ThatFailsMidwayDoesNotLookWhole(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		one := send(t, a, a.Owner.Token, "a.bin", strings.Repeat("\x00\x01x", 1<<20)).OK(t).Get("uuid").String()
		before := stored(t, p.store, a.Owner)
		two := send(t, a, a.Owner.Token, "b.txt", "gone").OK(t).Get("uuid").String()
		for _, name := range stored(t, p.store, a.Owner) {
			if name != before[0] {
				require.NoError(t, p.store.Delete(as(t, a.Owner), name))
			}
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+a.API.Address()+base+"/archive?uuids="+one+","+two, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+a.Owner.Token)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		got, err := io.ReadAll(response.Body)
		require.Error(t, err, "the connection ends before the answer does")
		require.NoError(t, response.Body.Close())
		_, err = zip.NewReader(bytes.NewReader(got), int64(len(got)))
		require.Error(t, err)
	})
}
