// Package privatefile writes files that only the user of the process can read. At every moment the path
// has what it had, or the whole new file, also after a crash.
package privatefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/gofrs/flock"
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

// Write writes a file: write fills one of another name in the same folder, which is there and empty. What a process
// left there that was killed while it wrote the same file is removed.
func Write(path string, put Put, write func(temp string) error) (err error) {
	if err := RemoveLeft(path); err != nil {
		return err
	}
	dir := filepath.Dir(path)
	temp, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // with mode 0600
	if err != nil {
		return err
	}
	atWork := flock.New(temp.Name())
	if runtime.GOOS != windows { // where a lock keeps the file from others, and write is one
		_, err = atWork.TryLock()
	}
	defer func() {
		if gone := os.Remove(temp.Name()); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		err = errors.Join(err, atWork.Close())
	}()
	if err != nil {
		return errors.Join(err, temp.Close())
	}
	if err := errors.Join(temp.Close(), write(temp.Name())); err != nil {
		return err
	}
	if err := flush(temp.Name()); err != nil {
		return err
	}
	if err := put(temp.Name(), path); err != nil {
		return err
	}
	if runtime.GOOS == windows { // which cannot open a folder
		return nil
	}

	return flush(dir)
}

const windows = "windows"

// leftFile is how os.CreateTemp ends a name.
var leftFile = regexp.MustCompile(`^\d+$`)

// RemoveLeft removes what processes have left that were killed in a Write of the file. Who is at work holds a lock on
// the file that he fills, which the operating system gives back if he dies.
func RemoveLeft(path string) error {
	if runtime.GOOS == windows {
		return nil
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		end, ok := strings.CutPrefix(entry.Name(), "."+filepath.Base(path)+"-")
		if !ok || !leftFile.MatchString(end) {
			continue
		}
		if err := removeIfLeft(filepath.Join(filepath.Dir(path), entry.Name())); err != nil {
			return err
		}
	}

	return nil
}

// removeIfLeft removes a file that nobody is at work on, and what SQLite put beside it.
func removeIfLeft(temp string) (err error) {
	lock := flock.New(temp, flock.SetFlag(os.O_RDONLY))
	left, err := lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its writer is through
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err != nil || !left {
		return err
	}
	for _, beside := range []string{"-wal", "-shm", "-journal", ".lock", ""} {
		if err := os.Remove(temp + beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}

	return nil
}

// flush makes a file, or the names in a folder, last.
func flush(path string) error {
	file, err := os.Open(path) //nolint:gosec // the caller's
	if err != nil {
		return err
	}

	return errors.Join(file.Sync(), file.Close())
}
