package attachments

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// form is an upload that has fields beside its file. They come before it: what is wrong with them is said
// before the file is read.
type form struct {
	upload *upload.Upload
	fields map[string]string
}

// openForm reads the fields, which may be those that are named.
func openForm(u *upload.Upload, known ...string) (form, error) {
	f := form{upload: u, fields: maps.Clone(u.Fields())}
	wrong := store.ErrInvalid
	for name := range f.fields {
		if !slices.Contains(known, name) {
			name = filetype.FieldName(name)
			wrong = wrong.WithField(name, fmt.Sprintf("The %s is not known here; the fields are: %s.", name, strings.Join(known, ", ")))
		}
	}
	if len(wrong.Fields) > 0 {
		return f, wrong
	}

	return f, nil
}

// Read implements io.Reader. At the end of the file it refuses fields that come after it.
func (f form) Read(p []byte) (int, error) {
	n, err := f.upload.Read(p)
	if err == io.EOF && len(f.upload.Fields()) > len(f.fields) { //nolint:errorlint // as io.Reader has it
		return n, store.ErrInvalid.WithField("file", "The file must be the last field of the form.")
	}

	return n, err
}

// Length returns how many bytes the client says that the file has; negative if it does not say.
func (f form) Length() int64 {
	if f.upload.Fields() != nil {
		return -1
	}

	return f.upload.Length()
}

// describe reads the description of a file.
func (f form) describe() (files.Description, error) {
	d := files.Description{
		Owner: item.Ref{Type: f.fields["owner_type"]}, Category: f.fields["category"],
		Visibility: attachmentsapi.Visibility(f.fields["visibility"]), Title: f.fields["title"],
		FileName: f.fileName(),
	}
	wrong := store.ErrInvalid
	if text := f.fields["owner_uuid"]; text != "" {
		id, err := uuid.Parse(text)
		if err != nil || len(text) != len(id.String()) {
			wrong = wrong.WithField("owner_uuid", "The owner uuid must be a UUID.")
		}
		d.Owner.UUID = id
	}
	if text := f.fields["expires_at"]; text != "" {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			wrong = wrong.WithField("expires_at", "`expires_at` must be a time such as 2026-12-01T10:00:00Z.")
		}
		d.ExpiresAt = &at
	}
	if len(wrong.Fields) > 0 {
		return d, wrong
	}

	return d, nil
}

// FileName is what the form says the file is called, or what its part does.
func (f form) fileName() string {
	if name := f.fields["file_name"]; name != "" {
		return name
	}

	return f.upload.Name()
}
