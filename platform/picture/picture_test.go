package picture_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/picture"
)

// place is what the GPS data of the tests have in them.
const place = "SECRET-PLACE-52.5200N-13.4050E"

// exif are Exif data with an orientation and GPS data.
func exif(order binary.AppendByteOrder, turn uint16) []byte {
	head := "II*\x00"
	if order == binary.AppendByteOrder(binary.BigEndian) {
		head = "MM\x00*"
	}
	entry := func(b []byte, tag, kind uint16, count, value uint32) []byte {
		b = order.AppendUint16(order.AppendUint16(b, tag), kind)
		if b = order.AppendUint32(b, count); kind == 3 {
			return append(order.AppendUint16(b, uint16(value)), 0, 0)
		}

		return order.AppendUint32(b, value)
	}
	b := order.AppendUint32([]byte(head), 8)
	b = order.AppendUint16(b, 3) // at 8
	b = entry(b, 0x0112, 3, 1, uint32(turn))
	b = entry(b, 0x8825, 4, 1, 50)
	b = entry(b, 0x9003, 2, 4, 0x30303030)
	b = order.AppendUint32(b, 0)
	b = order.AppendUint16(b, 1) // at 50
	b = entry(b, 2, 2, uint32(len(place)), 68)
	b = order.AppendUint32(b, 0)

	return append(b, place...) // at 68
}

func section(marker byte, data string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2)), data...)
}

// striped is an image of four stripes from left to right: red, green, blue, white.
func striped(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	colors := []color.RGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}}
	for y := range h {
		for x := range w {
			m.SetRGBA(x, y, colors[x*4/w])
		}
	}

	return m
}

// photo is a JPEG with the segments in front.
func photo(t *testing.T, w, h int, segments ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, striped(w, h), nil))

	return append(append([]byte{0xff, 0xd8}, bytes.Join(segments, nil)...), b.Bytes()[2:]...)
}

func chunk(name, data string) []byte {
	b := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), name+data...)

	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func pngWith(t *testing.T, m image.Image, chunks ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))

	return append(append(append([]byte{}, b.Bytes()[:33]...), bytes.Join(chunks, nil)...), b.Bytes()[33:]...)
}

// webpWith is a WebP of one pixel.
func webpWith(t *testing.T, chunks ...string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	require.NoError(t, err)
	for i := 0; i+1 < len(chunks); i += 2 {
		data := chunks[i+1]
		b = append(binary.LittleEndian.AppendUint32(append(b, chunks[i]...), uint32(len(data))), data...)
		b = append(b, make([]byte, len(data)%2)...)
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))

	return b
}

func without(t *testing.T, content []byte, media string) []byte {
	t.Helper()
	var out bytes.Buffer
	found, err := picture.WithoutLocation(&out, bytes.NewReader(content), media)
	require.NoError(t, err)
	require.True(t, found)
	require.NotContains(t, out.String(), place)
	again, err := picture.WithoutLocation(io.Discard, bytes.NewReader(out.Bytes()), media)
	require.NoError(t, err)
	require.False(t, again, "there is none any more")

	return out.Bytes()
}

func pixels(t *testing.T, content []byte) image.Image {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(content))
	require.NoError(t, err)

	return m
}

