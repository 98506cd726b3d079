package attachments_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/blob/blobtest"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestTus_MakesAFileOfPartsInABucket(t *testing.T) {
	t.Parallel()
	bucket := blobtest.Bucket(t)
	each(t, func(t *testing.T, a *moduletest.App, p parts) {
		t.Helper()
		content := png + strings.Repeat("0123456789", 20_000)
		path := begin(t, a, a.Owner.Token, base+"/tus", len(content), "Upload-Metadata", metadata("filename", "photo.png", "sha256", digest(content))).
			OK(t).Header.Get("Location")
		sums := func(part string) string {
			sum := sha256.Sum256([]byte(part))

			return "sha256 " + base64.StdEncoding.EncodeToString(sum[:])
		}
		more(t, a, a.Owner.Token, path, 0, content[:50_000]).OK(t)
		require.Equal(t, "50000", far(t, a, a.Owner.Token, path).OK(t).Header.Get("Upload-Offset"))
		require.Len(t, stored(t, p.store, a.Owner), 4)
		more(t, a, a.Owner.Token, path, 50_000, content[50_000:100_000], "Upload-Checksum", sums("other")).Refused(t, 460, "attachments.checksum_mismatch")
		require.Len(t, stored(t, p.store, a.Owner), 4)
		more(t, a, a.Owner.Token, path, 50_000, content[50_000:100_000], "Upload-Checksum", sums(content[50_000:100_000])).OK(t)
		last := more(t, a, a.Owner.Token, path, 100_000, content[100_000:]).OK(t)
		require.Equal(t, strconv.Itoa(len(content)), last.Header.Get("Upload-Offset"))
		file := files + "/" + last.Header.Get("Attachment-UUID")
		require.Equal(t, digest(content), a.Call(t, a.Owner.Token, http.MethodGet, file, nil).OK(t).Get("sha256").String())
		require.Equal(t, content, string(a.Call(t, a.Owner.Token, http.MethodGet, file+"/content", nil).OK(t).Body))
		part := a.Call(t, a.Owner.Token, http.MethodGet, file+"/content", nil, "Range", "bytes=16-25").OK(t)
		require.Equal(t, content[16:26], string(part.Body))
		a.Eventually(t, func() bool { return len(stored(t, p.store, a.Owner)) == 1 }, "the parts are removed")

		given := begin(t, a, a.Owner.Token, base+"/tus", 50_000).OK(t).Header.Get("Location")
		more(t, a, a.Owner.Token, given, 0, content[:40_000]).OK(t)
		a.Call(t, a.Owner.Token, http.MethodDelete, given, nil, "Tus-Resumable", "1.0.0").OK(t)
		require.Equal(t, http.StatusNotFound, far(t, a, a.Owner.Token, given).Status)
		a.Eventually(t, func() bool { return len(stored(t, p.store, a.Owner)) == 1 }, "what was given up is removed")
		require.EqualValues(t, len(content), used(t, a))
	}, "modules.attachments.part_size=16KiB", "blob.url="+bucket.URL, "blob.access_key="+string(bucket.AccessKey), "blob.secret_key="+string(bucket.SecretKey))
}
