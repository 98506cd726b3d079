package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestServe_RefusesADamagedDatabase(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir()}
	c.ok(t, "company", "create", "Roadrunner")
	file, err := os.OpenFile(filepath.Join(c.dir, "dispatchd.db"), os.O_RDWR, 0)
	require.NoError(t, err)
	info, err := file.Stat()
	require.NoError(t, err)
	const page = 4096
	for at := int64(page * 2); at < info.Size(); at += 4 * page {
		_, err = file.WriteAt([]byte(strings.Repeat("\xff", page)), at)
		require.NoError(t, err)
	}
	require.NoError(t, file.Close())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code, _, stderr := c.run(ctx, "serve", "--set", "web.address=127.0.0.1:0")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "the database file is damaged; restore a backup")
}
