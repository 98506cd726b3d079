package main_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSMS_TheDemoCompanySendsItsFirstMessageAsTheDocumentationSays does what docs/sms.md tells a new user to do.
func TestSMS_TheDemoCompanySendsItsFirstMessageAsTheDocumentationSays(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "sms.md"))
	require.NoError(t, err)
	snippets := snippet.FindAllSubmatch(page, -1)
	require.Len(t, snippets, 1)
	dir := filepath.Join(t.TempDir(), "data")
	p := start(t, dir)
	token := demoToken(t, dir)
	made := p.ok(t, token, http.MethodPost, string(snippets[0][1]), json.RawMessage(snippets[0][2]))
	require.Equal(t, "queued", made.get("state").String())
	require.Equal(t, "+12025550160", made.get("from").String())
	require.Eventually(t, func() bool {
		return p.ok(t, token, http.MethodGet, "/sms/api/v1/messages/"+made.get("uuid").String(), nil).get("state").String() == "delivered"
	}, time.Minute, 20*time.Millisecond)
	p.interrupt(t)
}
