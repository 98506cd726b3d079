package picture

import (
	"bytes"
	"errors"
	"io"

	"github.com/dispatchd/dispatchd/platform/picture/exif"
)

// WithoutLocation copies an image without where it was made: the GPS data of Exif, and XMP that has some. All
// else stays unchanged, every pixel among it; only what follows the image is left out if it had a location,
// since cameras put further images and a video there that have it too. It reports whether there was one.
// Data that cannot be read, so that they may have one, are left out.
//
// Of a file that is no JPEG, PNG or WebP that can be read, the error is ErrNoImage.
func WithoutLocation(w io.Writer, r io.Reader, media string) (bool, error) {
	var s stripper
	err := copyParts(w, r, media, s.visit, func() bool { return !s.found })
	if errors.Is(err, errEnough) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, ErrTooLarge) {
		err = ErrNoImage
	}

	return s.found, err
}

// leastExif is how many bytes Exif data have that say anything: a head and a directory with one entry.
const leastExif = 26

type stripper struct{ found bool }

func (s *stripper) visit(name string, data []byte) ([]byte, error) {
	if tiff, is := exifIn(name, data); is {
		if len(tiff) < leastExif {
			return data, nil
		}
		scrubbed, err := exif.Scrub(tiff)
		s.found = s.found || scrubbed || err != nil
		if err != nil {
			return nil, nil //nolint:nilerr // what cannot be read is left out
		}

		return data, nil
	}
	if s.mayRevealLocation(name, data) {
		s.found = true

		return nil, nil
	}

	return data, nil
}

// mayRevealLocation reports whether a part that is not Exif data may say where the image was made.
func (s *stripper) mayRevealLocation(name string, data []byte) bool {
	gps := bytes.Contains(data, []byte("GPS"))
	switch name {
	case "APP1":
		extension := bytes.HasPrefix(data, []byte("http://ns.adobe.com/xmp/extension/\x00"))

		return gps || extension && s.found
	case "XMP ":
		return gps
	case "iTXt", "tEXt", "zTXt":
		keyword, _, _ := bytes.Cut(data, []byte{0})
		xmp := string(keyword) == "XML:com.adobe.xmp"
		packed := xmp && len(data) > len(keyword)+1 && data[len(keyword)+1] != 0

		return xmp && gps || packed || bytes.HasPrefix(keyword, []byte("Raw profile type "))
	default:
		return false
	}
}
