package picture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// Markers of JPEG (ITU-T T.81, table B.1).
const (
	markerSOF2  = 0xc2
	markerSOF10 = 0xca
	markerRST0  = 0xd0
	markerSOI   = 0xd8
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerAPP1  = 0xe1
	markerTEM   = 0x01
)

func nameOf(marker byte) string {
	switch marker {
	case markerSOF2:
		return "SOF2"
	case markerSOF10:
		return "SOF10"
	case markerSOS:
		return "SOS"
	case markerAPP1:
		return "APP1"
	default:
		return ""
	}
}

// walkJPEG goes through the segments: a marker, and for most a length and data.
func walkJPEG(w io.Writer, r *bufio.Reader, v visitor, trailer func() bool) error {
	for {
		marker, err := nextMarker(r)
		if err != nil {
			return err
		}
		switch alone := []byte{0xff, marker}; {
		case marker == markerEOI:
			if _, err := w.Write(alone); err != nil {
				return err
			}

			return copyRest(w, r, trailer)
		case marker == markerTEM, marker >= markerRST0 && marker <= markerSOI:
			_, err = w.Write(alone)
		default:
			err = copySegment(w, r, marker, v)
		}
		if err == nil && marker == markerSOS {
			err = scanData(w, r)
		}
		if err != nil {
			return err
		}
	}
}

// nextMarker reads a marker, with the bytes that may fill the room before it.
func nextMarker(r *bufio.Reader) (byte, error) {
	first, err := r.ReadByte()
	if err != nil {
		return 0, err
	}
	if first != 0xff {
		return 0, ErrNoImage
	}
	for {
		marker, err := r.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case marker == 0:
			return 0, ErrNoImage
		case marker != 0xff:
			return marker, nil
		}
	}
}

// copySegment copies a segment whose marker was read.
func copySegment(w io.Writer, r *bufio.Reader, marker byte, v visitor) error {
	var head [2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	size := int64(binary.BigEndian.Uint16(head[:])) - 2
	if size < 0 {
		return ErrNoImage
	}
	data, err := readPart(r, 0, size, 0)
	if err != nil {
		return err
	}
	if name := nameOf(marker); name != "" {
		if data, err = v(name, data); err != nil || data == nil {
			return err
		}
	}
	whole := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2)) //nolint:gosec // no longer than it was
	_, err = w.Write(append(whole, data...))

	return err
}

// scanData copies coded data, to the marker that ends them.
func scanData(w io.Writer, r *bufio.Reader) error {
	for {
		head, err := r.Peek(2)
		if err != nil {
			return err
		}
		if head[0] == 0xff && head[1] != 0 && (head[1] < markerRST0 || head[1] > markerRST0+7) {
			return nil
		}
		some, err := r.Peek(max(r.Buffered(), 2))
		if err != nil {
			return err
		}
		n := 1
		if some[0] == 0xff {
			n = 2
		}
		if end := bytes.IndexByte(some[n:], 0xff); end >= 0 {
			n += end
		} else {
			n = len(some)
		}
		if err := copyBytes(w, r, int64(n)); err != nil {
			return err
		}
	}
}

func checksum(b []byte) uint32 { return crc32.ChecksumIEEE(b) }
