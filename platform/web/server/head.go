package server

import (
	"bytes"

	"github.com/valyala/fasthttp"
)

// headerFlaw is what a request has, inside the service, whose head two readers could read in two ways.
const headerFlaw = "Dispatchd-Head-Flaw"

// unparsable is what fasthttp gets to read instead of a head with a flaw that it would not see: it refuses it, whatever
// it has read before. An error instead would have it close the connection without an answer.
const unparsable = "\x00\r\n\x00\r\n\r\n"

// headFlaw returns what is wrong with a head that fasthttp takes, "" if nothing is (RFC 9112). A proxy in front may
// read such a head in another way, and take a part of one request for another one.
func headFlaw(h *fasthttp.RequestHeader) string {
	if p := h.Protocol(); !bytes.Equal(p, []byte("HTTP/1.1")) && !bytes.Equal(p, []byte("HTTP/1.0")) {
		return "it must use HTTP/1.1 or HTTP/1.0"
	}
	hosts, lengths, codings := 0, 0, 0
	for rest := h.RawHeaders(); len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 1 || rest[end-1] != '\r' {
			return "its lines must end with CR LF"
		}
		line := rest[:end-1]
		rest = rest[end+1:]
		if len(line) == 0 {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			return "a header must not continue on the next line"
		}
		colon := bytes.IndexByte(line, ':')
		if colon < 1 || bytes.IndexByte(line[:colon], ' ') >= 0 || bytes.IndexByte(line[:colon], '\t') >= 0 {
			return "the name of a header must be followed directly by a colon"
		}
		switch name := line[:colon]; len(name) {
		case len("Host"):
			hosts += hasName(name, "host")
		case len("Content-Length"):
			lengths += hasName(name, "content-length")
		case len("Transfer-Encoding"):
			if hasName(name, "transfer-encoding") == 0 {
				continue
			}
			codings++
			if !bytes.EqualFold(bytes.Trim(line[colon+1:], " \t"), []byte("chunked")) {
				return "its Transfer-Encoding must be chunked"
			}
		}
	}

	return framingFlaw(h.IsHTTP11(), hosts, lengths, codings)
}

func framingFlaw(http11 bool, hosts, lengths, codings int) string {
	switch {
	case hosts > 1 || http11 && hosts == 0:
		return "it must have exactly one Host"
	case codings > 1 || lengths > 1:
		return "it must have one Content-Length or Transfer-Encoding"
	case codings > 0 && lengths > 0:
		return "it must have a Content-Length or a Transfer-Encoding, not both"
	case codings > 0 && !http11:
		return "HTTP/1.0 does not support Transfer-Encoding"
	default:
		return ""
	}
}

// hasName returns 1 if a header has the name, which is in lower case, else 0.
func hasName(header []byte, name string) int {
	for i, b := range header {
		if b|0x20 != name[i] {
			return 0
		}
	}

	return 1
}

// headScan looks for lines of a head that end without a carriage return: fasthttp takes such a line for one, and waits
// for more where all of them are so. What came together with the request before is seen by headFlaw alone.
type headScan struct {
	// on says that what is read belongs to a head, fresh that nothing was read since the request before.
	on, fresh bool
	last      byte
	// lines says that the head has begun, and length is that of its present line, in bytes.
	lines  bool
	length int
}

func (s *headScan) changes(state fasthttp.ConnState) {
	switch state {
	case fasthttp.StateNew, fasthttp.StateIdle:
		*s = headScan{on: true, fresh: state == fasthttp.StateIdle}
	case fasthttp.StateActive:
		s.on = s.on && !s.fresh
	case fasthttp.StateClosed, fasthttp.StateHijacked: // it is somebody else's by now
	}
}

// refuses reports whether a line of the head in p ends without a carriage return.
func (s *headScan) refuses(p []byte) bool {
	for s.on && len(p) > 0 {
		s.fresh = false
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			s.length, s.last = s.length+len(p), p[len(p)-1]

			return false
		}
		if end > 0 {
			s.last = p[end-1]
		}
		if s.last != '\r' {
			return true
		}
		if s.length+end > 1 {
			s.lines = true
		} else if s.lines { // an empty line
			s.on = false
		}
		s.length, s.last, p = 0, 0, p[end+1:]
	}

	return false
}