func TestWithoutLocation_LeavesThePixelsAndHowToTurnThem(t *testing.T) {
	t.Parallel()
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		given := photo(t, 40, 20, section(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"), section(0xe1, "Exif\x00\x00"+string(exif(order, 6))))
		got := without(t, given, picture.JPEG)
		require.Len(t, got, len(given), "nothing was moved")
		require.Equal(t, pixels(t, given), pixels(t, got))
		require.Contains(t, string(got), "0000", "the other data stay")
		info, err := picture.ReadInfo(bytes.NewReader(got), picture.JPEG)
		require.NoError(t, err)
		require.Equal(t, [2]int{20, 40}, [2]int{info.Width, info.Height}, "as it is to be shown")

		drawn := pngWith(t, striped(40, 20), chunk("eXIf", string(exif(order, 6))), chunk("tEXt", "Title\x00Lorry"))
		got = without(t, drawn, picture.PNG)
		require.Len(t, got, len(drawn))
		require.Equal(t, pixels(t, drawn), pixels(t, got))

		tiny := webpWith(t, "EXIF", string(exif(order, 3)))
		require.Len(t, without(t, tiny, picture.WebP), len(tiny))
	}
}

func TestWithoutLocation_LeavesOutWhatMayTellIt(t *testing.T) {
	t.Parallel()
	xmp := "<x><exif:GPSLatitude>" + place + "</exif:GPSLatitude></x>"
	for text, content := range map[string][]byte{
		"XMP":         photo(t, 8, 8, section(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+xmp)),
		"broken Exif": photo(t, 8, 8, section(0xe1, "Exif\x00\x00"+"II*\x00\xff\xff\xff\x00"+place)),
		"a video behind": append(photo(t, 8, 8, section(0xe1, "Exif\x00\x00"+string(exif(binary.LittleEndian, 1)))),
			"\x00\x00\x00\x18ftypmp42"+place...),
	} {
		got := without(t, content, picture.JPEG)
		require.Equal(t, pixels(t, content), pixels(t, got), text)
	}
	for text, content := range map[string][]byte{
		"XMP":         pngWith(t, striped(8, 8), chunk("iTXt", "XML:com.adobe.xmp\x00\x00\x00\x00\x00"+xmp)),
		"packed XMP":  pngWith(t, striped(8, 8), chunk("iTXt", "XML:com.adobe.xmp\x00\x01\x00\x00\x00"+place)),
		"raw profile": pngWith(t, striped(8, 8), chunk("tEXt", "Raw profile type exif\x00"+place)),
	} {
		got := without(t, content, picture.PNG)
		require.Equal(t, pixels(t, content), pixels(t, got), text)
	}
	for _, content := range [][]byte{webpWith(t, "XMP ", xmp), webpWith(t, "EXIF", "broken "+place)} {
		_, err := picture.ReadInfo(bytes.NewReader(without(t, content, picture.WebP)), picture.WebP)
		require.NoError(t, err)
	}
}

func TestWithoutLocation_LeavesOtherFilesAsTheyAre(t *testing.T) {
	t.Parallel()
	behind := append(photo(t, 64, 64), "what follows"...)
	var out bytes.Buffer
	found, err := picture.WithoutLocation(&out, bytes.NewReader(behind), picture.JPEG)
	require.NoError(t, err)
	require.False(t, found)
	require.Equal(t, behind, out.Bytes())
	for _, media := range []string{picture.JPEG, picture.PNG, picture.WebP, picture.GIF, "text/plain"} {
		_, err = picture.WithoutLocation(io.Discard, strings.NewReader("no image"), media)
		require.ErrorIs(t, err, picture.ErrNoImage, media)
	}
	_, err = picture.WithoutLocation(io.Discard, bytes.NewReader(behind[:len(behind)/2]), picture.JPEG)
	require.ErrorIs(t, err, picture.ErrNoImage)
}

func maker() *picture.Maker {
	return picture.NewMaker(picture.Limits{Pixels: 50e6, Memory: 64 << 20, Time: time.Minute})
}

func TestMake_TurnsAndShrinks(t *testing.T) {
	t.Parallel()
	red, white := color.RGBA{255, 0, 0, 255}, color.RGBA{255, 255, 255, 255}
	// Where the red stripe, which is at the left, comes to stand, and the white one.
	corners := map[uint16][2]string{1: {"left", "right"}, 2: {"right", "left"}, 3: {"right", "left"}, 4: {"left", "right"}, 5: {"top", "bottom"}, 6: {"top", "bottom"}, 7: {"bottom", "top"}, 8: {"bottom", "top"}}
	for turn, want := range corners {
		content := photo(t, 400, 200, section(0xe1, "Exif\x00\x00"+string(exif(binary.BigEndian, turn))))
		all, err := maker().Make(t.Context(), bytes.NewReader(content), picture.JPEG, []int{1200, 160, 40})
		require.NoError(t, err)
		for i, size := range []int{400, 160, 40} {
			require.Equal(t, picture.JPEG, all[i].Media)
			require.NotContains(t, string(all[i].Content), place)
			m := pixels(t, all[i].Content)
			w, h := m.Bounds().Dx(), m.Bounds().Dy()
			require.Equal(t, size, max(w, h))
			require.Equal(t, size/2, min(w, h))
			at := map[string]image.Point{"left": {w / 20, h / 2}, "right": {w - 1 - w/20, h / 2}, "top": {w / 2, h / 20}, "bottom": {w / 2, h - 1 - h/20}}
			for j, c := range []color.RGBA{red, white} {
				p := at[want[j]]
				r, g, b, _ := m.At(p.X, p.Y).RGBA()
				require.InDeltaf(t, c.R, r>>8, 40, "turn %d", turn)
				require.InDeltaf(t, c.G, g>>8, 40, "turn %d", turn)
				require.InDeltaf(t, c.B, b>>8, 40, "turn %d", turn)
			}
		}
	}
}

func TestMake_KeepsTransparencyAndTakesTheFirstFrame(t *testing.T) {
	t.Parallel()
	glass := image.NewNRGBA(image.Rect(0, 0, 500, 100))
	all, err := maker().Make(t.Context(), bytes.NewReader(pngWith(t, glass)), picture.PNG, []int{160})
	require.NoError(t, err)
	require.Equal(t, picture.PNG, all[0].Media)
	_, _, _, alpha := pixels(t, all[0].Content).At(5, 5).RGBA()
	require.Zero(t, alpha)

	frame := image.NewPaletted(image.Rect(0, 0, 300, 300), color.Palette{color.White, color.Black})
	var b bytes.Buffer
	require.NoError(t, gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{1, 1}}))
	all, err = maker().Make(t.Context(), bytes.NewReader(b.Bytes()), picture.GIF, []int{160})
	require.NoError(t, err)
	require.Equal(t, 160, pixels(t, all[0].Content).Bounds().Dx())

	all, err = maker().Make(t.Context(), bytes.NewReader(webpWith(t)), picture.WebP, []int{160})
	require.NoError(t, err)
	require.Equal(t, 1, pixels(t, all[0].Content).Bounds().Dx())
}

