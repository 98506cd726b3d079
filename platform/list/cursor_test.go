package list_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
)

type load struct {
	Number string
	Price  *string
	ID     uuid.UUID
}

// pageOf returns a page, by number, of one load with another one after it.
func pageOf(tb testing.TB, number string) list.Page[load] {
	tb.Helper()
	q, err := parseLoads(byNumber)
	require.NoError(tb, err)
	page, err := list.NewPage(q, []load{{Number: number, ID: uuid.Max}, {Number: "z", ID: uuid.Max}}, func(l load) []any {
		return []any{l.Number, l.Price, l.ID}
	})
	require.NoError(tb, err)

	return page
}

const byNumber = "sort=number,price&per_page=1"

func TestCursor_IsTakenBack(t *testing.T) {
	t.Parallel()
	cursor := *pageOf(t, "é,x").Meta.NextCursor
	for _, same := range []string{byNumber, "sort=number,price&per_page=9&fields=number&expand=customer&count=exact"} {
		_, err := parseLoads(same + "&cursor=" + cursor)
		require.NoError(t, err, same)
	}
}

func TestCursor_OfAnotherListIsAMismatch(t *testing.T) {
	t.Parallel()
	cursor := *pageOf(t, "a").Meta.NextCursor
	for _, other := range []string{
		"per_page=1", "sort=number", "sort=-number,price", byNumber + "&filter[number]=a", byNumber + "&q=a", byNumber + "&module_uuid=1",
	} {
		_, err := parseLoads(other + "&cursor=" + cursor)
		require.ErrorIs(t, err, list.ErrCursorMismatch, other)
		require.Equal(t, errs.Invalid, errs.KindOf(err))
		require.NotEmpty(t, messages(t, err))
	}
	in := list.FromQuery("/other", url.Values{"sort": {"number,price"}, "cursor": {cursor}})
	_, err := in.Parse(t.Context(), loads())
	require.ErrorIs(t, err, list.ErrCursorMismatch)
}

func TestCursor_GarbageIsRefused(t *testing.T) {
	t.Parallel()
	good := *pageOf(t, "a").Meta.NextCursor
	raw, err := base64.RawURLEncoding.DecodeString(good)
	require.NoError(t, err)
	changed := func(change func([]byte) []byte) string {
		return base64.RawURLEncoding.EncodeToString(change(append([]byte(nil), raw...)))
	}
	for name, cursor := range map[string]string{
		"no base64":   "a!b",
		"padded":      good + "==",
		"short":       good[:8],
		"too long":    good + strings.Repeat("A", list.MaxCursor),
		"version":     changed(func(b []byte) []byte { b[0] = 9; return b }),
		"flags":       changed(func(b []byte) []byte { b[1] = 4; return b }),
		"cut off":     changed(func(b []byte) []byte { return b[:len(b)-1] }),
		"no values":   changed(func(b []byte) []byte { return b[:10] }),
		"trailing":    changed(func(b []byte) []byte { return append(b, 0) }),
		"null number": changed(func(b []byte) []byte { b[10] = 0; return b }),
		"not UTF-8":   changed(func(b []byte) []byte { b[11] = 0xff; return b }),
		"not a UUID":  changed(func(b []byte) []byte { b[len(b)-1] = 'x'; return b }),
		"endless length": changed(func(b []byte) []byte {
			return append(b[:10], 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01)
		}),
		"overlong length": changed(func(b []byte) []byte {
			return append(b[:10], 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01)
		}),
	} {
		_, err := parseLoads(byNumber + "&cursor=" + url.QueryEscape(cursor))
		require.ErrorIs(t, err, list.ErrCursorInvalid, name)
		require.Equal(t, errs.Invalid, errs.KindOf(err))
	}
}

func TestNewPage_RefusesASortByValuesTooLongForACursor(t *testing.T) {
	t.Parallel()
	q, err := parseLoads(byNumber)
	require.NoError(t, err)
	_, err = list.NewPage(q, make([]load, 2), func(load) []any {
		return []any{strings.Repeat("a", list.MaxCursor), nil, uuid.Nil}
	})
	require.ErrorIs(t, err, list.ErrKeyTooLong)
}

func TestNewPage_RefusesKeysThatNoCursorCanHold(t *testing.T) {
	t.Parallel()
	q, err := parseLoads(byNumber)
	require.NoError(t, err)
	for name, keys := range map[string][]any{
		"too few": {"a", nil}, "a number without a value": {nil, nil, uuid.Nil}, "no decimal": {"a", "cheap", uuid.Nil}, "a float": {"a", 1.5, uuid.Nil},
	} {
		_, err := list.NewPage(q, make([]load, 1), func(load) []any { return keys })
		require.Error(t, err, name)
		require.Equal(t, errs.Internal, errs.KindOf(err), name)
	}
}

func TestNewPage_EmptyHasNoCursors(t *testing.T) {
	t.Parallel()
	q, err := parseLoads("")
	require.NoError(t, err)
	page, err := list.NewPage(q, nil, func(load) []any { return nil })
	require.NoError(t, err)
	require.NotNil(t, page.Data)
	require.Empty(t, page.Data)
	require.Equal(t, list.Meta{PerPage: 50}, page.Meta)
}
