// Package filetype knows what files may be called, and what they are.
package filetype

import (
	"mime"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

const (
	// Bytes is the media type of anything.
	Bytes = "application/octet-stream"
	// Form is the media type of a form with a file.
	Form = "multipart/form-data"
	// Sniffed is how many bytes tell what a file is.
	Sniffed = 3072
)

// Detect says what a file is by how it begins. What its sender says is not asked.
func Detect(head []byte) string {
	media, _, err := mime.ParseMediaType(mimetype.Detect(head).String())
	if err != nil {
		return Bytes
	}

	return media
}

// inlineTypes are what browsers show without running anything of it. All else is given out as
// application/octet-stream, so that no HTML, SVG or XML runs on our origin.
var inlineTypes = []string{
	"application/pdf", "audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/wav", "image/avif", "image/bmp",
	"image/gif", "image/heic", "image/heif", "image/jpeg", "image/png", "image/tiff", "image/webp",
	"text/csv", "text/plain", "video/mp4", "video/mpeg", "video/ogg", "video/quicktime", "video/webm",
}

// ServedTypes returns the media types that content is served as.
func ServedTypes() []string { return append(slices.Clone(inlineTypes), Bytes) }

// ServeAs returns the media type that content is served as, and whether browsers may show it.
func ServeAs(media string) (as string, shown bool) {
	switch {
	case !slices.Contains(inlineTypes, media):
		return Bytes, false
	case strings.HasPrefix(media, "text/"):
		return media + "; charset=utf-8", true
	default:
		return media, true
	}
}

// MatchesAny reports whether a media type is one of some, which may be all of a kind (image/*).
func MatchesAny(media string, types []string) bool {
	kind, _, _ := strings.Cut(media, "/")

	return slices.Contains(types, media) || slices.Contains(types, kind+"/*")
}
