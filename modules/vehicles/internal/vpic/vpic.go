// Package vpic decodes VINs and lists makes and models from data of NHTSA's vPIC, which is embedded. NOTICE says where it is from, and
// tools/vpic makes it.
//
// A [Library] loads the data when it is first used. [Data] is what was loaded; all its methods may be called at the same time.
package vpic

import (
	_ "embed" // the data
	"fmt"
	"os"
	"sync"
)

//go:embed data.bin
var embedded string

// Library is the data, once it is used.
type Library struct{ load func() (*Data, error) }

// Open returns a library of the embedded data, or of a file that tools/vpic made. It reads nothing yet.
func Open(file string) *Library {
	return &Library{sync.OnceValues(func() (*Data, error) {
		if file == "" {
			return Read(embedded)
		}
		content, err := os.ReadFile(file) //nolint:gosec // the configuration names it
		if err != nil {
			return nil, err
		}
		data, err := Read(string(content))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}

		return data, nil
	})}
}

// Data returns the data, and loads it at the first call. An error stays.
func (l *Library) Data() (*Data, error) { return l.load() }
