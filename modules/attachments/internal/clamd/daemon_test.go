package clamd_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/clamd"
)

// eicar is the file that every scanner takes for a virus, in two halves so that this source is none.
func eicar() string {
	return `X5O!P%@AP[4\PZX54(P^)7CC)7}` + `$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*`
}

// startClamd starts a clamd with signatures of our own, and returns its address.
func startClamd(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("clamd")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/clamd")
	}
	require.NoError(t, err, "ClamAV is not installed: apt-get install --no-install-recommends clamav-daemon")
	dir, err := os.MkdirTemp("", "clamd") //nolint:usetesting // the path of a socket must be short
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	signatures := fmt.Sprintf("Test.Eicar:0:0:%s\nTest.Lorry:0:*:%s\n", hex.EncodeToString([]byte(eicar())), hex.EncodeToString([]byte("a stolen lorry")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "own.ndb"), []byte(signatures), 0o600))
	socket, config := filepath.Join(dir, "s"), filepath.Join(dir, "conf")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil,
		"DatabaseDirectory %s\nLocalSocket %s\nForeground yes\nStreamMaxLength 1M\nTemporaryDirectory %s\nLogFile %s\n",
		dir, socket, dir, filepath.Join(dir, "log")), 0o600))
	command := exec.CommandContext(t.Context(), program, "--config-file="+config)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	require.NoError(t, command.Start(), "starting clamd")
	t.Cleanup(func() {
		require.NoError(t, command.Process.Kill())
		require.Error(t, command.Wait())
	})
	require.Eventually(t, func() bool { // the socket is there before somebody listens
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "unix", socket)

		return err == nil && conn.Close() == nil
	}, time.Minute, 20*time.Millisecond, "clamd starts")

	return "unix://" + socket
}

func TestScan_OfTheRealDaemon(t *testing.T) {
	t.Parallel()
	client, err := clamd.New(startClamd(t), time.Minute, 2)
	require.NoError(t, err)
	for _, test := range []struct {
		content io.Reader
		found   string
		err     error
	}{
		{content: strings.NewReader("clean")},
		{content: strings.NewReader("")},
		{content: strings.NewReader(eicar()), found: "Test.Eicar.UNOFFICIAL"},
		{content: strings.NewReader(strings.Repeat("x", 300<<10) + "a stolen lorry"), found: "Test.Lorry.UNOFFICIAL"},
		{content: io.LimitReader(zeros{}, 900<<10)},
		{content: io.LimitReader(zeros{}, 64<<20), err: clamd.ErrTooLarge},
	} {
		found, err := client.Scan(t.Context(), test.content)
		require.ErrorIs(t, err, test.err)
		require.Equal(t, test.found, found)
	}
}
