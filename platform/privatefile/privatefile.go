// Package privatefile writes files that only the user of the process can read. At every moment the path
// has what it had, or the whole new file, also after a crash.
package privatefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Put gives a file that is whole and on the disk its name. What it leaves under the old name is removed.
type Put func(temp, path string) error

// Replace puts a file in place of the one that is there.
func Replace(temp, path string) error { return os.Rename(temp, path) }

// KeepOld puts a file where there is none; if another process was quicker, its file stays.
func KeepOld(temp, path string) error {
	if err := os.Link(temp, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}

	return nil
}

// WriteText writes a file with a text and the end of the line, and the folders to it.
func WriteText(path, text string, put Put) error {
	const mode = 0o600
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}

	return Write(path, put, func(temp string) error { return os.WriteFile(temp, []byte(text+"\n"), mode) })
}

// Write writes a file: write fills one of another name in the same folder, which is there and empty.
func Write(path string, put Put, write func(temp string) error) (err error) {
	dir := filepath.Dir(path)
	temp, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if gone := os.Remove(temp.Name()); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}()
	if err := errors.Join(temp.Close(), write(temp.Name())); err != nil {
		return err
	}
	if err := flush(temp.Name()); err != nil {
		return err
	}
	if err := put(temp.Name(), path); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // which cannot open a folder
		return nil
	}

	return flush(dir)
}

// flush makes a file, or the names in a folder, last.
func flush(path string) error {
	file, err := os.Open(path) //nolint:gosec // the caller's
	if err != nil {
		return err
	}

	return errors.Join(file.Sync(), file.Close())
}
