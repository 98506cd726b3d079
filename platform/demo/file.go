package demo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// missing reports whether there is no file at the path.
func missing(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}

	return false, err
}

// writeSecret writes a file that only the user of the process can read. At every moment the path
// has the old file, or none, or the whole new one.
func writeSecret(path, secret string) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".token-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.WriteString(secret + "\n")
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}

	return syncDir(dir)
}

// syncDir makes a rename in the folder last. Windows cannot open a folder, and renames in its own
// journal.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(dir) //nolint:gosec // the data folder
	if err != nil {
		return err
	}
	err = folder.Sync()

	return errors.Join(err, folder.Close())
}
