package jsonbody_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

func TestDecode_IsStrict(t *testing.T) {
	t.Parallel()
	type inner struct {
		Count int8 `json:"count,omitempty"`
	}
	type target struct {
		Name  string  `json:"name,omitempty"`
		Items []inner `json:"items,omitempty"`
	}

	for text, want := range map[string]map[string][]string{
		`{"nam": 1, "items": [{"count": true}, {"x": 1}]}`: {
			"nam":           {"This key is not known."},
			"items.0.count": {"The count must be an integer."},
			"items.1.x":     {"This key is not known."},
		},
		`{"items": [{"count": 300}]}`: {"items.0.count": {"The count must be an integer of 8 bits at most."}},
		`{"NAME": "x"}`:               {"NAME": {"This key is not known."}},
		`null`:                        {"body": {"The body must be an object."}},
		`[1]`:                         {"body": {"The body must be an object."}},
	} {
		var into target
		failed, ok := errors.AsType[*errs.Error](jsonbody.Decode([]byte(text), &into))

		require.True(t, ok, text)
		require.Equal(t, errs.Invalid, failed.Kind, text)
		require.Equal(t, want, failed.Fields, text)
	}
	var into target
	require.NoError(t, jsonbody.Decode([]byte(` {"name": "x", "items": [{"count": 1}]} `), &into))
	require.Equal(t, target{Name: "x", Items: []inner{{Count: 1}}}, into)
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"name":"x"}`, `{"name":1,"a":[{}]}`, `{`, `null`, "{\"a\":\"\\u0000\"}", `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var into struct {
			Name string            `json:"name"`
			Next map[string][]int8 `json:"next"`
		}
		err := jsonbody.Decode(text, &into)
		if err != nil {
			failed, ok := errors.AsType[*errs.Error](err)
			require.True(t, ok)
			require.Contains(t, []errs.Kind{errs.Malformed, errs.Invalid}, failed.Kind)
		}
	})
}
