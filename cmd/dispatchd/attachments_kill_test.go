//go:build soak

package main_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
)

const attachmentsPath = "/attachments/api/v1"

// TestKill_InUploadsAndAPurgeLosesNoAcknowledgedFileAndLeavesNoOrphan kills the process in the middle of uploads in one piece
// and bit by bit, and then in the middle of a purge.
func TestKill_InUploadsAndAPurgeLosesNoAcknowledgedFileAndLeavesNoOrphan(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		dir, environ := t.TempDir(), []string{"DISPATCHD_DATABASE__URL=" + url, "DISPATCHD_MODULES__ATTACHMENTS__PART_SIZE=64KiB"}
		s := &sender{token: company(t, dir, environ...), files: map[string]string{}}
		s.p = start(t, dir, environ...)
		gone := s.storeAndDelete(t, 100)
		s.killInUploads(t)

		forgetPurge(t, url)
		before := s.blobs(t)
		s.p = start(t, dir, append(environ, "DISPATCHD_MODULES__ATTACHMENTS__RETENTION=1ms")...)
		require.Eventually(t, func() bool { return s.blobs(t) < before-5 }, time.Minute, time.Millisecond)
		s.p.kill(t)

		s.p = start(t, dir, environ...)
		require.NotEmpty(t, s.files)
		s.finishTransfers(t)
		for id, sum := range s.files {
			require.Equal(t, sum, s.read(t, id))
		}
		for _, id := range gone {
			a, err := s.p.call(t.Context(), s.token, http.MethodGet, attachmentsPath+"/attachments/"+id, nil)
			require.NoError(t, err)
			require.Truef(t, a.status == http.StatusNotFound || a.get("state").String() == "deleted", "%s", a.body)
		}
		s.p.interrupt(t)

		s.age(t)
		require.Contains(t, string(run(t, dir, environ, "attachments", "reconcile", "--remove")), "orphan", "and nothing else, else it fails")
		require.Contains(t, string(run(t, dir, environ, "attachments", "reconcile")), " 0 findings")
	})
}

// sender stores files and notes what was acknowledged.
type sender struct {
	p     *process
	token string

	mu sync.Mutex
	// files are hashes by the id of the file.
	files     map[string]string
	transfers []*sending
	patches   int
}

// sending is a file that is sent bit by bit.
type sending struct {
	path    string
	content []byte
	acked   int
}

func random(size int) []byte {
	content := make([]byte, size)
	for i := range content {
		content[i] = 'a' + byte(rand.N(26))
	}

	return content
}

func sum(content []byte) string {
	sum := sha256.Sum256(content)

	return hex.EncodeToString(sum[:])
}

// ask sends a request with headers. A body of unknown length goes out in chunks.
func (s *sender) ask(ctx context.Context, method, path string, body io.Reader, headers ...string) (http.Header, answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.p.base+path, body)
	if err != nil {
		return nil, answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Tus-Resumable", "1.0.0")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, answer{}, err
	}
	a, err := readAnswer(response)

	return response.Header, a, err
}

// store stores a file in one piece; slow has the request stop for good before its end.
func (s *sender) store(ctx context.Context, content []byte, slow bool) (string, error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", "a.txt")
	if err != nil {
		return "", err
	}
	if _, err := part.Write(content); err != nil {
		return "", err
	}
	var body io.Reader = &b
	if slow {
		body = io.MultiReader(&b, silence{ctx})
	} else if err := w.Close(); err != nil {
		return "", err
	}
	_, a, err := s.ask(ctx, http.MethodPost, attachmentsPath+"/attachments", body, "Content-Type", w.FormDataContentType())
	if err != nil || a.status != http.StatusOK && a.status != http.StatusCreated {
		return "", err
	}
	id := a.get("uuid").String()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[id] = sum(content)

	return id, nil
}

// silence is the rest of a body that does not come.
type silence struct{ ctx context.Context } //nolint:containedctx // of the reading

func (r silence) Read([]byte) (int, error) {
	<-r.ctx.Done()

	return 0, r.ctx.Err()
}

// storeAndDelete returns files that were deleted.
func (s *sender) storeAndDelete(t *testing.T, number int) []string {
	t.Helper()
	ids, wanted := make(chan string, number), make(chan struct{}, number)
	for range number {
		wanted <- struct{}{}
	}
	close(wanted)
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for range wanted {
				id, err := s.store(t.Context(), random(1000), false)
				if err != nil {
					continue
				}
				_, a, err := s.ask(t.Context(), http.MethodDelete, attachmentsPath+"/attachments/"+id, http.NoBody)
				if err == nil && a.status < 300 {
					ids <- id
				}
			}
		})
	}
	clients.Wait()
	close(ids)
	var gone []string
	for id := range ids {
		gone = append(gone, id)
		delete(s.files, id)
	}
	require.Len(t, gone, number)
	require.Empty(t, s.files)

	return gone
}

