package attachments_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/jpeg"
	pngs "image/png"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// place is where the photos of the tests were made.
const place = "SECRET-PLACE-52.5200N-13.4050E"

// photo is a JPEG of w by h pixels that is to be turned by a quarter, and that says where it was made.
func photo(t *testing.T, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)), nil))
	exif := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x02" +
		"\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00" + // orientation
		"\x88\x25\x00\x04\x00\x00\x00\x01\x00\x00\x00\x26" + // GPS data, at 38
		"\x00\x00\x00\x00" + "\x00\x01" +
		"\x00\x02\x00\x02\x00\x00\x00" + string(rune(len(place))) + "\x00\x00\x00\x38" + // at 56
		"\x00\x00\x00\x00" + place
	head := append([]byte{0xff, 0xd8, 0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(exif)+2))...)

	return string(head) + exif + b.String()[2:]
}

// bomb is a PNG of a few bytes that says that it has w by h pixels.
func bomb(t *testing.T, w, h uint32) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, pngs.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))))
	content := b.Bytes()
	binary.BigEndian.PutUint32(content[16:], w)
	binary.BigEndian.PutUint32(content[20:], h)
	binary.BigEndian.PutUint32(content[29:], crc32.ChecksumIEEE(content[12:29]))

	return string(content)
}

// eventually waits for an answer.
func eventually(t *testing.T, a *moduletest.App, token, path string) moduletest.Response {
	t.Helper()
	var got moduletest.Response
	a.Eventually(t, func() bool {
		got = a.Call(t, token, http.MethodGet, path, nil)

		return got.Status == http.StatusOK
	}, path+" is there")

	return got
}

func TestThumbnails_AreMadeOfImagesAndGivenOut(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		made := send(t, a, a.Owner.Token, "photo.jpg", photo(t, 800, 400)).OK(t)
		path := made.Header.Get("Location")
		require.Equal(t, "400 800", made.Get("facts.width").Raw+" "+made.Get("facts.height").Raw)
		link := a.Call(t, a.Owner.Token, http.MethodPost, path+"/links", map[string]any{}).OK(t).Get("url").String()
		for size, want := range map[string]int{"160": 160, "480": 480, "1200": 800} {
			got := eventually(t, a, a.Owner.Token, path+"/thumbnails/"+size)
			require.Equal(t, "image/jpeg", got.Header.Get("Content-Type"))
			require.Contains(t, got.Header.Get("Content-Disposition"), "inline")
			require.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
			require.NotContains(t, string(got.Body), "Exif")
			m, err := jpeg.Decode(bytes.NewReader(got.Body))
			require.NoError(t, err)
			require.Equal(t, image.Pt(want/2, want), m.Bounds().Size(), "it stands upright")
			again := a.Call(t, a.Owner.Token, http.MethodGet, path+"/thumbnails/"+size, nil, "If-None-Match", got.Header.Get("ETag"))
			require.Equal(t, http.StatusNotModified, again.Status)
			require.Equal(t, got.Body, a.Call(t, "", http.MethodGet, link+"/thumbnails/"+size, nil).OK(t).Body)
		}
		a.Call(t, a.Owner.Token, http.MethodGet, path+"/thumbnails/99", nil).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		a.Call(t, a.NewCompany(t).Token, http.MethodGet, path+"/thumbnails/160", nil).Refused(t, http.StatusNotFound, "attachments.not_found")

		a.Call(t, a.Owner.Token, http.MethodPut, path+"/content", photo(t, 100, 300), "Content-Type", "application/octet-stream").OK(t)
		a.Eventually(t, func() bool {
			got := a.Call(t, a.Owner.Token, http.MethodGet, path+"/thumbnails/480", nil)
			m, err := jpeg.Decode(bytes.NewReader(got.Body))

			return err == nil && m.Bounds().Size() == image.Pt(300, 100)
		}, "new content has its own")
		a.Call(t, a.Owner.Token, http.MethodDelete, path, nil).OK(t)
		a.Call(t, a.Owner.Token, http.MethodGet, path+"/thumbnails/480", nil).Refused(t, http.StatusNotFound, "attachments.not_found")
	})
}

