package blob_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	childEnv  = "DISPATCHD_BLOB_TEST_CHILD"
	childName = "attachments/aa/half"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		writeForever(path)
	}
	os.Exit(m.Run()) //nolint:forbidigo // TestMain
}

// childCompany is whose blob the killed process writes.
func childCompany(ctx context.Context) context.Context {
	return principal.With(ctx, principal.ForCompany(uuid.MustParse("0190d0c0-0000-7000-8000-000000000009")))
}

// endless has bytes without an end, and says when some were written.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	if e.read += len(p); e.read > 4<<20 {
		_, _ = os.Stdout.WriteString("halfway\n")
		select {}
	}

	return len(p), nil
}

// writeForever is what the process does that is killed.
func writeForever(dir string) {
	files, err := blob.New(blob.Defaults(), dir)
	if err == nil {
		err = files.Start(context.Background())
	}
	if err == nil {
		_, err = files.Write(childCompany(context.Background()), childName, &endless{})
	}
	_, _ = fmt.Fprintln(os.Stdout, "not killed:", err)
	os.Exit(1) //nolint:forbidigo // of the process that is to be killed
}

func TestWrite_LeavesNoBlobWhenTheProcessIsKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^$")
	child.Env = append(os.Environ(), childEnv+"="+dir)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "halfway\n", line)
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())

	files := started(t, blob.Defaults(), dir)
	ctx := childCompany(t.Context())
	_, err = files.Stat(ctx, childName)
	require.ErrorIs(t, err, blob.ErrNotFound)
	left := listed(ctx, t, files)
	require.Len(t, left, 1, "what was written so far can be found")
	require.True(t, strings.HasPrefix(left[0].Name, childName+"."))
	require.NoError(t, files.Discard(ctx, left[0]))
	require.Empty(t, listed(ctx, t, files))
}
