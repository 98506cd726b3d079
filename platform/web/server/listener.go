package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"syscall"
	"time"
)

// patientListener waits when the process is out of file descriptors or memory; fasthttp would stop
// to serve for good.
type patientListener struct {
	net.Listener

	log *slog.Logger
	// writeTimeout is the time in which a client must take each part of an answer.
	writeTimeout time.Duration
}

// Accept implements net.Listener.
func (l patientListener) Accept() (net.Conn, error) {
	const longest = time.Second
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, longest) {
		c, err := l.Listener.Accept()
		if err == nil {
			return &Conn{Conn: c, writeTimeout: l.writeTimeout}, nil
		}
		if !isTransient(err) {
			return nil, err
		}
		l.log.LogAttrs(context.Background(), slog.LevelWarn, "connection not accepted", slog.Any("error", err))
		time.Sleep(wait)
	}
}

func isTransient(err error) bool {
	for _, errno := range []syscall.Errno{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EINTR,
	} {
		if errors.Is(err, errno) {
			return true
		}
	}

	return false
}

// quietLogger drops what fasthttp says of connections that broke: everything that a stranger sends
// can make it say something.
type quietLogger struct{}

// Printf implements fasthttp.Logger.
func (quietLogger) Printf(string, ...any) {}
