// Package filelock is the lock that everyone shares who has the file of a database open, and that who changes the file itself
// holds alone. It is on an empty file beside that one, which stays; the operating system gives it back if a process dies.
package filelock

import (
	"errors"
	"fmt"

	"github.com/gofrs/flock"
)

// ErrInUse says that a process has the database open.
var ErrInUse = errors.New("database: in use by another process")

// Shared takes the lock of those who have the file at the path open.
func Shared(path string) (unlock func() error, err error) {
	lock := of(path)
	got, err := lock.TryRLock()
	if err == nil && !got {
		err = errors.New("it is being restored")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", lock.Path(), err)
	}

	return lock.Close, nil
}

// Exclusive takes the lock of one who changes the file itself.
func Exclusive(path string) (unlock func() error, err error) {
	lock := of(path)
	got, err := lock.TryLock()
	if err == nil && !got {
		err = ErrInUse
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}

	return lock.Close, nil
}

func of(path string) *flock.Flock { return flock.New(path+".lock", flock.SetPermissions(0o600)) }
