package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/dispatchd/dispatchd/platform/privatefile"
)

// errNoFile says that copying a file is not how this database is backed up.
var errNoFile = errors.New("database: it is not stored in a file")

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
	if !force && fileExists(to) {
		return fmt.Errorf("%s: %w", to, fs.ErrExist)
	}

	put := putNew
	if force {
		put = privatefile.Replace
	}

	return privatefile.Write(to, put, func(temp string) error {
		if err := vacuumInto(ctx, db.place, temp); err != nil {
			return err
		}

		return checkFile(ctx, temp)
	})
}

// vacuumInto reads over a connection of its own, as the others may not write, be it to another file.
func vacuumInto(ctx context.Context, place, to string) error {
	conn := openPool(place, readerCache)
	_, err := conn.ExecContext(ctx, "VACUUM INTO ?", to)

	return errors.Join(Translate(err), conn.Close())
}

// putNew gives a file a name that no other has. A link would refuse by itself, but not every disk has them.
func putNew(temp, path string) error {
	if fileExists(path) {
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}

	return privatefile.Replace(temp, path)
}

// checkFile reports a file that is no database, or one that is damaged.
func checkFile(ctx context.Context, path string) (err error) {
	file := sql.OpenDB(connector{dsn: path + "?_pragma=query_only(1)"})
	defer func() { err = errors.Join(err, file.Close()) }()
	problem, err := problemIn(ctx, file, "integrity_check")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if problem != "" {
		return fmt.Errorf("%s is damaged: %s", path, problem)
	}

	return nil
}

// fileExists reports whether there is a file.
func fileExists(path string) bool {
	_, err := os.Lstat(path)

	return err == nil
}
