package attachments_test

import (
	"bufio"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const mediaTus = "application/offset+octet-stream"

// metadata is an Upload-Metadata of pairs.
func metadata(pairs ...string) string {
	var all []string
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, pairs[i]+" "+base64.StdEncoding.EncodeToString([]byte(pairs[i+1])))
	}

	return strings.Join(all, ",")
}

// begin begins to send a file below a path.
func begin(t *testing.T, a *moduletest.App, token, path string, length int, headers ...string) moduletest.Response {
	t.Helper()

	return a.Call(t, token, http.MethodPost, path, nil, append([]string{
		"Tus-Resumable", "1.0.0", "Upload-Length", strconv.Itoa(length),
	}, headers...)...)
}

// more sends more of a file.
func more(t *testing.T, a *moduletest.App, token, path string, offset int, content string, headers ...string) moduletest.Response {
	t.Helper()

	return a.Call(t, token, http.MethodPatch, path, content, append([]string{
		"Tus-Resumable", "1.0.0", "Content-Type", mediaTus, "Upload-Offset", strconv.Itoa(offset),
	}, headers...)...)
}

// far asks how far a file is.
func far(t *testing.T, a *moduletest.App, token, path string) moduletest.Response {
	t.Helper()

	return a.Call(t, token, http.MethodHead, path, nil, "Tus-Resumable", "1.0.0")
}

func used(t *testing.T, a *moduletest.App) int64 {
	t.Helper()

	return a.Call(t, a.Owner.Token, http.MethodGet, base+"/usage", nil).OK(t).Get("bytes").Int()
}

func TestTus_MakesAFileOfWhatArrivesBitByBit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		content := png + strings.Repeat("0123456789", 1000)
		said := metadata("filename", "../photo.jpg", "category", "pod", "title", "Left side", "visibility", "customer",
			"sha256", digest(content), "filetype", "image/jpeg")
		made := begin(t, a, a.Owner.Token, base+"/tus", len(content), "Upload-Metadata", said).OK(t)
		require.Equal(t, http.StatusCreated, made.Status)
		require.Equal(t, "0", made.Header.Get("Upload-Offset"))
		path := made.Header.Get("Location")
		_, err := http.ParseTime(made.Header.Get("Upload-Expires"))
		require.NoError(t, err)

		first := more(t, a, a.Owner.Token, path, 0, content[:4000]).OK(t)
		require.Equal(t, http.StatusNoContent, first.Status)
		require.Equal(t, "4000", first.Header.Get("Upload-Offset"))
		require.Equal(t, "1.0.0", first.Header.Get("Tus-Resumable"))
		require.NotContains(t, first.Header, "Attachment-Uuid")
		asked := far(t, a, a.Owner.Token, path).OK(t)
		require.Equal(t, "4000", asked.Header.Get("Upload-Offset"))
		require.Equal(t, strconv.Itoa(len(content)), asked.Header.Get("Upload-Length"))
		require.Equal(t, said, asked.Header.Get("Upload-Metadata"))
		require.Equal(t, "no-store", asked.Header.Get("Cache-Control"))
		require.EqualValues(t, 4000, used(t, a), "what has arrived counts")
		require.Zero(t, a.Call(t, a.Owner.Token, http.MethodGet, files, nil).OK(t).Get("data.#").Int())

		more(t, a, a.Owner.Token, path, 3000, "x").Refused(t, http.StatusConflict, "attachments.offset_conflict")
		more(t, a, a.NewCompany(t).Token, path, 4000, "x").Refused(t, http.StatusNotFound, "attachments.transfer_not_found")
		last := more(t, a, a.Owner.Token, path, 4000, content[4000:]).OK(t)
		file := a.Call(t, a.Owner.Token, http.MethodGet, files+"/"+last.Header.Get("Attachment-UUID"), nil).OK(t)
		require.Equal(t, "photo.jpg", file.Get("file_name").String())
		require.Equal(t, "image/png", file.Get("media_type").String())
		require.Equal(t, "pod", file.Get("category").String())
		require.Equal(t, digest(content), file.Get("sha256").String())
		require.Equal(t, content, string(a.Call(t, a.Owner.Token, http.MethodGet, file.Header.Get("Location")+"/content", nil).OK(t).Body))
		require.Equal(t, []string{"attachments.attachment.stored"}, a.EventNames(t, a.Owner))

		require.Equal(t, strconv.Itoa(len(content)), far(t, a, a.Owner.Token, path).OK(t).Header.Get("Upload-Offset"))
		shown := a.Call(t, a.Owner.Token, http.MethodGet, path, nil, "Tus-Resumable", "1.0.0").OK(t)
		require.Equal(t, file.Get("uuid").String(), shown.Get("attachment_uuid").String())
		more(t, a, a.Owner.Token, path, len(content), "").OK(t)
		a.Eventually(t, func() bool { return len(stored(t, p.store, a.Owner)) == 1 }, "the parts are removed")
		require.EqualValues(t, len(content), used(t, a))
		a.Call(t, a.Owner.Token, http.MethodDelete, path, nil, "Tus-Resumable", "1.0.0").OK(t)
		require.Equal(t, http.StatusNotFound, far(t, a, a.Owner.Token, path).Status)
		a.Call(t, a.Owner.Token, http.MethodGet, file.Header.Get("Location"), nil).OK(t)
	}, "modules.attachments.part_size=1KiB")
}

