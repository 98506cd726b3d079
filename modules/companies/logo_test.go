package companies_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/companies/internal/brand"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// pictureOf is a square in a frame that can be seen through.
func pictureOf(w, h int) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := h / 4; y < h-h/4; y++ {
		for x := w / 4; x < w-w/4; x++ {
			m.SetNRGBA(x, y, color.NRGBA{200, 30, 30, 255})
		}
	}

	return m
}

func pngOf(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, pictureOf(w, h)))

	return b.Bytes()
}

// withText is a PNG with a chunk of text in it.
func withText(content []byte, text string) []byte {
	const header = 8 + 25 // the signature and IHDR
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), "tEXt"+text...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))

	return append(append(append([]byte{}, content[:header]...), chunk...), content[header:]...)
}

func (a app) putLogo(t *testing.T, token string, content []byte, headers ...string) moduletest.Response {
	t.Helper()
	if len(headers) == 0 {
		headers = []string{"Content-Type", "application/octet-stream"}
	}

	return a.Call(t, token, http.MethodPut, api+"/logo", content, headers...)
}

func (a app) logo(t *testing.T, path string, headers ...string) moduletest.Response {
	t.Helper()

	return a.Call(t, "", http.MethodGet, path, nil, headers...)
}

func TestLogo_IsDrawnAnewAndShownToEverybody(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		own := api + "/logo/" + a.Owner.ID.String()
		a.logo(t, own).Refused(t, http.StatusNotFound, "companies.logo_not_found")
		a.logo(t, api+"/logo/"+uuid.NewString()).Refused(t, http.StatusNotFound, "companies.logo_not_found")
		require.Equal(t, "null", a.get(t, a.Owner.Token, "/brand").OK(t).Get("logo").Raw)

		made := a.putLogo(t, a.Owner.Token, append(withText(pngOf(t, 1500, 300), "Comment\x00SECRET"), "<script>SECRET"...)).OK(t)
		require.Equal(t, []int64{1000, 200}, []int64{made.Get("width").Int(), made.Get("height").Int()})
		path := made.Get("logo").String()
		require.Contains(t, path, own+"?v=")
		require.Equal(t, path, a.get(t, a.Owner.Token, "/brand").OK(t).Get("logo").String())

		shown := a.logo(t, path).OK(t)
		require.NotContains(t, string(shown.Body), "SECRET")
		require.Equal(t, "image/png", shown.Header.Get("Content-Type"))
		require.Equal(t, "public, max-age=31536000, immutable", shown.Header.Get("Cache-Control"))
		require.Equal(t, "nosniff", shown.Header.Get("X-Content-Type-Options"))
		drawn, err := png.Decode(bytes.NewReader(shown.Body))
		require.NoError(t, err)
		require.Equal(t, color.NRGBAModel.Convert(color.NRGBA{200, 30, 30, 255}), color.NRGBAModel.Convert(drawn.At(500, 100)))
		_, _, _, alpha := drawn.At(5, 5).RGBA()
		require.Zero(t, alpha, "what can be seen through stays so")
		require.Equal(t, http.StatusNotModified, a.logo(t, path, "If-None-Match", shown.Header.Get("ETag")).Status)
		require.Equal(t, "public, no-cache", a.logo(t, own).OK(t).Header.Get("Cache-Control"))

		version := a.get(t, a.Owner.Token, "/brand").OK(t).Get("version").Int()
		require.Equal(t, path, a.putLogo(t, a.Owner.Token, pngOf(t, 1500, 300), "Content-Type", "image/png").OK(t).Get("logo").String())
		require.Equal(t, version, a.get(t, a.Owner.Token, "/brand").OK(t).Get("version").Int(), "the same logo again is a no-op")

		var photo bytes.Buffer
		require.NoError(t, jpeg.Encode(&photo, pictureOf(60, 40), nil))
		form, media := moduletest.Form(t, "logo.gif", photo.Bytes())
		other := a.putLogo(t, a.Owner.Token, form, "Content-Type", media).OK(t).Get("logo").String()
		require.NotEqual(t, path, other)
		require.Equal(t, "public, no-cache", a.logo(t, path).OK(t).Header.Get("Cache-Control"), "an old address has the logo of now")
		a.logo(t, api+"/logo/"+a.NewCompany(t).ID.String()).Refused(t, http.StatusNotFound, "companies.logo_not_found")

		for range 2 {
			a.Call(t, a.Owner.Token, http.MethodDelete, api+"/logo", nil).OK(t)
		}
		a.logo(t, other).Refused(t, http.StatusNotFound, "companies.logo_not_found")
		changes := slices.DeleteFunc(a.actions(t, a.Owner.Token), func(action string) bool { return !strings.HasPrefix(action, "companies.logo_") })
		require.Equal(t, []string{"companies.logo_removed", "companies.logo_updated", "companies.logo_updated"}, changes)
		require.Equal(t, []string{"companies.logo.updated", "companies.logo.updated", "companies.logo.removed"}, a.EventNames(t, a.Owner, "companies.logo."))
	})
}

