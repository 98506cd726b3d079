package migrate

import (
	"io/fs"
	"strings"
)

// rendered is an area's files as goose reads them, which it does twice: checked, and in the words of one database.
type rendered struct {
	fs.FS

	texts map[string]string
}

// Open implements fs.FS.
func (r rendered) Open(name string) (fs.File, error) {
	text, ok := r.texts[name]
	if !ok { // the folder
		return r.FS.Open(name)
	}
	info, err := fs.Stat(r.FS, name)
	if err != nil {
		return nil, err
	}

	return &open{Reader: strings.NewReader(text), info: info}, nil
}

// open is a rendered file. Its info is that of the file as written, of which goose reads nothing.
type open struct {
	*strings.Reader

	info fs.FileInfo
}

// Stat implements fs.File.
func (o *open) Stat() (fs.FileInfo, error) { return o.info, nil }

// Close implements fs.File.
func (*open) Close() error { return nil }
