// Package qr makes QR codes (ISO/IEC 18004) of addresses, so that what is on a screen or on paper opens on a phone.
package qr

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// Code is a QR code: its rows of modules, which are dark or not, without the quiet zone around them.
type Code [][]bool

// quiet is how many modules around a code stay light.
const quiet = 4

// Of returns the code of a text, which has 2,331 bytes at most, with the error correction M: 15 % of it may be unreadable.
func Of(text string) (Code, error) {
	made, err := qr.Encode(text, qr.M, qr.Unicode)
	if err != nil {
		return nil, fmt.Errorf("making a QR code: %w", err)
	}
	size := made.Bounds().Dx()
	code := make(Code, size)
	for y := range code {
		code[y] = make([]bool, size)
		for x := range code[y] {
			code[y][x] = color.GrayModel.Convert(made.At(x, y)) == color.Gray{}
		}
	}

	return code, nil
}

// SVG is the code as an image that screens can scale, dark on light whatever the colors of the page; label says what it is to those who cannot see it.
func (c Code) SVG(label string) string {
	var path strings.Builder
	for y, row := range c {
		for x, dark := range row {
			if dark {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	size := len(c) + 2*quiet
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;").Replace(label)

	return fmt.Sprintf(`<svg class="qr" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s" shape-rendering="crispEdges">`+
		`<path fill="#fff" d="M0 0h%dv%dH0z"/><path fill="#000" d="%s"/></svg>`, size, size, escaped, size, size, path.String())
}
