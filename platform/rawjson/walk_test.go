package rawjson

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestDepth_CountsLevels(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int{
		`1`: 0, `"[["`: 0, `{}`: 1, `{"a":[]}`: 2, `[{"a":1},{"b":{"c":[]}}]`: 4, `["\"[[["]`: 1,
	} {
		require.Equalf(t, want, Depth([]byte(value)), "%s", value)
	}
}

func TestUnquote_RefusesWhatNotEveryDatabaseHolds(t *testing.T) {
	t.Parallel()
	for quoted, want := range map[string]string{
		`""`: "", `"a"`: "a", `"\u00e4"`: "ä", `"\\u0000"`: `\u0000`, `"\ud83d\ude9a"`: "🚚", `"\ufffd"`: "\ufffd", `"\"\/\b"`: "\"/\b",
	} {
		got, ok := Unquote([]byte(quoted))
		require.Truef(t, ok, "%s", quoted)
		require.Equal(t, want, got)
	}
	for _, quoted := range []string{`"\u0000"`, `"\ud83d"`, `"\ude9a"`, `"\ud83d\ud83d"`, `"\ud83d\\ude9a"`, `"\ud83da\ude9a"`} {
		_, ok := Unquote([]byte(quoted))
		require.Falsef(t, ok, "%s", quoted)
	}
}

// FuzzMembers compares the walk over an object with encoding/json's.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` { } `, `{"a":1}`, `{ "a" : [ 1 , {"b":"]}"} ] , "c" : "\"," }`, `{"a":{"b":{}},"d":null,"e":-1e5}`, `{"\"":"\\"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		var want map[string]json.RawMessage
		if !utf8.Valid(object) || json.Unmarshal(object, &want) != nil || want == nil {
			return
		}
		got := map[string]json.RawMessage{}
		for name, value := range Members(object) {
			var key string
			require.NoError(t, json.Unmarshal([]byte(`"`+string(name)+`"`), &key))
			got[key] = value
		}
		require.Len(t, got, len(want))
		for key, value := range want {
			require.JSONEq(t, string(value), string(got[key]))
			require.Equal(t, strings.TrimSpace(string(got[key])), string(got[key]))
			require.JSONEq(t, string(value), string(AppendCompact(nil, got[key])))
		}
	})
}