func TestTus_TellsWhatItSpeaks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		for _, path := range []string{base + "/tus", base + "/uploads/dsl_x/tus"} {
			told := a.Call(t, "", http.MethodOptions, path, nil).OK(t)
			require.Equal(t, http.StatusNoContent, told.Status)
			require.Equal(t, "1.0.0", told.Header.Get("Tus-Version"))
			require.Equal(t, "creation,creation-with-upload,checksum,termination,expiration", told.Header.Get("Tus-Extension"))
			require.Equal(t, "sha256,sha1", told.Header.Get("Tus-Checksum-Algorithm"))
			require.Equal(t, "1000", told.Header.Get("Tus-Max-Size"))
		}
	}, "modules.attachments.max_size=1000B")
}

func TestTus_TakesAFileWithItsBeginning(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		post := func(length int, content string, headers ...string) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, base+"/tus", content, append([]string{
				"Tus-Resumable", "1.0.0", "Upload-Length", strconv.Itoa(length), "Content-Type", mediaTus,
			}, headers...)...)
		}
		whole := post(5, "Hello").OK(t)
		require.Equal(t, "5", whole.Header.Get("Upload-Offset"))
		require.NotEmpty(t, whole.Header.Get("Attachment-UUID"))
		begin(t, a, a.Owner.Token, base+"/tus", 0).Refused(t, http.StatusUnprocessableEntity, "attachments.empty")
		part := post(5, "Hel").OK(t)
		more(t, a, a.Owner.Token, part.Header.Get("Location"), 3, "lo", "X-HTTP-Method-Override", "PATCH").OK(t)
		post(5, "Hello!").Refused(t, http.StatusRequestEntityTooLarge, "attachments.too_large")
		post(5, "Hello", "Upload-Metadata", metadata("sha256", digest("other"))).Refused(t, http.StatusUnprocessableEntity, "attachments.digest_mismatch")
		override := a.Call(t, a.Owner.Token, http.MethodPost, part.Header.Get("Location"), nil, "Tus-Resumable", "1.0.0", "X-HTTP-Method-Override", "DELETE")
		require.Equal(t, http.StatusNoContent, override.Status)
	})
}

