package attachments

import (
	"mime"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

const (
	mediaBytes = "application/octet-stream"
	mediaForm  = "multipart/form-data"
	// sniffed is how many bytes tell what a file is.
	sniffed = 3072
)

// sniff says what a file is by how it begins. What its sender says is not asked.
func sniff(head []byte) string {
	media, _, err := mime.ParseMediaType(mimetype.Detect(head).String())
	if err != nil {
		return mediaBytes
	}

	return media
}

// shownTypes are what browsers show without running anything of it. All else is given out as
// application/octet-stream, so that no HTML, SVG or XML runs on our origin.
func shownTypes() []string {
	return []string{
		"application/pdf", "audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/wav", "image/avif", "image/bmp",
		"image/gif", "image/heic", "image/heif", "image/jpeg", "image/png", "image/tiff", "image/webp",
		"text/csv", "text/plain", "video/mp4", "video/mpeg", "video/ogg", "video/quicktime", "video/webm",
	}
}

// givenTypes are the media types that content is given out as.
func givenTypes() []string { return append(shownTypes(), mediaBytes) }

// givenAs returns the media type that content is given out as, and whether browsers may show it.
func givenAs(media string) (as string, shown bool) {
	switch {
	case !slices.Contains(shownTypes(), media):
		return mediaBytes, false
	case strings.HasPrefix(media, "text/"):
		return media + "; charset=utf-8", true
	default:
		return media, true
	}
}

// among reports whether a media type is one of some, which may be all of a kind (image/*).
func among(media string, types []string) bool {
	kind, _, _ := strings.Cut(media, "/")

	return slices.Contains(types, media) || slices.Contains(types, kind+"/*")
}

// checkType refuses a media type. Types are those that the company, and this upload, may have; none is all.
func (s settings) checkType(media string, types ...[]string) error {
	for _, allowed := range append([][]string{s.AllowedTypes}, types...) {
		if len(allowed) > 0 && !among(media, allowed) {
			return errType.WithMessage("The file is %s, and may be: %s.", media, strings.Join(allowed, ", ")).
				WithField("file", "The file must be of one of these types: "+strings.Join(allowed, ", ")+".").
				WithDetail("media_type", media).WithDetail("allowed", allowed)
		}
	}
	if among(media, s.RefusedTypes) {
		return errType.WithMessage("The file is %s, which is not taken.", media).
			WithField("file", "The file must not be "+media+".").WithDetail("media_type", media)
	}

	return nil
}
