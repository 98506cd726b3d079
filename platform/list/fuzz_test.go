package list_test

import (
	"encoding/base64"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// FuzzCursor holds that a cursor is taken or refused, never more: any text, and any values behind
// the head of a good one.
func FuzzCursor(f *testing.F) {
	good := *pageOf(f, "a").Meta.NextCursor
	raw, err := base64.RawURLEncoding.DecodeString(good)
	require.NoError(f, err)
	const head = 10
	f.Add("", raw[head:])
	f.Add(good, []byte{0, 1, 2, 'a'})
	f.Add("AQA", []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, text string, tail []byte) {
		behind := base64.RawURLEncoding.EncodeToString(append(raw[:head:head], tail...))
		for _, cursor := range []string{text, behind} {
			_, err := parseLoads(byNumber + "&cursor=" + url.QueryEscape(cursor))
			if err != nil {
				require.Equal(t, errs.Invalid, errs.KindOf(err))
			}
		}
	})
}

// FuzzParse holds that a query is understood or refused, never more.
func FuzzParse(f *testing.F) {
	f.Add("per_page=2&sort=-price,number&filter[number][starts]=a&count=exact")
	f.Add(`filter[or][0][price][in]=1,2&filter[or][1][number][like]=\,%25&fields=uuid&q=a+b`)
	f.Add("filter[at][lt]=2026-01-01T00:00:00Z&filter[day]=0000-01-01&filter[customer]=x&cursor=AQA")
	f.Fuzz(func(t *testing.T, query string) {
		if _, err := url.ParseQuery(query); err != nil {
			return
		}
		q, err := parseLoads(query)
		if err != nil {
			require.Equal(t, errs.Invalid, errs.KindOf(err), err)

			return
		}
		require.NotEmpty(t, q.Parts())
		require.LessOrEqual(t, q.PerPage(), 200)
	})
}
