package picture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/dispatchd/dispatchd/platform/picture/exif"
)

// errEnough ends reading a file of which no more is needed.
var errEnough = errors.New("picture: enough")

// mostMeta is how many bytes of data about an image are looked into at a time.
const mostMeta = 4 << 20

// visitor is shown the parts of a file with data about the image, by their names ("APP1", "eXIf"), and returns
// what is to stand in their place; nil leaves the part out.
type visitor func(name string, data []byte) ([]byte, error)

// copyParts copies a file to w and shows v its parts. What follows the image is copied if trailer says so.
func copyParts(w io.Writer, r io.Reader, media string, v visitor, trailer func() bool) error {
	in := bufio.NewReaderSize(r, 64<<10)
	switch media {
	case JPEG:
		return walkJPEG(w, in, v, trailer)
	case PNG:
		return walkPNG(w, in, v, trailer)
	case WebP:
		return walkWebP(w, in, v, trailer)
	default:
		return errEnough
	}
}

// observation is what the parts of a file say that decoders do not tell.
type observation struct {
	turn        int
	progressive bool
}

// observeFile reads a file as far as it can be read.
func observeFile(r io.Reader, media string) observation {
	seen := observation{turn: 1}
	err := copyParts(io.Discard, r, media, func(name string, data []byte) ([]byte, error) {
		switch name {
		case "SOF2", "SOF10":
			seen.progressive = true
		case "SOS":
			return nil, errEnough
		default:
			if tiff, is := exifIn(name, data); is && seen.turn == 1 {
				seen.turn = exif.Orientation(tiff)
			}
		}

		return data, nil
	}, func() bool { return false })
	if err != nil {
		return seen // it is observed so far; whether it is an image, decoding tells
	}

	return seen
}

const exifHead = "Exif\x00\x00"

// exifIn returns the Exif data of a part, which share its memory.
func exifIn(name string, data []byte) ([]byte, bool) {
	switch name {
	case "APP1":
		return bytes.CutPrefix(data, []byte(exifHead))
	case "eXIf":
		return data, true
	case "EXIF":
		return bytes.TrimPrefix(data, []byte(exifHead)), true
	default:
		return nil, false
	}
}

// copyRest copies what follows an image.
func copyRest(w io.Writer, r io.Reader, trailer func() bool) error {
	if !trailer() {
		return nil
	}
	_, err := io.Copy(w, r)

	return err
}

// walkPNG goes through the chunks: length, name, data, checksum.
func walkPNG(w io.Writer, r *bufio.Reader, v visitor, trailer func() bool) error {
	if err := copyBytes(w, r, 8); err != nil {
		return err
	}
	for {
		head, err := r.Peek(8)
		if err != nil {
			return err
		}
		size, name := int64(binary.BigEndian.Uint32(head)), string(head[4:])
		switch {
		case name == "IEND":
			if err := copyBytes(w, r, 12+size); err != nil {
				return err
			}

			return copyRest(w, r, trailer)
		case !aboutPNG(name):
			err = copyBytes(w, r, 12+size)
		default:
			err = chunkPNG(w, r, name, size, v)
		}
		if err != nil {
			return err
		}
	}
}

func aboutPNG(name string) bool {
	return name == "eXIf" || name == "iTXt" || name == "tEXt" || name == "zTXt"
}

func chunkPNG(w io.Writer, r *bufio.Reader, name string, size int64, v visitor) error {
	data, err := readPart(r, 8, size, 4)
	if err != nil {
		return err
	}
	if data, err = v(name, data); err != nil || data == nil {
		return err
	}
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data))) //nolint:gosec // at most mostMeta
	chunk = append(append(chunk, name...), data...)
	_, err = w.Write(binary.BigEndian.AppendUint32(chunk, checksum(chunk[4:])))

	return err
}

// walkWebP goes through the chunks of a RIFF file: name, length, data, and a byte that makes the length even.
// Parts keep their length, since it is part of that of the file.
func walkWebP(w io.Writer, r *bufio.Reader, v visitor, trailer func() bool) error {
	head, err := r.Peek(12)
	if err != nil {
		return err
	}
	left := int64(binary.LittleEndian.Uint32(head[4:])) - 4
	if err := copyBytes(w, r, 12); err != nil {
		return err
	}
	for left >= 8 {
		if head, err = r.Peek(8); err != nil {
			return err
		}
		size, name := int64(binary.LittleEndian.Uint32(head[4:])), string(head[:4])
		padded := 8 + size + size%2
		if left -= padded; left < 0 {
			return ErrNoImage
		}
		if name != "EXIF" && name != "XMP " {
			err = copyBytes(w, r, padded)
		} else {
			err = chunkWebP(w, r, name, size, v)
		}
		if err != nil {
			return err
		}
	}

	return copyRest(w, r, trailer)
}

func chunkWebP(w io.Writer, r *bufio.Reader, name string, size int64, v visitor) error {
	data, err := readPart(r, 8, size, size%2)
	if err != nil {
		return err
	}
	put, err := v(name, data)
	if err != nil {
		return err
	}
	if put == nil {
		put = emptyMetadata(name)
	}
	chunk := binary.LittleEndian.AppendUint32([]byte(name), uint32(size)) //nolint:gosec // at most mostMeta
	body := make([]byte, size+size%2)
	if name == "XMP " {
		body = bytes.Repeat([]byte{' '}, len(body))
	}
	copy(body, put)
	_, err = w.Write(append(chunk, body...))

	return err
}

// emptyMetadata is data about an image that say nothing.
func emptyMetadata(name string) []byte {
	if name == "XMP " {
		return []byte(`<x:xmpmeta xmlns:x="adobe:ns:meta/"/>`)
	}

	return []byte("II*\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00")
}

// readPart reads the data of a part that stand between a head and an end.
func readPart(r *bufio.Reader, head int, size, end int64) ([]byte, error) {
	if size > mostMeta {
		return nil, ErrTooLarge
	}
	if _, err := r.Discard(head); err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	_, err := r.Discard(int(end))

	return data, err
}

// copyBytes copies some bytes.
func copyBytes(w io.Writer, r io.Reader, n int64) error {
	_, err := io.CopyN(w, r, n)

	return err
}
