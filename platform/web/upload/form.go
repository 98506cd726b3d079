package upload

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
)

// A form has a file and a few short fields.
const (
	formFields = 32
	formField  = 8 << 10
)

var (
	errForm   = errs.New(errs.Malformed, "web.malformed_form", "The body is not a valid multipart/form-data.")
	errNoFile = errs.New(errs.Invalid, "web.file_missing", "The form has no file.").
			WithField("file", "The file is required.")
	errFiles = errs.New(errs.Invalid, "web.one_file", "The form has more than one file.").
			WithField("file", "The form must have only one file.")
	errFields = errs.New(errs.TooLarge, "web.form_too_large", "The form has too many or too large fields beside its file.")
)

// form reads the one file of a form as it arrives.
type form struct {
	parts  *multipart.Reader
	file   *multipart.Part
	name   string
	media  string
	fields map[string]string
	err    error
}

// openForm reads up to the file.
func openForm(source io.Reader, boundary string) (*form, error) {
	if boundary == "" {
		return nil, errForm
	}
	f := &form{parts: multipart.NewReader(source, boundary), fields: map[string]string{}}
	file, err := f.next()
	if err != nil {
		return nil, err
	}
	if file == nil {
		return nil, errNoFile
	}
	f.file, f.name, f.media = file, file.FileName(), bytesMedia
	if media, _, err := mime.ParseMediaType(file.Header.Get("Content-Type")); err == nil {
		f.media = media
	}

	return f, nil
}

// next returns the next file, keeping the fields before it; nil at the end of the form.
func (f *form) next() (*multipart.Part, error) {
	for {
		part, err := f.parts.NextRawPart()
		if err == io.EOF { //nolint:errorlint // a wrapped one is that of a form that ends too early
			return nil, nil
		}
		if err != nil {
			return nil, formProblem(err)
		}
		if part.FileName() != "" {
			return part, nil
		}
		text, err := io.ReadAll(io.LimitReader(part, formField+1))
		if err != nil {
			return nil, formProblem(err)
		}
		if len(text) > formField || len(f.fields) == formFields {
			return nil, errFields
		}
		if !httperror.Storable(string(text)) {
			return nil, httperror.ErrInvalid.WithField(httperror.Printable(part.FormName()), fmt.Sprintf("The %s must be text.", httperror.Printable(part.FormName())))
		}
		f.fields[part.FormName()] = string(text)
	}
}

// Read implements io.Reader.
func (f *form) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.file.Read(p)
	if errors.Is(err, io.EOF) {
		f.err = f.finishForm()
	} else if err != nil {
		f.err = formProblem(err)
	}

	return n, f.err
}

// finishForm reads what comes after the file; io.EOF says that all is well.
func (f *form) finishForm() error {
	another, err := f.next()
	switch {
	case err != nil:
		return err
	case another != nil:
		return errFiles
	default:
		return io.EOF
	}
}

// formProblem tells what is wrong with the form from what is wrong with the request.
func formProblem(err error) error {
	if own, ok := errors.AsType[*errs.Error](err); ok {
		return own
	}

	return errForm.WithCause(err)
}
