package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database/internal/filelock"
	"github.com/dispatchd/dispatchd/platform/privatefile"
)

// ErrInUse says that a process has the database open.
var ErrInUse = filelock.ErrInUse

// Restore puts the copy in a file in the place of the database, which is not started. The copy is
// checked first: SQLite's own check, then that of the caller, who gets it as a database of its own.
// A database that is there already is replaced with force; it is kept beside, at the path that is
// returned. Errors: ErrInUse while a process has the database open; one that wraps fs.ErrExist.
func (db *DB) Restore(ctx context.Context, from string, force bool, check func(context.Context, *DB) error) (kept string, err error) {
	if db.dialect != SQLite || inMemory(db.place) {
		return "", errNoFile
	}
	target := filePath(db.place)
	if fileExists(from + "-wal") {
		return "", fmt.Errorf("%s is not a backup: the file %s-wal shows that it is or was a database in use", from, from)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return "", err
	}
	unlock, err := filelock.Exclusive(target)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if fileExists(target) && !force {
		return "", fmt.Errorf("%s: %w", target, fs.ErrExist)
	}

	err = privatefile.Write(target, privatefile.Replace, func(temp string) error {
		if err := copyFile(from, temp); err != nil {
			return err
		}
		if err := db.checkCopy(ctx, temp, check); err != nil {
			return err
		}
		kept, err = setAside(ctx, target)

		return err
	})

	return kept, err
}

func copyFile(from, to string) (err error) {
	source, err := os.Open(from) //nolint:gosec // the caller's
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	copied, err := os.OpenFile(to, os.O_WRONLY|os.O_TRUNC, 0) //nolint:gosec // the temporary file
	if err != nil {
		return err
	}
	_, err = io.Copy(copied, source)

	return errors.Join(err, copied.Close())
}

// checkCopy leaves the copy closed and whole in its file.
func (db *DB) checkCopy(ctx context.Context, path string, check func(context.Context, *DB) error) (err error) {
	if err := checkFile(ctx, path); err != nil {
		return err
	}
	settings := Defaults()
	settings.URL = config.Secret("sqlite:" + path)
	restored, err := New(settings, "", slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(path+".lock")) }()
	if err := restored.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, restored.Stop(context.WithoutCancel(ctx))) }()

	return check(ctx, restored)
}

// setAside keeps the file of a database under another name, "" if there is none. What SQLite holds
// beside the file goes with it: read with another file it would be taken for that one's.
func setAside(ctx context.Context, path string) (kept string, err error) {
	if !fileExists(path) {
		return "", nil
	}
	if err := checkpointFile(ctx, path); err != nil {
		return "", err
	}
	kept = path + time.Now().UTC().Format(".replaced-20060102T150405Z") //nolint:forbidigo // a name for people
	for _, beside := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Rename(path+beside, kept+beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}

	return kept, os.Link(path, kept)
}

// checkpointFile writes what SQLite holds beside the file into it. A file that can no longer be read may be
// why it is replaced, so that is no error.
func checkpointFile(ctx context.Context, path string) error {
	file := openPool(path)
	if _, err := file.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil && ctx.Err() != nil {
		return errors.Join(err, file.Close())
	}

	return file.Close()
}
