package paper

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"
)

// Limits of pictures.
const (
	mostBytes  = 40 << 20
	mostPixels = 50_000_000
	quality    = 80
	// Dots per inch on paper.
	photoDots = 170.0
	logoDots  = 300.0
	inch      = 25.4
)

var (
	errNoPicture    = errors.New("it is no PNG or JPEG")
	errLargePicture = errors.New("it is too large")
	errUnreachable  = errors.New("the file cannot be read")
)

// shrunk reads a picture, and returns it as small as it may be for a field of millimetres, on white and upright, with its size in pixels: a PNG
// stays one, since a logo has sharp edges.
func (s *sheet) shrunk(p Picture, wide, high float64) (file []byte, kind string, size image.Point, err error) {
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-s.ctx.Done():
		return nil, "", size, s.ctx.Err()
	}
	content, err := p.read(s.ctx)
	if err != nil {
		return nil, "", size, err
	}
	info, kind, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return nil, "", size, errNoPicture
	}
	if info.Width > mostPixels/max(info.Height, 1) {
		return nil, "", size, errLargePicture
	}
	full, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return nil, "", size, errNoPicture
	}
	density, turn := photoDots, orientation(content)
	if kind == "png" {
		density = logoDots
	}
	turned := upright(scaled(full, wide/inch*density, high/inch*density, turn), turn)
	var out bytes.Buffer
	if kind == "png" {
		err = png.Encode(&out, turned)
	} else {
		err = jpeg.Encode(&out, turned, &jpeg.Options{Quality: quality})
	}

	return out.Bytes(), kind, turned.Bounds().Size(), err
}

// scaled returns a picture on white that is no larger than a field of pixels in which it is turned.
func scaled(full image.Image, wide, high float64, turn int) *image.RGBA {
	if turn > 4 { //nolint:mnd // those lie on their side
		wide, high = high, wide
	}
	from := full.Bounds().Size()
	scale := min(1, wide/float64(from.X), high/float64(from.Y))
	small := image.NewRGBA(image.Rect(0, 0, max(1, int(float64(from.X)*scale)), max(1, int(float64(from.Y)*scale))))
	draw.Draw(small, small.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(small, small.Bounds(), full, full.Bounds(), draw.Over, nil)

	return small
}

func (p Picture) read(ctx context.Context) ([]byte, error) {
	file, err := p.Open(ctx)
	if err != nil {
		return nil, errUnreachable
	}
	content, err := io.ReadAll(io.LimitReader(file, mostBytes+1))
	if closed := file.Close(); err != nil || closed != nil {
		return nil, errUnreachable
	}
	if len(content) > mostBytes {
		return nil, errLargePicture
	}

	return content, nil
}

// upright turns a picture as its Exif data say, 1 to 8.
func upright(from *image.RGBA, turn int) *image.RGBA {
	if turn <= 1 || turn > 8 {
		return from
	}
	wide, high := from.Rect.Dx(), from.Rect.Dy()
	to := image.NewRGBA(image.Rect(0, 0, wide, high))
	if turn > 4 { //nolint:mnd // those lie on their side
		to = image.NewRGBA(image.Rect(0, 0, high, wide))
	}
	for y := range high {
		for x := range wide {
			right, down := wide-1-x, high-1-y
			at := [...]image.Point{{}, {}, {right, y}, {right, down}, {x, down}, {y, x}, {down, x}, {down, right}, {y, right}}[turn]
			to.SetRGBA(at.X, at.Y, from.RGBAAt(x, y))
		}
	}

	return to
}

// orientation reads from a JPEG how it is to be turned, 1 to 8; 1 where nothing says so (CIPA DC-008).
func orientation(file []byte) int {
	const tag, entry = 0x0112, 12
	exif := exifOf(file)
	if len(exif) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(exif[:2]) == "II" {
		order = binary.LittleEndian
	}
	at := int(order.Uint32(exif[4:]))
	if at < 8 || at+2 > len(exif) {
		return 1
	}
	n := int(order.Uint16(exif[at:]))
	for i := range n {
		from := at + 2 + i*entry
		if from+entry > len(exif) {
			return 1
		}
		if order.Uint16(exif[from:]) == tag {
			return int(order.Uint16(exif[from+8:]))
		}
	}

	return 1
}

// exifOf returns the Exif data of a JPEG, nil for none.
func exifOf(file []byte) []byte {
	const header, marker = "Exif\x00\x00", 4
	for at := 2; at+marker <= len(file) && file[at] == 0xff; {
		length := int(binary.BigEndian.Uint16(file[at+2:]))
		end := at + 2 + length
		if length < 2 || end > len(file) || file[at+1] == 0xda {
			return nil
		}
		if part := file[at+marker : end]; file[at+1] == 0xe1 && bytes.HasPrefix(part, []byte(header)) {
			return part[len(header):]
		}
		at = end
	}

	return nil
}

// size returns how large a picture is in pixels when it stands upright.
func (p Picture) size(ctx context.Context) (size image.Point, err error) {
	content, err := p.read(ctx)
	if err != nil {
		return size, err
	}
	info, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return size, errNoPicture
	}
	if orientation(content) > 4 { //nolint:mnd // those lie on their side
		return image.Pt(info.Height, info.Width), nil
	}

	return image.Pt(info.Width, info.Height), nil
}
