// Package picture looks at images that somebody has sent: how large they are, small ones of them, and where
// they were made, which it takes out without touching a pixel.
//
// Nothing here trusts an image: what it takes to decode one is known before it is decoded, and is bounded.
package picture

import (
	"bufio"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"slices"

	"golang.org/x/image/webp"
)

// The media types that can be decoded.
const (
	JPEG = "image/jpeg"
	PNG  = "image/png"
	GIF  = "image/gif"
	WebP = "image/webp"
)

var (
	// ErrNoImage says that the content cannot be read as an image of its type.
	ErrNoImage = errors.New("the content is not an image")
	// ErrTooLarge says that the image has more pixels, or takes more memory, than may be.
	ErrTooLarge = errors.New("the image is too large")
)

// longestSide is how many pixels a side of an image may have that is decoded, which is what JPEG has.
const longestSide = 65535

// CanDecode reports whether images of a media type can be decoded.
func CanDecode(media string) bool { return slices.Contains([]string{JPEG, PNG, GIF, WebP}, media) }

// Info is what an image says of itself.
type Info struct {
	// Width and Height are in pixels, of the upright image.
	Width, Height int
	// turn is how it is to be turned, as Exif numbers it.
	turn int
	// memory is about how many bytes decoding it takes.
	memory int64
}

// ReadInfo reads what an image says of itself, and decodes nothing.
func ReadInfo(r io.ReadSeeker, media string) (Info, error) {
	f, err := decoderOf(media)
	if err != nil {
		return Info{}, err
	}
	config, err := f.config(bufio.NewReader(r))
	if err != nil {
		return Info{}, errors.Join(ErrNoImage, err)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return Info{}, err
	}
	seen := observeFile(r, media)
	info := Info{Width: config.Width, Height: config.Height, turn: seen.turn}
	if info.Width <= 0 || info.Height <= 0 {
		return Info{}, ErrNoImage
	}
	perPixel := f.memory
	if seen.progressive {
		perPixel = f.progressive
	}
	info.memory = math.MaxInt64
	if max(config.Width, config.Height) <= longestSide {
		info.memory = int64(config.Width) * int64(config.Height) * perPixel
	}
	if info.turn > 4 {
		info.Width, info.Height = info.Height, info.Width
	}

	return info, nil
}

// decoder is how images of a type are decoded, and how many bytes that takes for a pixel at most.
type decoder struct {
	config              func(io.Reader) (image.Config, error)
	decode              func(io.Reader) (image.Image, error)
	memory, progressive int64
}

func decoderOf(media string) (decoder, error) {
	switch media {
	case JPEG:
		return decoder{jpeg.DecodeConfig, jpeg.Decode, 4, 20}, nil // progressive: 4 bytes for each coefficient besides
	case PNG:
		return decoder{png.DecodeConfig, png.Decode, 16, 16}, nil // interlaced, of 16 bits
	case GIF:
		return decoder{gif.DecodeConfig, gif.Decode, 2, 2}, nil
	case WebP:
		return decoder{webp.DecodeConfig, webp.Decode, 12, 12}, nil
	default:
		return decoder{}, ErrNoImage
	}
}
