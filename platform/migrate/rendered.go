package migrate

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/dispatchd/dispatchd/platform/database"
)

// rendered is an area's files as goose reads them: checked, and in the words of one database.
type rendered struct {
	area area
	on   database.Dialect
}

// Open implements fs.FS.
func (r rendered) Open(name string) (fs.File, error) {
	f, err := parseFile(name)
	if err != nil { // the folder
		return r.area.FS.Open(name)
	}
	written, err := fs.ReadFile(r.area.FS, name)
	if err != nil {
		return nil, err
	}
	sql, err := f.sql(r.area.Area, string(written), r.on)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	info, err := fs.Stat(r.area.FS, name)
	if err != nil {
		return nil, err
	}

	return &open{Reader: strings.NewReader(sql), info: info}, nil
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