// killInUploads kills the process while it stores files, some of which will never come whole.
func (s *sender) killInUploads(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range 3 {
		clients.Go(func() {
			for ctx.Err() == nil {
				_, _ = s.store(ctx, random(50_000+rand.N(200_000)), false)
			}
		})
		clients.Go(func() {
			_, _ = s.store(ctx, random(300_000), true)
		})
	}
	for slow := range 4 {
		clients.Go(func() { s.sendBitByBit(ctx, slow == 0) })
	}
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()

		return len(s.files) > 30 && s.patches > 10
	}, time.Minute, time.Millisecond)
	s.p.kill(t)
	cancel()
	clients.Wait()
}

// sendBitByBit sends one file after the other; slow has the second request of the first stop for good.
func (s *sender) sendBitByBit(ctx context.Context, slow bool) {
	for ctx.Err() == nil {
		f := &sending{content: random(600_000)}
		header, _, err := s.ask(ctx, http.MethodPost, attachmentsPath+"/tus", http.NoBody, "Upload-Length", strconv.Itoa(len(f.content)))
		if err != nil {
			return
		}
		f.path = header.Get("Location")
		s.mu.Lock()
		s.transfers = append(s.transfers, f)
		s.mu.Unlock()
		for f.acked < len(f.content) {
			var body io.Reader = bytes.NewReader(f.content[f.acked:min(f.acked+150_000, len(f.content))])
			if slow && f.acked > 0 {
				body = io.MultiReader(body, silence{ctx})
			}
			if s.patch(ctx, f, body) != nil {
				return
			}
		}
	}
}

// patch sends more of a file.
func (s *sender) patch(ctx context.Context, f *sending, body io.Reader) error {
	header, a, err := s.ask(ctx, http.MethodPatch, f.path, body, "Upload-Offset", strconv.Itoa(f.acked), "Content-Type", "application/offset+octet-stream")
	if err != nil || a.status != http.StatusNoContent {
		return io.ErrUnexpectedEOF
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.patches++
	if f.acked, err = strconv.Atoi(header.Get("Upload-Offset")); err != nil {
		return err
	}
	if id := header.Get("Attachment-Uuid"); id != "" {
		s.files[id] = sum(f.content)
	}

	return nil
}

// finishTransfers goes on with what had begun to arrive.
func (s *sender) finishTransfers(t *testing.T) {
	t.Helper()
	for _, f := range s.transfers {
		header, a, err := s.ask(t.Context(), http.MethodHead, f.path, http.NoBody)
		require.NoError(t, err)
		if a.status == http.StatusLocked {
			continue // all of it was there when the process was killed; a job puts it together in minutes
		}
		require.Equal(t, http.StatusOK, a.status)
		offset, err := strconv.Atoi(header.Get("Upload-Offset"))
		require.NoError(t, err)
		require.GreaterOrEqual(t, offset, f.acked)
		if f.acked = offset; f.acked < len(f.content) {
			require.NoError(t, s.patch(t.Context(), f, bytes.NewReader(f.content[f.acked:])))
		}
	}
}

// read returns the hash of what a file is.
func (s *sender) read(t *testing.T, id string) string {
	t.Helper()
	_, a, err := s.ask(t.Context(), http.MethodGet, attachmentsPath+"/attachments/"+id+"/content", http.NoBody)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status)

	return sum(a.body)
}

// eachBlob calls a function with the path of each file that the store has.
func (s *sender) eachBlob(t *testing.T, call func(path string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(filepath.Join(s.p.dir, "files"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			call(path)
		}

		return nil
	}))
}

func (s *sender) blobs(t *testing.T) int {
	t.Helper()
	number := 0
	s.eachBlob(t, func(string) { number++ })

	return number
}

// age has all content be older than orphan_age.
func (s *sender) age(t *testing.T) {
	t.Helper()
	long := time.Now().Add(-24 * time.Hour) //nolint:forbidigo // of files, which know no other clock
	s.eachBlob(t, func(path string) { require.NoError(t, os.Chtimes(path, long, long)) })
}

// forgetPurge has the next process purge at once, whenever the last one did.
func forgetPurge(t *testing.T, url string) {
	t.Helper()
	t.Run("purge anew", func(t *testing.T) {
		db := databasetest.Open(t, url)
		require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
			return db.Raw(ctx, "of the test").Exec("DELETE FROM river_job WHERE kind = 'attachments.purge'").Error
		}))
	})
}
