package paper

import (
	"bytes"
	"encoding/gob"

	"codeberg.org/go-pdf/fpdf"
)

// setApart gives a picture a width of its own, by less than a pixel. The library writes pictures in the order of their widths, and those of the same
// width in any order (putimages of v0.12.0), so that a paper would have other bytes each time. The width is written without its fraction.
func setApart(info *fpdf.ImageInfoType, number int) error {
	const most = 1e-6 // of a pixel, between two pictures
	encoded, err := info.GobEncode()
	if err != nil {
		return err
	}
	var fields struct {
		data, mask          []byte
		object              int
		wide, high          float64
		colors              string
		palette             []byte
		bits                int
		filter, parameters  string
		transparent         []int
		scale, dotsPerPoint float64
	}
	in := gob.NewDecoder(bytes.NewReader(encoded))
	all := []any{
		&fields.data, &fields.mask, &fields.object, &fields.wide, &fields.high, &fields.colors, &fields.palette, &fields.bits, &fields.filter, &fields.parameters,
		&fields.transparent, &fields.scale, &fields.dotsPerPoint,
	}
	for _, field := range all {
		if err := in.Decode(field); err != nil {
			return err
		}
	}
	fields.wide += float64(number) * most
	var changed bytes.Buffer
	out := gob.NewEncoder(&changed)
	for _, field := range all {
		if err := out.Encode(field); err != nil {
			return err
		}
	}

	return info.GobDecode(changed.Bytes())
}
