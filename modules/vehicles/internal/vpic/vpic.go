// Package vpic decodes VINs and lists makes and models from data of NHTSA's vPIC, which is embedded. NOTICE says where it is from, and
// tools/vpic makes it.
//
// A [Library] loads the data when it is first used. [Data] is what was loaded; all its methods may be called at the same time.
package vpic

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// The vehicle data, as tools/vpic writes it.
//
//go:embed data.bin
var files embed.FS

// Library is the data, once it is used.
type Library struct{ load func() (*Data, error) }

// Open returns a library of the embedded data, or of a file that tools/vpic made. It reads nothing yet.
func Open(file string) *Library {
	return &Library{sync.OnceValues(func() (*Data, error) {
		content, err := read(file)
		if err != nil {
			return nil, err
		}
		data, err := Read(content)
		if err != nil && file != "" {
			return nil, fmt.Errorf("%s: %w", file, err)
		}

		return data, err
	})}
}

// read returns a file, the embedded one for "", with a single copy of it in memory.
func read(file string) (content string, err error) {
	var from fs.File
	if file == "" {
		from, err = files.Open("data.bin")
	} else {
		from, err = os.Open(file) //nolint:gosec // the configuration names it
	}
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	info, err := from.Stat()
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.Grow(int(info.Size()))
	_, err = io.Copy(&text, from)

	return text.String(), err
}

// Data returns the data, and loads it at the first call. An error stays.
func (l *Library) Data() (*Data, error) { return l.load() }
