package jsonbody_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/naming"
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
			"nam":           {"This key is not known. Did you mean `name`?"},
			"items.0.count": {"The count must be an integer."},
			"items.1.x":     {"This key is not known. Known are: count."},
		},
		`{"items": [{"count": 300}]}`: {"items.0.count": {"The count must be an integer of 8 bits at most."}},
		`{"NAME": "x"}`:               {"NAME": {"This key is not known. Known are: items, name."}},
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

func TestDecode_RefusesTimesThatNoDatabaseKeeps(t *testing.T) {
	t.Parallel()
	type target struct {
		At   time.Time  `json:"at,omitzero"`
		Then *time.Time `json:"then,omitzero"`
	}
	for at, kept := range map[string]bool{
		"0001-01-01T00:00:00Z": true, "9999-12-31T23:59:59Z": true,
		"0000-12-31T23:59:59Z": false, "0001-01-01T00:00:00+12:00": false, "9999-12-31T23:59:59-12:00": false,
	} {
		for _, key := range []string{"at", "then"} {
			err := jsonbody.Decode([]byte(`{"`+key+`":"`+at+`"}`), new(target))
			if kept {
				require.NoError(t, err, at)

				continue
			}
			failed, ok := errors.AsType[*errs.Error](err)
			require.True(t, ok, at)
			require.Equal(t, map[string][]string{key: {naming.Subject(key) + " must be in the years 1 to 9999, in UTC."}}, failed.Fields, at)
		}
	}
	require.NoError(t, jsonbody.Decode([]byte(`{"then":null}`), new(target)))
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

func TestDecode_SaysThatTheZeroUUIDNamesNothing(t *testing.T) {
	t.Parallel()
	var into struct {
		Carrier uuid.UUID  `json:"carrier_uuid,omitzero"`
		Driver  *uuid.UUID `json:"driver_uuid,omitempty"`
	}
	const zero = "00000000-0000-0000-0000-000000000000"
	for _, key := range []string{"carrier_uuid", "driver_uuid"} {
		failed, ok := errors.AsType[*errs.Error](jsonbody.Decode([]byte(`{"`+key+`":"`+zero+`"}`), &into))
		require.True(t, ok)
		require.Contains(t, failed.Fields[key][0], "the zero UUID is no valid reference")
	}
	failed, ok := errors.AsType[*errs.Error](jsonbody.Decode([]byte(`{"carrier_uuid":7}`), &into))
	require.True(t, ok)
	require.Equal(t, map[string][]string{"carrier_uuid": {"The carrier uuid must be a string."}}, failed.Fields)
	require.NoError(t, jsonbody.Decode([]byte(`{"carrier_uuid":"0190c3d0-7b1a-7c3d-8e4f-1a2b3c4d5e6f","driver_uuid":null}`), &into))
	require.Nil(t, into.Driver)
	require.NotEqual(t, uuid.Nil, into.Carrier)
}

func TestDecodeAs_NamesTheCodeOfAStateThatIsSpelledOut(t *testing.T) {
	t.Parallel()
	type place struct {
		State string `json:"state,omitempty" maxLength:"2"`
		From  string `json:"origin_state,omitempty" maxLength:"2"`
		Other string `json:"other,omitempty" maxLength:"2"`
	}
	var into place
	failed, ok := errors.AsType[*errs.Error](jsonbody.DecodeAs([]byte(`{"state":"Texas","origin_state":"Nowhere","other":"abc"}`), jsonbody.SchemaFor[place](), &into))
	require.True(t, ok)
	require.Equal(t, map[string][]string{
		"state": {"The state must be a code of two letters: TX for Texas."}, "origin_state": {"The origin state must be a code of two letters, such as TX."},
		"other": {"The other must be at most 2 characters long."},
	}, failed.Fields)
}
