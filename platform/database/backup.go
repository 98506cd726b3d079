package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// errNoFile says that copying a file is not how this database is backed up.
var errNoFile = errors.New("database: not in a file")

// File returns the path of the file that the database is in, "" for a server's.
func (db *DB) File() string {
	if db.dialect != SQLite {
		return ""
	}

	return filePath(db.place)
}

// Backup writes a copy of the database to a file: everything that was committed before the call, and
// nothing half done. It is SQLite's alone, and holds up no one who reads or writes meanwhile. The
// copy is checked, and at every moment there is no file at the path or the whole one, which only
// the user of the process can read. A file that is there already is replaced with force, and is
// otherwise an error that wraps fs.ErrExist.
func (db *DB) Backup(ctx context.Context, to string, force bool) error {
	if _, err := db.current(); err != nil {
		return err
	}
	if db.dialect != SQLite {
		return errNoFile
	}
	if !force && exists(to) {
		return fmt.Errorf("%s: %w", to, fs.ErrExist)
	}

	return writeFile(to, force, func(temp string) error {
		if err := vacuumInto(ctx, db.place, temp); err != nil {
			return err
		}

		return checkFile(ctx, temp)
	})
}

// vacuumInto reads over a connection of its own, as the others may not write, be it to another file.
func vacuumInto(ctx context.Context, place, to string) error {
	conn := openFile(place, readerCache)
	_, err := conn.ExecContext(ctx, "VACUUM INTO ?", to)

	return errors.Join(Translate(err), conn.Close())
}

// writeFile makes a file under another name in the same folder and gives it its own once it is
// whole and on the disk.
func writeFile(path string, replace bool, write func(temp string) error) (err error) {
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
	if err := syncPath(temp.Name()); err != nil {
		return err
	}
	if !replace && exists(path) { // now; a link, which would refuse by itself, not every disk has
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // which cannot open a folder
		return nil
	}

	return syncPath(dir)
}

// syncPath makes a file, or the names in a folder, last.
func syncPath(path string) error {
	file, err := os.Open(path) //nolint:gosec // the caller's
	if err != nil {
		return err
	}

	return errors.Join(file.Sync(), file.Close())
}

// checkFile reports a file that is no database, or one that is damaged.
func checkFile(ctx context.Context, path string) (err error) {
	file := sql.OpenDB(connector{dsn: path + "?_pragma=query_only(1)"})
	defer func() { err = errors.Join(err, file.Close()) }()
	var found string
	if err := file.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if found != "ok" {
		return fmt.Errorf("%s is damaged: %s", path, found)
	}

	return nil
}