func TestTus_RefusesWhatItCannotTake(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		token, tus := a.Owner.Token, base+"/tus"
		none := a.Call(t, token, http.MethodPost, tus, nil, "Upload-Length", "5").Refused(t, http.StatusPreconditionFailed, "attachments.tus_version")
		require.Equal(t, "1.0.0", none.Header.Get("Tus-Version"))
		begin(t, a, token, tus, 5, "Tus-Resumable", "0.2.2").Refused(t, http.StatusPreconditionFailed, "attachments.tus_version")
		begin(t, a, token, tus, 1001).Refused(t, http.StatusRequestEntityTooLarge, "attachments.too_large")
		for _, length := range []string{"", "-1", "+5", "5.0", "x", "99999999999999999999"} {
			begin(t, a, token, tus, 5, "Upload-Length", length).Refused(t, http.StatusBadRequest, "attachments.tus_header")
		}
		for _, wrong := range []string{"filename x", "a YQ==,a YQ==", ",", "filename Y Q==", strings.Repeat("a", 9<<10)} {
			begin(t, a, token, tus, 5, "Upload-Metadata", wrong).Refused(t, http.StatusBadRequest, "attachments.tus_header")
		}
		for _, wrong := range []string{
			metadata("colour", "red"), metadata("owner_uuid", "no id"), metadata("category", "Not this"), metadata("sha256", "abc"),
			metadata("visibility", "all"), metadata("owner_type", "loads.load", "owner_uuid", "0190d0c0-0000-7000-8000-000000000301"),
		} {
			require.Equal(t, http.StatusUnprocessableEntity, begin(t, a, token, tus, 5, "Upload-Metadata", wrong).Status, wrong)
		}
		begin(t, a, "", tus, 5).Refused(t, http.StatusUnauthorized, "identity.token_missing")

		path := begin(t, a, token, tus, 5).OK(t).Header.Get("Location")
		more(t, a, token, path, 0, "Hello", "Content-Type", "text/plain").Refused(t, http.StatusUnsupportedMediaType, "web.unsupported_media")
		more(t, a, token, path, 0, "Hello", "Upload-Offset", "").Refused(t, http.StatusBadRequest, "attachments.tus_header")
		more(t, a, token, path, 1, "Hello").Refused(t, http.StatusConflict, "attachments.offset_conflict")
		for _, sum := range []string{"md5 AAAA", "sha256 AAAA", "sha256", "sha1 !"} {
			more(t, a, token, path, 0, "Hello", "Upload-Checksum", sum).Refused(t, http.StatusBadRequest, "attachments.tus_header")
		}
		require.Empty(t, stored(t, p.store, a.Owner))

		program := "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 900)
		path = begin(t, a, token, tus, len(program)).OK(t).Header.Get("Location")
		more(t, a, token, path, 0, program).Refused(t, http.StatusUnprocessableEntity, "attachments.type_refused")
		require.Equal(t, http.StatusNotFound, far(t, a, token, path).Status)
		path = begin(t, a, token, tus, len(program)).OK(t).Header.Get("Location")
		more(t, a, token, path, 0, program[:3]).OK(t) // which does not tell
		more(t, a, token, path, 3, program[3:]).Refused(t, http.StatusUnprocessableEntity, "attachments.type_refused")
		require.Equal(t, http.StatusNotFound, far(t, a, token, path).Status)
		require.Zero(t, used(t, a))
	}, "modules.attachments.max_size=1000B")
}

func TestTus_KeepsOnlyWhatHasItsChecksum(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		long, short := sha256.Sum256([]byte("Hello ")), sha1.Sum([]byte("world"))
		path := begin(t, a, a.Owner.Token, base+"/tus", 11).OK(t).Header.Get("Location")
		right := "sha256 " + base64.StdEncoding.EncodeToString(long[:])
		wrong := more(t, a, a.Owner.Token, path, 0, "hello ", "Upload-Checksum", right)
		wrong.Refused(t, 460, "attachments.checksum_mismatch")
		require.Equal(t, "0", wrong.Header.Get("Upload-Offset"))
		require.Empty(t, stored(t, p.store, a.Owner))
		more(t, a, a.Owner.Token, path, 0, "Hello ", "Upload-Checksum", right).OK(t)
		last := more(t, a, a.Owner.Token, path, 6, "world", "Upload-Checksum", "sha1 "+base64.StdEncoding.EncodeToString(short[:])).OK(t)
		file := a.Call(t, a.Owner.Token, http.MethodGet, files+"/"+last.Header.Get("Attachment-UUID"), nil).OK(t)
		require.Equal(t, digest("Hello world"), file.Get("sha256").String())
	})
}

