package demo

import (
	"errors"
	"io/fs"
	"os"
)

// missing reports whether there is no file at the path.
func missing(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}

	return false, err
}
