package picture

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"time"

	"golang.org/x/image/draw"
	"golang.org/x/sync/semaphore"
)

// quality is that of thumbnails that are JPEG.
const quality = 82

// Limits are what decoding images may take.
type Limits struct {
	// Pixels are the most that an image may have.
	Pixels int64
	// Memory is how many bytes all images take that are decoded at a time. One that takes more is refused.
	Memory int64
	// Time is how long reading and decoding one may take.
	Time time.Duration
}

// Maker makes thumbnails, within limits for all of them together. It may be used from several goroutines.
type Maker struct {
	limits Limits
	budget *semaphore.Weighted
	// turns are as many as there are processors: more images at a time would take memory, and no less time.
	turns *semaphore.Weighted
}

// NewMaker returns a maker.
func NewMaker(l Limits) *Maker {
	return &Maker{limits: l, budget: semaphore.NewWeighted(l.Memory), turns: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0)))}
}

// Thumbnail is a small image: JPEG, or PNG where something of it is transparent.
type Thumbnail struct {
	Edge    int
	Media   string
	Content []byte
}

// Make returns an image in small, upright, with nothing but its pixels, once for each
// edge: the length in pixels that its longer side has at most. Edges are in falling order. A smaller
// image keeps its size. Errors: ErrNoImage, ErrTooLarge, that of the context, and those of reading.
func (m *Maker) Make(ctx context.Context, r io.ReadSeeker, media string, edges []int) (all []Thumbnail, err error) {
	err = m.decode(ctx, r, media, func(picture image.Image, turn int) error {
		all, err = makeThumbnails(picture, turn, edges)

		return err
	})

	return all, err
}

// Copy is an image that was drawn anew, as a PNG.
type Copy struct {
	Width, Height int
	PNG           []byte
}

// Copy returns an image as Make does, as a PNG, so that nothing is lost but size: sharp edges and colors stay.
func (m *Maker) Copy(ctx context.Context, r io.ReadSeeker, media string, edge int) (made Copy, err error) {
	err = m.decode(ctx, r, media, func(picture image.Image, turn int) error {
		shown := orient(scaleDown(picture, edge), turn)
		var out bytes.Buffer
		made.Width, made.Height = shown.Rect.Dx(), shown.Rect.Dy()
		err := png.Encode(&out, shown)
		made.PNG = out.Bytes()

		return err
	})

	return made, err
}

// decode has do work with a decoded image, within the limits.
func (m *Maker) decode(ctx context.Context, r io.ReadSeeker, media string, do func(picture image.Image, turn int) error) error {
	info, err := ReadInfo(r, media)
	if err != nil {
		return err
	}
	if info.memory > m.limits.Memory || int64(info.Width)*int64(info.Height) > m.limits.Pixels {
		return ErrTooLarge
	}
	if err := m.turns.Acquire(ctx, 1); err != nil {
		return err
	}
	defer m.turns.Release(1)
	if err := m.budget.Acquire(ctx, info.memory); err != nil {
		return err
	}
	defer m.budget.Release(info.memory)
	ctx, cancel := context.WithTimeout(ctx, m.limits.Time)
	defer cancel()
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	picture, err := decodeFrom(&contextReader{ctx: ctx, from: r}, media)
	if err != nil {
		return err
	}

	return do(picture, info.turn)
}

func decodeFrom(r *contextReader, media string) (image.Image, error) {
	f, err := decoderOf(media)
	if err != nil {
		return nil, err
	}
	picture, err := f.decode(bufio.NewReader(r))
	switch {
	case r.failed != nil:
		return nil, r.failed
	case err != nil:
		return nil, errors.Join(ErrNoImage, err)
	}

	return picture, nil
}

// contextReader reads until its context ends, and remembers why reading failed.
type contextReader struct {
	ctx    context.Context //nolint:containedctx // of the one image that is read
	from   io.Reader
	failed error
}

// Read implements io.Reader.
func (p *contextReader) Read(b []byte) (int, error) {
	if p.failed = p.ctx.Err(); p.failed != nil {
		return 0, p.failed
	}
	n, err := p.from.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		p.failed = err
	}

	return n, err
}