func TestTus_KeepsWhatArrivedWhenTheConnectionBreaks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		content := strings.Repeat("0123456789", 2000)
		path := begin(t, a, a.Owner.Token, base+"/tus", len(content)).OK(t).Header.Get("Location")
		cut := func(headers string) {
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", a.API.Address())
			require.NoError(t, err)
			_, err = fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"+
				"Content-Type: %s\r\nContent-Length: %d\r\n%s\r\n%s", path, a.Owner.Token, mediaTus, len(content), headers, content[:15000])
			require.NoError(t, err)
			require.NoError(t, conn.(*net.TCPConn).CloseWrite())
			_, err = bufio.NewReader(conn).ReadString('\n') // until it is dealt with
			require.True(t, err == nil || errors.Is(err, io.EOF), err)
			require.NoError(t, conn.Close())
		}
		cut("Upload-Checksum: sha256 " + base64.StdEncoding.EncodeToString(make([]byte, 32)) + "\r\n")
		require.Equal(t, "0", far(t, a, a.Owner.Token, path).OK(t).Header.Get("Upload-Offset"), "nobody knows whether that is right")
		cut("")
		require.Equal(t, "15000", far(t, a, a.Owner.Token, path).OK(t).Header.Get("Upload-Offset"))
		last := more(t, a, a.Owner.Token, path, 15000, content[15000:]).OK(t)
		file := a.Call(t, a.Owner.Token, http.MethodGet, files+"/"+last.Header.Get("Attachment-UUID"), nil).OK(t)
		require.Equal(t, digest(content), file.Get("sha256").String())
	}, "modules.attachments.part_size=4KiB")
}

func TestTus_LetsOneOfThoseWhoSendTheSameGoOn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		content := strings.Repeat("x", 9000)
		path := begin(t, a, a.Owner.Token, base+"/tus", len(content)).OK(t).Header.Get("Location")
		var all sync.WaitGroup
		var answers [4]moduletest.Response
		for i := range answers {
			all.Go(func() { answers[i] = more(t, a, a.Owner.Token, path, 0, content) })
		}
		all.Wait()
		through := 0
		for _, answer := range answers {
			if answer.Status == http.StatusNoContent {
				through++
			} else {
				answer.Refused(t, http.StatusConflict, "attachments.offset_conflict")
			}
		}
		require.Equal(t, 1, through)
		require.EqualValues(t, 1, a.Call(t, a.Owner.Token, http.MethodGet, files, nil).OK(t).Get("data.#").Int())
		a.Eventually(t, func() bool { return len(stored(t, p.store, a.Owner)) == 1 }, "the parts are removed")
		require.EqualValues(t, len(content), used(t, a))
	})
}

func TestTus_KeepsTheQuotaOfTheCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		begin(t, a, a.Owner.Token, base+"/tus", 1025).Refused(t, http.StatusConflict, "attachments.quota_exceeded")
		one := begin(t, a, a.Owner.Token, base+"/tus", 1000).OK(t).Header.Get("Location")
		two := begin(t, a, a.Owner.Token, base+"/tus", 1024).OK(t).Header.Get("Location")
		more(t, a, a.Owner.Token, one, 0, strings.Repeat("x", 600)).OK(t)
		more(t, a, a.Owner.Token, two, 0, strings.Repeat("x", 600)).Refused(t, http.StatusConflict, "attachments.quota_exceeded")
		send(t, a, a.Owner.Token, "a.txt", strings.Repeat("x", 600)).Refused(t, http.StatusConflict, "attachments.quota_exceeded")
		more(t, a, a.Owner.Token, one, 600, strings.Repeat("x", 400)).OK(t)
		require.EqualValues(t, 1000, used(t, a))
		a.Call(t, a.Owner.Token, http.MethodDelete, two, nil, "Tus-Resumable", "1.0.0").OK(t)
	}, "modules.attachments.max_company_size=1KiB")
}

