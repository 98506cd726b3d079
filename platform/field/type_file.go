package field

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const errFile = Error(`must be a file: {"attachment_uuid": "…"}.`)

// FileOptions points at an attachment.
type FileOptions struct {
	fileCells

	// Accept are the media types that a file may have, or kinds of them ("image/*"); none is all.
	Accept []string `json:"accept"`
	// MaxSize is how large a file may be, in bytes; nil is as large as attachments can be.
	MaxSize *int64 `json:"max_size"`
}

var fileType = Type{
	Name: "file",
	About: `An attachment, as {"attachment_uuid": "…"}. accept lists the allowed media types, or kinds of them ` +
		"(image/*); max_size is the largest size in bytes. The attachment must exist when the value is set, and " +
		"may be deleted later.",
	Index:  UUIDIndex,
	Filter: kind.UUID,
	Inside: "attachment_uuid",
	New:    func() Values { return &FileOptions{Accept: []string{}} },
}

// mostAccepted bounds the media types of a field.
const mostAccepted = 50

// acceptPattern are media types without parameters, as RFC 6838 has them, and kinds of them.
var acceptPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/(\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$`)

// Check implements Values.
func (f *FileOptions) Check() error {
	if len(f.Accept) > mostAccepted {
		return OptionError{"accept", fmt.Sprintf("The accept must not have more than %d media types.", mostAccepted)}
	}
	accept := make([]string, len(f.Accept))
	for i, media := range f.Accept {
		accept[i] = lowerASCII(media)
		if !acceptPattern.MatchString(accept[i]) {
			return OptionError{"accept", "The accept must list media types, such as application/pdf or image/*, not " + naming.Shorten(media) + "."}
		}
	}
	slices.Sort(accept)
	f.Accept = slices.Compact(accept)
	if f.MaxSize != nil && *f.MaxSize < 1 {
		return OptionError{"max_size", "The max size must be 1 or more."}
	}

	return nil
}

// Parse implements Values.
func (f *FileOptions) Parse(raw []byte) (Value, error) {
	id, ok := OnlyUUID(raw, "attachment_uuid")
	if !ok {
		return Value{}, errFile
	}

	return Value{JSON: []byte(`{"attachment_uuid":"` + id.String() + `"}`), Key: id}, nil
}

// Comparable implements Values.
func (*FileOptions) Comparable(text string) (any, error) { return ParseUUID(text) }

// Schema implements Values.
func (*FileOptions) Schema() map[string]any {
	return map[string]any{
		"type":                 "object",
		"properties":           map[string]any{"attachment_uuid": map[string]any{"type": "string", "format": "uuid"}},
		"required":             []string{"attachment_uuid"},
		"additionalProperties": false,
	}
}

// fileCells are the cells of files: the id of the attachment alone.
type fileCells struct{}

// CSV implements Values.
func (fileCells) CSV(json []byte) string {
	return rawjson.Text(rawjson.Member(json, "attachment_uuid"))
}

// FromCSV implements Values.
func (fileCells) FromCSV(cell string) ([]byte, error) {
	return UUIDCell(cell, "attachment_uuid", "must be the UUID of an attachment.")
}

// DescribeViolation says why the field does not take a file of a media type and a size in bytes, "" if it does.
func (f *FileOptions) DescribeViolation(media string, size int64) string {
	family, _, _ := strings.Cut(media, "/")
	switch {
	case len(f.Accept) > 0 && !slices.Contains(f.Accept, media) && !slices.Contains(f.Accept, family+"/*"):
		return "must be a file of the type " + strings.Join(f.Accept, ", ") + "."
	case f.MaxSize != nil && size > *f.MaxSize:
		return fmt.Sprintf("must not be larger than %d bytes.", *f.MaxSize)
	default:
		return ""
	}
}