func TestLogo_ThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a app) {
		t.Helper()
		whole := pngOf(t, 400, 400)
		var animated bytes.Buffer
		require.NoError(t, gif.Encode(&animated, pictureOf(10, 10), nil))
		bomb := append([]byte{}, whole...)
		binary.BigEndian.PutUint32(bomb[16:], 60_000)
		binary.BigEndian.PutUint32(bomb[20:], 60_000)
		binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
		for name, one := range map[string]struct {
			content []byte
			status  int
			code    string
		}{
			"SVG":          {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), http.StatusUnsupportedMediaType, "companies.logo_type"},
			"GIF":          {animated.Bytes(), http.StatusUnsupportedMediaType, "companies.logo_type"},
			"nothing":      {[]byte(" "), http.StatusUnsupportedMediaType, "companies.logo_type"},
			"3,000 pixels": {pngOf(t, 3000, 20), http.StatusUnprocessableEntity, "companies.logo_too_many_pixels"},
			"a bomb":       {bomb, http.StatusUnprocessableEntity, "companies.logo_too_many_pixels"},
			"cut":          {whole[:len(whole)/2], http.StatusUnprocessableEntity, "companies.logo_unreadable"},
			"a header":     {whole[:20], http.StatusUnprocessableEntity, "companies.logo_unreadable"},
			"JPEG":         {[]byte("\xff\xd8\xff\xe0 and no more"), http.StatusUnprocessableEntity, "companies.logo_unreadable"},
			"1 MiB and 1":  {append(append([]byte{}, whole...), make([]byte, 1<<20+1-len(whole))...), http.StatusRequestEntityTooLarge, "companies.logo_too_large"},
			"2 MiB":        {make([]byte, 2<<20), http.StatusRequestEntityTooLarge, "web.body_too_large"},
		} {
			refused := a.putLogo(t, a.Owner.Token, one.content)
			require.Equal(t, []any{one.status, one.code}, []any{refused.Status, refused.Get("code").String()}, name)
		}
		a.putLogo(t, a.Owner.Token, whole, "Content-Type", "image/svg+xml").Refused(t, http.StatusUnsupportedMediaType, "web.unsupported_media")
		two := "--X\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a\"\r\n\r\n" + string(whole) +
			"\r\n--X\r\nContent-Disposition: form-data; name=\"b\"; filename=\"b\"\r\n\r\n" + string(whole) + "\r\n--X--\r\n"
		a.putLogo(t, a.Owner.Token, []byte(two), "Content-Type", "multipart/form-data; boundary=X").Refused(t, http.StatusUnprocessableEntity, "web.one_file")
		a.logo(t, api+"/logo/"+a.Owner.ID.String()).Refused(t, http.StatusNotFound, "companies.logo_not_found")
		require.Empty(t, a.EventNames(t, a.Owner, "companies.logo."))
	})
}

func TestLogo_ThatWasReplacedIsDropped(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		var files *blob.Store
		var queue *jobs.Queue
		a := app{App: moduletest.Boot(t, url, areas(), moduletest.With(fx.Populate(&files, &queue)))}
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		kept := func() (names []string) {
			for found, err := range files.List(ctx, "companies") {
				require.NoError(t, err)
				names = append(names, found.Name)
			}

			return names
		}
		for side := range 3 {
			a.putLogo(t, a.Owner.Token, pngOf(t, 100+side, 100)).OK(t)
		}
		require.Len(t, kept(), 3)
		require.NoError(t, a.DB.InTx(ctx, func(ctx context.Context) error {
			for _, name := range kept() { // an hour early
				if err := queue.Enqueue(ctx, brand.DropLogo{Blob: name}); err != nil {
					return err
				}
			}

			return nil
		}))
		a.Eventually(t, func() bool { return len(kept()) == 1 }, "only the logo is left")
		a.logo(t, api+"/logo/"+a.Owner.ID.String()).OK(t)
	})
}