func TestThumbnails_AreNotMadeOfBombsAndBrokenImages(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		broken := photo(t, 300, 300)
		var paths []string
		for _, content := range []string{
			bomb(t, 60_000, 60_000), bomb(t, 7000, 7000), bomb(t, 1<<30, 1), broken[:len(broken)/2], png + "no image", "Hello",
		} {
			made := send(t, a, a.Owner.Token, "a.png", content).OK(t)
			require.Equal(t, "ready", made.Get("state").String())
			path := made.Header.Get("Location")
			require.Equal(t, content, string(a.Call(t, a.Owner.Token, http.MethodGet, path+"/content", nil).OK(t).Body))
			paths = append(paths, path)
		}
		last := send(t, a, a.Owner.Token, "last.jpg", photo(t, 300, 300)).OK(t).Header.Get("Location")
		eventually(t, a, a.Owner.Token, last+"/thumbnails/160")
		for _, path := range paths {
			a.Call(t, a.Owner.Token, http.MethodGet, path+"/thumbnails/160", nil).Refused(t, http.StatusNotFound, "attachments.thumbnail_not_found")
		}
	})
}

func TestStore_TakesTheLocationOutOfImagesThatAreNoEvidence(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		sent := photo(t, 64, 32)
		made := send(t, a, a.Owner.Token, "a.jpg", sent).OK(t)
		got := string(a.Call(t, a.Owner.Token, http.MethodGet, made.Header.Get("Location")+"/content", nil).OK(t).Body)
		require.NotContains(t, got, place)
		require.Equal(t, digest(got), made.Get("sha256").String())
		require.Equal(t, digest(sent), made.Get("facts.sent_sha256").String())
		require.True(t, made.Get("facts.location_removed").Bool())
		require.Equal(t, sent[strings.Index(sent, "\xff\xdb"):], got[strings.Index(got, "\xff\xdb"):], "not a pixel has changed")

		kept := send(t, a, a.Owner.Token, "a.jpg", sent, "category", "pod_photo").OK(t)
		require.Equal(t, sent, string(a.Call(t, a.Owner.Token, http.MethodGet, kept.Header.Get("Location")+"/content", nil).OK(t).Body))
		require.False(t, kept.Get("facts.location_removed").Exists())
		for _, small := range []string{made.Header.Get("Location"), kept.Header.Get("Location")} {
			require.NotContains(t, string(eventually(t, a, a.Owner.Token, small+"/thumbnails/160").Body), place)
		}
		require.Len(t, stored(t, p.store, a.Owner), 2*(1+3), "what was sent with its location is gone")
	}, "modules.attachments.images.evidence=pod_photo")
}

func TestStore_TellsHowManyPagesAPDFHas(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		objects := "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 12 >>\nendobj\n"
		document := objects + "xref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000058 00000 n \n" +
			"trailer\n<< /Size 3 /Root 1 0 R >>\nstartxref\n" + strconv.Itoa(len(objects)) + "\n%%EOF\n"
		made := send(t, a, a.Owner.Token, "a.pdf", document).OK(t)
		require.Equal(t, "12", made.Get("facts.pages").Raw)
		made = send(t, a, a.Owner.Token, "b.pdf", document[:100]).OK(t)
		require.Equal(t, "application/pdf ready null", made.Get("media_type").String()+" "+made.Get("state").String()+" "+made.Get("facts").Raw)
	})
}

func TestContent_OfAPolyglotDoesNotRun(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, _ parts) {
		t.Helper()
		script := "<html><script>alert(document.domain)</script></html>"
		var image1 bytes.Buffer
		require.NoError(t, pngs.Encode(&image1, image.NewGray(image.Rect(0, 0, 4, 4))))
		for name, content := range map[string]string{
			"behind.html": image1.String() + script,
			"text.html":   image1.String()[:33] + "\x00\x00\x00\x35tEXtC\x00" + script + image1.String()[33:],
			"front.gif":   "GIF89a/*" + script + "*/=1;",
			"jpeg.js":     photo(t, 8, 8) + script,
		} {
			made := send(t, a, a.Owner.Token, name, content).OK(t)
			path := made.Header.Get("Location") + "/content?disposition=inline"
			link := a.Call(t, a.Owner.Token, http.MethodPost, made.Header.Get("Location")+"/links", map[string]any{"disposition": "inline"}).OK(t)
			for _, got := range []moduletest.Response{
				a.Call(t, a.Owner.Token, http.MethodGet, path, nil).OK(t), a.Call(t, "", http.MethodGet, link.Get("url").String(), nil).OK(t),
			} {
				require.True(t, strings.HasPrefix(got.Header.Get("Content-Type"), "image/"), name)
				require.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
				require.Contains(t, got.Header.Get("Content-Security-Policy"), "sandbox")
			}
		}
		made := send(t, a, a.Owner.Token, "a.png", script).OK(t)
		got := a.Call(t, a.Owner.Token, http.MethodGet, made.Header.Get("Location")+"/content?disposition=inline", nil).OK(t)
		require.Equal(t, "application/octet-stream", got.Header.Get("Content-Type"))
		require.Contains(t, got.Header.Get("Content-Disposition"), "attachment")
	})
}
