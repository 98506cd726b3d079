package cli_test

import (
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