func makeThumbnails(picture image.Image, turn int, edges []int) (_ []Thumbnail, err error) {
	all := make([]Thumbnail, len(edges))
	for i, edge := range edges {
		small := scaleDown(picture, edge)
		if all[i], err = encode(orient(small, turn), edge); err != nil {
			return nil, err
		}
		picture = small // the next smaller one is made of it
	}

	return all, nil
}

func encode(picture *image.RGBA, edge int) (Thumbnail, error) {
	var out bytes.Buffer
	if picture.Opaque() {
		err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: quality})

		return Thumbnail{Edge: edge, Media: JPEG, Content: out.Bytes()}, err
	}
	err := png.Encode(&out, picture)

	return Thumbnail{Edge: edge, Media: PNG, Content: out.Bytes()}, err
}

// scaleDown makes an image so small that its longer side is no longer than edge. It takes the average of whole
// blocks of pixels first, strip by strip, so that it takes no memory for the whole image again.
func scaleDown(from image.Image, edge int) *image.RGBA {
	bounds := from.Bounds()
	longer := max(bounds.Dx(), bounds.Dy())
	block := max(1, longer/edge)
	rough := downsample(from, block)
	if longer <= edge {
		return rough
	}
	to := image.NewRGBA(image.Rect(0, 0, max(1, bounds.Dx()*edge/longer), max(1, bounds.Dy()*edge/longer)))
	draw.ApproxBiLinear.Scale(to, to.Bounds(), rough, rough.Bounds(), draw.Src, nil)

	return to
}

// downsample returns the average of each block of pixels. Pixels at the right and lower edges that fill no
// block count for none, if there is another one.
func downsample(from image.Image, block int) *image.RGBA {
	bounds := from.Bounds()
	wide, high := min(block, bounds.Dx()), min(block, bounds.Dy())
	to := image.NewRGBA(image.Rect(0, 0, bounds.Dx()/wide, bounds.Dy()/high))
	strip := image.NewRGBA(image.Rect(0, 0, bounds.Dx(), high))
	for y := range to.Rect.Dy() {
		draw.Draw(strip, strip.Bounds(), from, image.Pt(bounds.Min.X, bounds.Min.Y+y*high), draw.Src)
		for x := range to.Rect.Dx() {
			averageBlock(to.Pix[to.PixOffset(x, y):], strip, x*wide, wide)
		}
	}

	return to
}

// averageBlock puts the average of the block of a strip that begins at x into the first pixel of to.
func averageBlock(to []byte, strip *image.RGBA, x, wide int) {
	var sums [4]uint64
	high := strip.Rect.Dy()
	for y := range high {
		row := strip.Pix[strip.PixOffset(x, y):][:wide*4]
		for i := 0; i < len(row); i += 4 {
			sums[0] += uint64(row[i])
			sums[1] += uint64(row[i+1])
			sums[2] += uint64(row[i+2])
			sums[3] += uint64(row[i+3])
		}
	}
	n := uint64(wide * high) //nolint:gosec // both are above 0
	for i, sum := range sums {
		to[i] = byte((sum + n/2) / n) //nolint:gosec // the average of bytes
	}
}

// orient returns an image turned as Exif says: mirrored, by half or quarter turns.
func orient(from *image.RGBA, turn int) *image.RGBA {
	if turn <= 1 {
		return from
	}
	w, h := from.Rect.Dx(), from.Rect.Dy()
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	if turn > 4 {
		to = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			tx, ty := orientedPoint(x, y, w, h, turn)
			copy(to.Pix[to.PixOffset(tx, ty):][:4], from.Pix[from.PixOffset(x, y):][:4])
		}
	}

	return to
}

// orientedPoint returns where a pixel of an image of w by h comes to stand.
func orientedPoint(x, y, w, h, turn int) (tx, ty int) {
	switch turn {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return h - 1 - y, x
	case 7:
		return h - 1 - y, w - 1 - x
	default:
		return y, w - 1 - x
	}
}
