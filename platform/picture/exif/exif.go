// Package exif reads how an image is to be turned from its Exif data, and takes out of them where it was
// made. What is changed is changed in place: not a byte is moved elsewhere in the file.
//
// Exif data are a TIFF file: chains of directories (IFD) with entries of twelve bytes, whose values stand
// in the entry or at an offset (TIFF 6.0; CIPA DC-008).
package exif

import (
	"encoding/binary"
	"errors"
)

// errMalformed says that the data are no TIFF.
var errMalformed = errors.New("exif: malformed")

const (
	tagOrientation = 0x0112
	tagGPS         = 0x8825
	entrySize      = 12
	// mostDirectories is how many directories a chain has at most: that of the image, and of its thumbnail.
	mostDirectories = 8
)

// data are Exif data in their order of bytes.
type data struct {
	bytes []byte
	order binary.ByteOrder
}

func parse(b []byte) (data, error) {
	d := data{bytes: b, order: binary.LittleEndian}
	if len(b) < 8 {
		return d, errMalformed
	}
	switch string(b[:4]) {
	case "II*\x00":
	case "MM\x00*":
		d.order = binary.BigEndian
	default:
		return d, errMalformed
	}

	return d, nil
}

// directory returns where the entries of the directory at an offset begin, and how many there are.
func (d data) directory(at uint32) (first, count int, err error) {
	if at < 8 || uint64(at)+2 > uint64(len(d.bytes)) {
		return 0, 0, errMalformed
	}
	first, count = int(at)+2, int(d.order.Uint16(d.bytes[at:]))
	if first+count*entrySize > len(d.bytes) {
		return 0, 0, errMalformed
	}

	return first, count, nil
}

// next returns the offset of the directory after one, 0 if there is none.
func (d data) next(first, count int) uint32 {
	if at := first + count*entrySize; at+4 <= len(d.bytes) {
		return d.order.Uint32(d.bytes[at:])
	}

	return 0
}

// Orientation returns how the image is to be turned, 1 to 8 as Exif numbers it, 1 where nothing says so.
func Orientation(b []byte) int {
	d, err := parse(b)
	if err != nil {
		return 1
	}
	first, count, err := d.directory(d.order.Uint32(b[4:]))
	if err != nil {
		return 1
	}
	for i := range count {
		entry := b[first+i*entrySize:]
		if d.order.Uint16(entry) != tagOrientation {
			continue
		}
		if turn := int(d.order.Uint16(entry[8:])); turn >= 1 && turn <= 8 {
			return turn
		}
	}

	return 1
}

// Scrub takes the location out of Exif data, in place, and reports whether there was one. Its error says that
// the data cannot be read, so that there may be one.
func Scrub(b []byte) (bool, error) {
	d, err := parse(b)
	if err != nil {
		return false, err
	}
	scrubbed := false
	at := d.order.Uint32(b[4:])
	for n := 0; at != 0 && n < mostDirectories; n++ {
		first, count, err := d.directory(at)
		if err != nil {
			return scrubbed, err
		}
		for i := count - 1; i >= 0; i-- {
			entry := b[first+i*entrySize:]
			if d.order.Uint16(entry) != tagGPS {
				continue
			}
			if err := d.blank(d.order.Uint32(entry[8:])); err != nil {
				return scrubbed, err
			}
			d.remove(first, count, i)
			count--
			scrubbed = true
		}
		at = d.next(first, count)
	}

	return scrubbed, nil
}

// remove takes an entry out of a directory; what is after it moves up, with the offset of the next directory.
func (d data) remove(first, count, i int) {
	from, end := first+i*entrySize, min(first+count*entrySize+4, len(d.bytes))
	copy(d.bytes[from:], d.bytes[from+entrySize:end])
	clear(d.bytes[end-entrySize : end])
	d.order.PutUint16(d.bytes[first-2:], uint16(count-1)) //nolint:gosec // it was a uint16
}

// blank puts zeros in the place of a directory and of its values.
func (d data) blank(at uint32) error {
	first, count, err := d.directory(at)
	if err != nil {
		return err
	}
	for i := range count {
		entry := d.bytes[first+i*entrySize:]
		size := uint64(d.order.Uint32(entry[4:])) * typeSize(d.order.Uint16(entry[2:]))
		from := uint64(d.order.Uint32(entry[8:]))
		if size > 4 && from+size <= uint64(len(d.bytes)) && from >= 8 {
			clear(d.bytes[from : from+size])
		}
	}
	clear(d.bytes[first-2 : first+count*entrySize])

	return nil
}

// typeSize is how many bytes a value of a type has.
func typeSize(kind uint16) uint64 {
	switch kind {
	case 3, 8:
		return 2
	case 4, 9, 11:
		return 4
	case 5, 10, 12:
		return 8
	default:
		return 1
	}
}
