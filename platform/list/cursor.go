package list

import (
	"encoding/base64"
	"encoding/binary"
	"time"
)

// A cursor is, in base64url without padding: a version byte, a byte of flags, the fingerprint of the
// query (8 bytes), where the query has a relative date the microsecond that it is counted from (8 bytes), and for each sort key
// and the id the length of its text plus one (uvarint, 0 for no value) and the text. It is not signed: all that a forged one
// can say is where to start, and its values are checked as those of a filter are.
const (
	cursorVersion = 1
	cursorHeader  = 1 + 1 + 8

	flagBackward = 1
	flagClosed   = 2
	flagBegan    = 4

	// lastMicro is the last microsecond of the year 9999.
	lastMicro = 253402300799999999
)

// cursor returns the text of a cursor for the query.
func (q Query) cursor(texts []*string, backward, closed bool) (*string, error) {
	raw := []byte{cursorVersion, 0}
	if backward {
		raw[1] |= flagBackward
	}
	if closed {
		raw[1] |= flagClosed
	}
	raw = binary.BigEndian.AppendUint64(raw, q.hash)
	if !q.began.IsZero() {
		raw[1] |= flagBegan
		raw = binary.BigEndian.AppendUint64(raw, uint64(q.began.UnixMicro()))
	}
	for _, text := range texts {
		if text == nil {
			raw = binary.AppendUvarint(raw, 0)

			continue
		}
		raw = binary.AppendUvarint(raw, uint64(len(*text))+1)
		raw = append(raw, *text...)
	}
	encoded := base64.RawURLEncoding.EncodeToString(raw)
	if len(encoded) > MaxCursor {
		return nil, ErrKeyTooLong.WithField("sort", ErrKeyTooLong.Message)
	}

	return &encoded, nil
}

// cursorParts are what a cursor says.
type cursorParts struct {
	given bool
	flags byte
	hash  uint64
	// began is the present that relative dates are counted from, zero for none.
	began time.Time
	texts []byte
}

// readCursor reads a cursor as far as that can be done without the query; no text is none.
func readCursor(cursor string) (cursorParts, error) {
	if cursor == "" {
		return cursorParts{}, nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(cursor) > MaxCursor || len(raw) < cursorHeader ||
		raw[0] != cursorVersion || raw[1] > flagBackward|flagClosed|flagBegan {
		return cursorParts{}, invalidCursor()
	}
	parts := cursorParts{given: true, flags: raw[1], hash: binary.BigEndian.Uint64(raw[2:]), texts: raw[cursorHeader:]}
	if parts.flags&flagBegan == 0 {
		return parts, nil
	}
	if len(parts.texts) < 8 {
		return cursorParts{}, invalidCursor()
	}
	micro := binary.BigEndian.Uint64(parts.texts)
	if micro == 0 || micro > lastMicro {
		return cursorParts{}, invalidCursor()
	}
	parts.began, parts.texts = time.UnixMicro(int64(micro)).UTC(), parts.texts[8:]

	return parts, nil
}

// from returns the query starting at a cursor; without one, at the beginning.
func (q Query) from(cursor cursorParts) (Query, error) {
	if !cursor.given {
		return q, nil
	}
	if cursor.hash != q.hash {
		return q, ErrCursorMismatch.WithField("cursor", ErrCursorMismatch.Message)
	}
	at, ok := q.position(cursor.texts)
	if !ok {
		return q, invalidCursor()
	}
	at.closed = cursor.flags&flagClosed != 0
	q.at, q.backward = at, cursor.flags&flagBackward != 0

	return q, nil
}

func invalidCursor() error { return ErrCursorInvalid.WithField("cursor", ErrCursorInvalid.Message) }

// position reads the values of the sort keys and the id.
func (q Query) position(raw []byte) (*position, bool) {
	at := &position{}
	for _, k := range q.order {
		text, rest, ok := cursorText(raw)
		if !ok || (text == nil && !k.Nullable) {
			return nil, false
		}
		raw = rest
		var bind any
		if text != nil {
			var err error
			if bind, err = k.encode(*text); err != nil {
				return nil, false
			}
		}
		at.texts = append(at.texts, text)
		at.binds = append(at.binds, bind)
	}

	return at, len(raw) == 0
}

func cursorText(raw []byte) (text *string, rest []byte, ok bool) {
	length, size := binary.Uvarint(raw)
	if size <= 0 || length > uint64(len(raw)) {
		return nil, nil, false
	}
	rest = raw[size:]
	if length == 0 {
		return nil, rest, true
	}
	if length-1 > uint64(len(rest)) {
		return nil, nil, false
	}
	value := string(rest[:length-1])

	return &value, rest[length-1:], true
}
