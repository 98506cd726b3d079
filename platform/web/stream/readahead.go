package stream

import (
	"net"
	"time"
)

// longAgo is a deadline with which reading returns at once.
func longAgo() time.Time { return time.Unix(1, 0) }

// bufferedBytes returns what fasthttp has read of a connection and not used, and whether the connection is still good.
func bufferedBytes(hijacked net.Conn, most int) ([]byte, bool) {
	if hijacked.SetReadDeadline(longAgo()) != nil {
		return nil, false
	}
	text := make([]byte, most)
	n, err := hijacked.Read(text)
	if err != nil && !isStuck(err) {
		return nil, false
	}

	return append([]byte(nil), text[:n]...), hijacked.SetReadDeadline(time.Time{}) == nil
}
