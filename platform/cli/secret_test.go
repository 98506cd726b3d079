package cli_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/secret"
)

func TestSecretNew_PrintsAKeyThatTheConfigurationTakes(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir()}
	one, two := c.ok(t, "secret", "new"), c.ok(t, "secret", "new")
	require.NotEqual(t, one, two)
	require.NoError(t, secret.Settings{Key: config.Secret(one)}.Validate())
}

func TestSecret_RotatesAndShowsWhichKeysThereAre(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir()}
	var before, after []secret.KeyStatus
	require.NoError(t, json.Unmarshal([]byte(c.ok(t, "secret", "status", "-o", "json")), &before))
	require.Len(t, before, 2, "a data key and the master")
	require.Equal(t, secret.Primary, before[0].State)
	require.Equal(t, []string{before[1].ID}, before[0].Masters)

	var made secret.Rotated
	require.NoError(t, json.Unmarshal([]byte(c.ok(t, "secret", "rotate", "-o", "json")), &made))
	require.NoError(t, json.Unmarshal([]byte(c.ok(t, "secret", "status", "-o", "json")), &after))
	require.Len(t, after, 3)
	require.Equal(t, secret.Distributing, after[1].State)
	require.Equal(t, made.ID, after[1].ID)
	require.Contains(t, c.fails(t, "secret", "rotate"), "wait for that")
	require.Contains(t, c.fails(t, "secret", "retire", before[0].ID), "the key is in use")
	require.Contains(t, c.fails(t, "secret", "retire", before[1].ID), "take it out of secret.key")
	require.Contains(t, c.fails(t, "secret", "retire", "nonsense"), "there is no such key")
}
