// Package privatefile writes files that only the user of the process can read. At every moment the path
// has what it had, or the whole new file, also after a crash.
package privatefile

import (
	"errors"
	"fmt"
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
	if err := os.Link(temp, path); !errors.Is(err, fs.ErrExist) {
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
	temp, atWork, err := claimTemp(path)
	if err != nil {
		return err
	}
	defer func() {
		if gone := os.Remove(temp); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		err = errors.Join(err, atWork.Close())
	}()
	if err := write(temp); err != nil {
		return err
	}
	if err := syncPath(temp); err != nil {
		return err
	}
	if err := put(temp, path); err != nil {
		return err
	}
	if runtime.GOOS == windows { // which cannot open a folder
		return nil
	}

	return syncPath(filepath.Dir(path))
}

// claimAttempts bounds the attempts to lock a new file before a process that looks for left ones sees it.
const claimAttempts = 100

// claimTemp makes an empty file beside the path, and returns its name and the lock that says that it is being written.
func claimTemp(path string) (string, *flock.Flock, error) {
	for range claimAttempts {
		temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // with mode 0600
		if err != nil {
			return "", nil, err
		}
		name := temp.Name()
		lock := flock.New(name, flock.SetFlag(os.O_RDONLY))
		locked, err := lockNew(lock, temp)
		if err = errors.Join(err, temp.Close()); locked && err == nil {
			return name, lock, nil
		}
		if err = errors.Join(err, lock.Close()); err != nil {
			return "", nil, errors.Join(err, os.Remove(name))
		}
	}

	return "", nil, fmt.Errorf("other processes remove new files in %s", filepath.Dir(path))
}

// lockNew reports whether the lock is ours and the file has its name still: between its creation and its lock, another
// process may have taken it for one that was left, and removed it.
func lockNew(lock *flock.Flock, file *os.File) (bool, error) {
	if runtime.GOOS == windows { // where a lock keeps the file from others, and the caller's write is one
		return true, nil
	}
	if locked, err := lock.TryLock(); !locked || err != nil {
		return false, ignoreNotExist(err)
	}
	made, err := file.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(file.Name())

	return err == nil && os.SameFile(made, named), ignoreNotExist(err)
}

func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	return err
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
		if err := ignoreNotExist(os.Remove(temp + beside)); err != nil {
			return err
		}
	}

	return nil
}

// syncPath makes a file, or the names in a folder, last.
func syncPath(path string) error {
	file, err := os.Open(path) //nolint:gosec // the caller's
	if err != nil {
		return err
	}

	return errors.Join(file.Sync(), file.Close())
}
