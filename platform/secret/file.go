package secret

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// FileName is the name, in the data folder, of the key that SQLite gets by itself.
const FileName = "secret.key"

// fromFile returns the text in the file, which it makes if there is none.
func fromFile(path string) (string, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the data folder
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(path, NewKey()); err != nil {
			return "", fmt.Errorf("making the master key: %w", err)
		}
		text, err = os.ReadFile(path) //nolint:gosec // the data folder
	}
	if err != nil {
		return "", fmt.Errorf("reading the master key: %w", err)
	}

	return strings.TrimSpace(string(text)), nil
}

// create writes a file that only the user of the process can read. At every moment there is no file
// at the path, or the whole one; if another process was quicker, its file stays.
func create(path, text string) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".secret-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(temp.Name())) }()
	_, err = temp.WriteString(text + "\n")
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}

	return syncDir(dir)
}

// syncDir makes a new name in the folder last. Windows cannot open a folder.
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