// bomb is a PNG of a few bytes that says that it has w by h pixels.
func bomb(t *testing.T, w, h uint32) []byte {
	t.Helper()
	b := pngWith(t, striped(8, 8))
	binary.BigEndian.PutUint32(b[16:], w)
	binary.BigEndian.PutUint32(b[20:], h)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))

	return b
}

func TestMake_DecodesNoBombs(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]uint32{{100_000, 100_000}, {1 << 30, 1}, {1, 1 << 20}, {30_000, 30_000}, {9000, 9000}, {3000, 3000}} {
		content := bomb(t, size[0], size[1])
		_, err := maker().Make(t.Context(), bytes.NewReader(content), picture.PNG, []int{160})
		require.ErrorIsf(t, err, picture.ErrTooLarge, "%v", size)
	}
	_, err := maker().Make(t.Context(), bytes.NewReader(bomb(t, 0x7fffffff, 0x7fffffff)), picture.PNG, []int{160})
	require.ErrorIs(t, err, picture.ErrNoImage)
}

func TestMake_RefusesWhatIsBrokenAndEndsWithItsContext(t *testing.T) {
	t.Parallel()
	content := photo(t, 200, 200)
	for _, broken := range [][]byte{nil, content[:100], content[:len(content)/2], bytes.Repeat([]byte{0xff}, 1000), bomb(t, 100, 100)} {
		for _, media := range []string{picture.JPEG, picture.PNG, picture.GIF, picture.WebP, "image/heic"} {
			_, err := maker().Make(t.Context(), bytes.NewReader(broken), media, []int{160})
			require.ErrorIs(t, err, picture.ErrNoImage)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := maker().Make(ctx, bytes.NewReader(content), picture.JPEG, []int{160})
	require.ErrorIs(t, err, context.Canceled)
	late := picture.NewMaker(picture.Limits{Pixels: 50e6, Memory: 64 << 20, Time: time.Nanosecond})
	_, err = late.Make(t.Context(), bytes.NewReader(content), picture.JPEG, []int{160})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func FuzzWithoutLocation(f *testing.F) {
	t := &testing.T{}
	f.Add(photo(t, 16, 16, section(0xe1, "Exif\x00\x00"+string(exif(binary.BigEndian, 6)))), 0)
	f.Add(pngWith(t, striped(8, 8), chunk("eXIf", string(exif(binary.LittleEndian, 6)))), 1)
	f.Add(webpWith(t, "EXIF", string(exif(binary.BigEndian, 3))), 2)
	f.Fuzz(func(t *testing.T, content []byte, kind int) {
		media := []string{picture.JPEG, picture.PNG, picture.WebP, picture.GIF}[uint(kind)%4]
		var out bytes.Buffer
		found, err := picture.WithoutLocation(&out, bytes.NewReader(content), media)
		require.LessOrEqual(t, out.Len(), len(content))
		if err == nil && found {
			again, err := picture.WithoutLocation(io.Discard, bytes.NewReader(out.Bytes()), media)
			require.NoError(t, err)
			require.False(t, again)
		}
		if _, err := picture.ReadInfo(bytes.NewReader(content), media); err != nil {
			require.Error(t, err)
		}
	})
}

// BenchmarkMake_OfAPhotoOf48Megapixels measures what a thumbnail of such a photo takes; B/op is what docs/attachments.md says.
func BenchmarkMake_OfAPhotoOf48Megapixels(b *testing.B) {
	var content bytes.Buffer
	require.NoError(b, jpeg.Encode(&content, image.NewYCbCr(image.Rect(0, 0, 8064, 6048), image.YCbCrSubsampleRatio420), nil))
	m := picture.NewMaker(picture.Limits{Pixels: 50e6, Memory: 256 << 20, Time: time.Minute})
	b.ReportAllocs()
	for b.Loop() {
		_, err := m.Make(b.Context(), bytes.NewReader(content.Bytes()), picture.JPEG, []int{1200, 480, 160})
		require.NoError(b, err)
	}
}
