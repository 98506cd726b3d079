package custommodules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
)

const errFile = valueError(`must be a file: {"attachment_uuid": "…"}.`)

// fileField points at an attachment.
type fileField struct {
	fileCells

	// Accept are the media types that a file may have, or kinds of them ("image/*"); none is all.
	Accept []string `json:"accept"`
	// MaxSize is how large a file may be, in bytes; nil is as large as attachments can be.
	MaxSize *int64 `json:"max_size"`
}

func fileType() fieldType {
	return fieldType{
		name: "file",
		about: `An attachment, as {"attachment_uuid": "…"}. accept are the media types that it may have, or kinds of them ` +
			"(image/*), and max_size is how large it may be, in bytes. It must be there when it is set, and may go later.",
		slot:    uuidSlot,
		filter:  list.UUID,
		inside:  "attachment_uuid",
		options: func() valueType { return &fileField{Accept: []string{}} },
	}
}

// mostAccepted bounds the media types of a field.
const mostAccepted = 50

// acceptPattern are media types without parameters, as RFC 6838 has them, and kinds of them.
var acceptPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/(\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$`)

func (f *fileField) check() error {
	if len(f.Accept) > mostAccepted {
		return optionError{"accept", fmt.Sprintf("The accept must not have more than %d media types.", mostAccepted)}
	}
	accept := make([]string, len(f.Accept))
	for i, media := range f.Accept {
		accept[i] = lowerASCII(media)
		if !acceptPattern.MatchString(accept[i]) {
			return optionError{"accept", "The accept must have media types, such as application/pdf or image/*, and not " + shorten(media) + "."}
		}
	}
	slices.Sort(accept)
	f.Accept = slices.Compact(accept)
	if f.MaxSize != nil && *f.MaxSize < 1 {
		return optionError{"max_size", "The max size must be 1 or more."}
	}

	return nil
}

func (f *fileField) parse(raw []byte) (value, error) {
	id, ok := onlyUUID(raw, "attachment_uuid")
	if !ok {
		return value{}, errFile
	}

	return value{json: []byte(`{"attachment_uuid":"` + id.String() + `"}`), key: id}, nil
}

func (*fileField) comparable(text string) (any, error) { return parseUUID(text) }

func (*fileField) schema() map[string]any {
	return map[string]any{
		"type":                 "object",
		"properties":           map[string]any{"attachment_uuid": map[string]any{"type": "string", "format": "uuid"}},
		"required":             []string{"attachment_uuid"},
		"additionalProperties": false,
	}
}

func (*fileField) named(json []byte) (item.Ref, error) {
	id, err := parseUUID(stringOf(member(json, "attachment_uuid")))

	return item.Ref{Type: attachmentItem, UUID: id}, err
}

// refuse says why the field does not take a file, "" if it does.
func (f *fileField) refuse(a attachmentFacts) string {
	kind, _, _ := strings.Cut(a.MediaType, "/")
	switch {
	case a.State != "ready" && a.State != "scanning":
		return "must be a file that is ready, or is being scanned."
	case len(f.Accept) > 0 && !slices.Contains(f.Accept, a.MediaType) && !slices.Contains(f.Accept, kind+"/*"):
		return "must be a file of the type " + strings.Join(f.Accept, ", ") + "."
	case f.MaxSize != nil && a.Size > *f.MaxSize:
		return fmt.Sprintf("must not be a file of more than %d bytes.", *f.MaxSize)
	default:
		return ""
	}
}

// fileCells are the cells of files: the id of the attachment alone.
type fileCells struct{}

func (fileCells) csv(json []byte) string { return stringOf(member(json, "attachment_uuid")) }

func (fileCells) fromCSV(cell string) ([]byte, error) {
	return cellNaming(cell, "attachment_uuid", "must be the UUID of an attachment.")
}
