package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"time"

	"modernc.org/sqlite"
)

// sqliteTime is how SQLite keeps times: in UTC, all of one width, so that they compare as text.
const sqliteTime = "2006-01-02 15:04:05.000000+00:00"

// connector opens connections of the SQLite driver that write times as sqliteTime. The driver's own
// format has as many digits as a time needs, and so does not sort.
type connector struct {
	dsn string
	// turns are those in which its connections write, nil if nothing else writes to the file.
	turns turns
}

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := registerFolded(); err != nil {
		return nil, err
	}
	base, err := sqlite.NewConnector(c.dsn)
	if err != nil {
		return nil, err
	}
	conn, err := base.Connect(ctx)
	if err != nil {
		return nil, err
	}
	full, ok := conn.(sqliteConn)
	if !ok {
		return nil, errors.Join(errors.New("database: the SQLite driver lost a method"), conn.Close())
	}

	if c.turns != nil {
		return &turnConn{timedConn: timedConn{full}, turns: c.turns}, nil
	}

	return timedConn{full}, nil
}

// Driver implements driver.Connector.
func (connector) Driver() driver.Driver { return &sqlite.Driver{} }

// sqliteConn is what a connection of the driver can do.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
}

type timedConn struct{ sqliteConn }

// CheckNamedValue implements driver.NamedValueChecker.
func (timedConn) CheckNamedValue(v *driver.NamedValue) error {
	value, err := driver.DefaultParameterConverter.ConvertValue(v.Value)
	if err != nil {
		return err
	}
	if t, ok := value.(time.Time); ok {
		value = t.UTC().Format(sqliteTime)
	}
	v.Value = value

	return nil
}
