// Package eastasian is a font with the letters of Chinese, Japanese and Korean: Droid Sans Fallback, which Google made for Android and licensed under
// Apache-2.0. It has 20,902 ideographs, both kana, and all syllables of Hangul, in one weight.
package eastasian

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the font
	"fmt"
	"io"
)

//go:embed DroidSansFallback.ttf.gz
var packed []byte

// TTF unpacks the font, 3.5 MB of TrueType, anew with each call.
func TTF() ([]byte, error) {
	from, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("font: %w", err)
	}
	font, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("font: %w", err)
	}

	return font, nil
}
