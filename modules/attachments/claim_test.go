package attachments_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// tenGB is more than anything takes, and nothing of it is sent.
const tenGB = 10 << 30

func TestClaim_Of10GBIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		sent := invite(t, a, map[string]any{}).Get("url").String()
		for path, head := range map[string]string{
			"POST " + files:         "Authorization: Bearer " + a.Owner.Token + "\r\nContent-Type: multipart/form-data; boundary=x\r\n",
			"POST " + base + "/tus": "Authorization: Bearer " + a.Owner.Token + "\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 10737418240\r\nContent-Type: " + mediaTus + "\r\n",
			"POST " + sent:          "Content-Type: multipart/form-data; boundary=x\r\n",
			"PUT " + files + "/0190d0c0-0000-7000-8000-000000000301/content": "Authorization: Bearer " + a.Owner.Token + "\r\nExpect: 100-continue\r\n",
		} {
			answer, code := claim(t, a, path, head) //nolint:bodyclose // claim does
			require.Equal(t, http.StatusRequestEntityTooLarge, answer.StatusCode, path)
			require.Equal(t, "web.body_too_large", code, path)
			require.True(t, answer.Close)
		}
		answer, code := claim(t, a, "POST "+files, "Content-Type: multipart/form-data; boundary=x\r\nDispatchd-Claimed-Length: 1\r\n") //nolint:bodyclose // claim does
		require.Equal(t, http.StatusUnauthorized, answer.StatusCode, code)

		begin(t, a, a.Owner.Token, base+"/tus", tenGB).Refused(t, http.StatusRequestEntityTooLarge, "attachments.too_large")
		begin(t, a, "", sent+"/tus", tenGB).Refused(t, http.StatusRequestEntityTooLarge, "attachments.too_large")
		require.Empty(t, stored(t, p.store, a.Owner))
		require.Empty(t, a.EventNames(t, a.Owner))
	})
}

func TestClaim_IsAnsweredToAClientThatSendsOnWithoutReading(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		for _, test := range []struct {
			length int64
			head   string
			status int
		}{
			{tenGB, "Authorization: Bearer " + a.Owner.Token, http.StatusRequestEntityTooLarge},
			{100 << 20, "Accept: */*", http.StatusUnauthorized}, // refused by something else
		} {
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", a.API.Address())
			require.NoError(t, err)
			require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute))) //nolint:forbidigo // of a connection
			_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nContent-Type: multipart/form-data; boundary=x\r\n%s\r\n\r\n", files, test.length, test.head)
			require.NoError(t, err)
			_, err = io.CopyN(conn, endless{}, 12<<20) // no more than the service drops after an answer, however much it read before
			require.NoError(t, err, "the connection stays")
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			_, err = io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			require.Equal(t, test.status, answer.StatusCode)
			require.True(t, answer.Close)
			require.NoError(t, conn.Close())
		}
		require.Empty(t, stored(t, p.store, a.Owner))
	}, "modules.attachments.max_size=1GiB")
}

// endless is a file that has no end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// claim says that 10 GB come, sends none of them, and returns the answer, which it waits for less than for a body.
func claim(t *testing.T, a *moduletest.App, line, head string) (*http.Response, string) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", a.API.Address())
	require.NoError(t, err)
	defer conn.Close()                                                  //nolint:errcheck // of the test
	require.NoError(t, conn.SetDeadline(time.Now().Add(5*time.Second))) //nolint:forbidigo // of a connection
	_, err = fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n", line, tenGB, head)
	require.NoError(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	_, code, _ := strings.Cut(string(text), `"code":"`)
	code, _, _ = strings.Cut(code, `"`)

	return answer, code
}
