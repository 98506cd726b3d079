package database

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gofrs/flock"
)

// ErrInUse says that a process has the database open.
var ErrInUse = errors.New("database: in use by another process")

// lockFile returns the lock that everyone who has the file open shares, and that Restore holds
// alone; nil for a database that is in memory. The operating system gives it back if a process
// dies. The file of it is empty, and stays.
func lockFile(place string) *flock.Flock {
	if inMemory(place) {
		return nil
	}

	return flock.New(filePath(place)+".lock", flock.SetPermissions(0o600))
}

func inMemory(place string) bool {
	return strings.Contains(place, "mode=memory") || strings.Contains(place, ":memory:")
}

// lockShared takes the lock of those who have the file open. Closing gives it back.
func lockShared(place string) (unlock func() error, err error) {
	lock := lockFile(place)
	if lock == nil {
		return func() error { return nil }, nil
	}
	got, err := lock.TryRLock()
	if err == nil && !got {
		err = errors.New("it is being restored")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", lock.Path(), err)
	}

	return lock.Close, nil
}

// lockExclusive takes the lock for one who changes the file itself.
func lockExclusive(place string) (unlock func() error, err error) {
	lock := lockFile(place)
	if lock == nil {
		return nil, errNoFile
	}
	got, err := lock.TryLock()
	if err == nil && !got {
		err = ErrInUse
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filePath(place), err)
	}

	return lock.Close, nil
}

// fileExists reports whether there is a file.
func fileExists(path string) bool {
	_, err := os.Lstat(path)

	return err == nil
}