func TestTus_TakesFilesByAnUploadLink(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		link := invite(t, a, map[string]any{"category": "insurance", "title": "Papers", "max_size": 100, "types": []string{"text/plain"}})
		tus := link.Get("url").String() + "/tus"
		begin(t, a, "", tus, 101).Refused(t, http.StatusRequestEntityTooLarge, "attachments.too_large")
		begin(t, a, "", tus, 5, "Upload-Metadata", metadata("category", "other")).Refused(t, http.StatusUnprocessableEntity, "attachments.invalid")
		path := begin(t, a, "", tus, 5, "Upload-Metadata", metadata("filename", "a.txt")).OK(t).Header.Get("Location")
		second := begin(t, a, "", tus, 5).OK(t).Header.Get("Location")
		image := begin(t, a, "", tus, len(png)).OK(t).Header.Get("Location")
		more(t, a, "", image, 0, png).Refused(t, http.StatusUnprocessableEntity, "attachments.type_refused")
		more(t, a, "", path, 0, "Hel").OK(t)
		other := invite(t, a, map[string]any{}).Get("url").String()
		moved := other + strings.TrimPrefix(path, link.Get("url").String())
		more(t, a, "", moved, 3, "lo").Refused(t, http.StatusNotFound, "attachments.transfer_not_found")
		more(t, a, a.Owner.Token, base+"/tus"+path[strings.LastIndex(path, "/"):], 3, "lo").
			Refused(t, http.StatusNotFound, "attachments.transfer_not_found")

		last := more(t, a, "", path, 3, "lo").OK(t)
		require.NotContains(t, last.Header, "Attachment-Uuid", "a stranger is not told")
		require.Equal(t, "5", far(t, a, "", path).OK(t).Header.Get("Upload-Offset"), "also when the link is used up")
		got := a.Call(t, a.Owner.Token, http.MethodGet, files, nil).OK(t)
		require.Equal(t, "insurance", got.Get("data.0.category").String())
		require.Equal(t, "a.txt", got.Get("data.0.file_name").String())
		require.Equal(t, link.Get("uuid").String(), got.Get("data.0.upload_link_uuid").String())
		require.Equal(t, "used_up", a.Call(t, a.Owner.Token, http.MethodGet, link.Header.Get("Location"), nil).OK(t).Get("status").String())
		more(t, a, "", second, 0, "x").Refused(t, http.StatusNotFound, "link.used_up")
		require.Equal(t, http.StatusNotFound, far(t, a, "", second).Status)

		revoked := invite(t, a, map[string]any{})
		path = begin(t, a, "", revoked.Get("url").String()+"/tus", 5).OK(t).Header.Get("Location")
		more(t, a, "", path, 0, "Hel").OK(t)
		a.Call(t, a.Owner.Token, http.MethodPost, revoked.Header.Get("Location")+"/revoke", nil).OK(t)
		more(t, a, "", path, 3, "lo").Refused(t, http.StatusNotFound, "link.revoked")
		begin(t, a, "", revoked.Get("url").String()+"/tus", 5).Refused(t, http.StatusNotFound, "link.revoked")
		require.EqualValues(t, 1, a.Call(t, a.Owner.Token, http.MethodGet, files, nil).OK(t).Get("data.#").Int())

		open := invite(t, a, map[string]any{"max_uploads": 2}).Get("url").String() + "/tus"
		for range 20 {
			begin(t, a, "", open, 5).OK(t)
		}
		begin(t, a, "", open, 5).Refused(t, http.StatusConflict, "attachments.too_many_transfers")
	})
}
