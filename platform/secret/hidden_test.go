package secret

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
)

type credentials struct {
	SID   string `json:"sid"`
	Token string `json:"token"`
}

func TestHidden_ShowsNothingOfTheValue(t *testing.T) {
	t.Parallel()
	hidden := Hide(credentials{SID: "AC1", Token: "hunter2"})
	inside := struct {
		Password Text
		Pointer  *Text
	}{Hide("hunter2"), new(Hide("hunter2"))}
	var log strings.Builder
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	logger.Info("x", slog.Any("a", hidden), slog.Any("b", inside), slog.Any("c", &hidden))
	text, err := json.Marshal([]any{hidden, inside, map[string]Text{"k": Hide("hunter2")}})
	require.NoError(t, err)
	shown := strings.Builder{}
	shown.WriteString(log.String() + string(text))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{hidden, inside.Password, inside} {
			fmt.Fprintf(&shown, verb, value)
		}
	}
	require.NotContains(t, shown.String(), "hunter2")
	require.NotContains(t, shown.String(), "68756e74", "nor in hexadecimal")
	require.Contains(t, shown.String(), "[redacted]")
	require.Equal(t, "hunter2", hidden.Reveal().Token)

	var read struct{ Password Text }
	require.NoError(t, json.Unmarshal([]byte(`{"Password": "hunter2"}`), &read))
	require.Equal(t, "hunter2", read.Password.Reveal())
}

func TestSealValue_RefusesWhatWouldNotComeBack(t *testing.T) {
	t.Parallel()
	keys, at := started(t, NewKey()), place()
	want := credentials{SID: "AC1", Token: "hunter2"}
	sealed, err := SealValue(t.Context(), keys, at, Hide(want))
	require.NoError(t, err)
	got, err := OpenValue[credentials](t.Context(), keys, at, sealed)
	require.NoError(t, err)
	require.Equal(t, want, got.Reveal())

	type nested struct{ Token Text }
	_, err = SealValue(t.Context(), keys, at, Hide(nested{Hide("hunter2")}))
	require.ErrorIs(t, err, errNotFaithful)
	_, err = SealValue(t.Context(), keys, at, Hide(struct{ token string }{"hunter2"}))
	require.ErrorIs(t, err, errNotFaithful)
}

func TestValidate_RefusesAPreviousKeyThatIsInUse(t *testing.T) {
	t.Parallel()
	key, other := NewKey(), NewKey()
	s := Settings{Key: "file:/x", PreviousKeys: "file:/y"}
	require.NoError(t, s.Validate())
	s.Key, s.PreviousKeys = "", ""
	require.NoError(t, s.Validate())
	require.NoError(t, Settings{Key: config.Secret(key), PreviousKeys: config.Secret(other)}.Validate())
	require.ErrorContains(t, Settings{Key: config.Secret(key), PreviousKeys: config.Secret(key)}.Validate(), "previous_keys: key 1 is in secret.key too")
	require.ErrorContains(t, Settings{Key: config.Secret(key), PreviousKeys: "hunter2"}.Validate(), "previous_keys: want keys")
}
