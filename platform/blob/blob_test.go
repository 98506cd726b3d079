package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/blob/blobtest"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const name = "attachments/4f/0190d0c0-0000-7000-8000-000000000001"

func started(t *testing.T, s blob.Settings, dir string) *blob.Store {
	t.Helper()
	files, err := blob.New(s, dir)
	require.NoError(t, err)
	require.NoError(t, files.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, files.Stop(context.WithoutCancel(t.Context()))) })

	return files
}

// each runs a test on a folder and on a real S3-compatible server.
func each(t *testing.T, test func(t *testing.T, files *blob.Store)) {
	t.Helper()
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		test(t, started(t, blob.Defaults(), t.TempDir()))
	})
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		test(t, started(t, blobtest.Bucket(t), ""))
	})
}

func company(t *testing.T) context.Context {
	t.Helper()

	return principal.With(t.Context(), principal.ForCompany(uuid.New()))
}

func listed(ctx context.Context, t *testing.T, files *blob.Store) []blob.Info {
	t.Helper()
	var all []blob.Info
	for found, err := range files.List(ctx, "attachments") {
		require.NoError(t, err)
		all = append(all, found)
	}

	return all
}

func TestWrite_StoresWhatIsReadBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, files *blob.Store) {
		t.Helper()
		ctx := company(t)
		content := bytes.Repeat([]byte("0123456789abcdef"), 20<<20/16) // more than one part of a bucket
		made, err := files.Write(ctx, name, bytes.NewReader(content))
		require.NoError(t, err)
		require.Equal(t, blob.Written{Size: int64(len(content)), SHA256: sha256.Sum256(content)}, made)

		object := files.Open(ctx, name, made.Size)
		read, err := io.ReadAll(object)
		require.NoError(t, err)
		require.True(t, bytes.Equal(content, read))
		at, err := object.Seek(-5, io.SeekEnd)
		require.NoError(t, err)
		require.Equal(t, made.Size-5, at)
		tail, err := io.ReadAll(object)
		require.NoError(t, err)
		require.Equal(t, "bcdef", string(tail))
		require.NoError(t, object.Close())

		there, err := files.Stat(ctx, name)
		require.NoError(t, err)
		require.Equal(t, made.Size, there.Size)
		require.WithinDuration(t, clock.System{}.Now(), there.Modified, time.Hour)
	})
}

func TestWrite_StoresAnEmptyBlob(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, files *blob.Store) {
		t.Helper()
		ctx := company(t)
		made, err := files.Write(ctx, name, strings.NewReader(""))
		require.NoError(t, err)
		require.Equal(t, sha256.Sum256(nil), made.SHA256)
		_, err = files.Stat(ctx, name)
		require.NoError(t, err)
		read, err := io.ReadAll(files.Open(ctx, name, 0))
		require.NoError(t, err)
		require.Empty(t, read)
	})
}

func TestStore_KeepsCompaniesApart(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, files *blob.Store) {
		t.Helper()
		mine, other := company(t), company(t)
		made, err := files.Write(mine, name, strings.NewReader("mine"))
		require.NoError(t, err)

		_, err = io.ReadAll(files.Open(other, name, made.Size))
		require.ErrorIs(t, err, blob.ErrNotFound)
		require.NoError(t, files.Delete(other, name))
		require.Empty(t, listed(other, t, files))
		require.Len(t, listed(mine, t, files), 1)
		_, err = files.Write(t.Context(), name, strings.NewReader("nobody's"))
		require.ErrorContains(t, err, "no principal of a company")
		_, err = files.Stat(t.Context(), name)
		require.ErrorContains(t, err, "no principal of a company")

		companies, err := files.Companies(t.Context())
		require.NoError(t, err)
		who, _ := principal.From(mine)
		require.Contains(t, companies, who.Company)
	})
}

func TestStore_RefusesNamesThatLeadElsewhere(t *testing.T) {
	t.Parallel()
	files := started(t, blob.Defaults(), t.TempDir())
	for _, wrong := range []string{"", "a", "/a/b", "a/../../b", "a/b/", "a/B", "a//b", "a/b\x00", "a/..", "a/b.tmp"} {
		_, err := files.Write(company(t), wrong, strings.NewReader("x"))
		require.ErrorContainsf(t, err, "name", "%q", wrong)
	}
}

func TestDelete_RemovesTheBlobAndMayBeRepeated(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, files *blob.Store) {
		t.Helper()
		ctx := company(t)
		_, err := files.Write(ctx, name, strings.NewReader("x"))
		require.NoError(t, err)
		require.NoError(t, files.Delete(ctx, name))
		require.NoError(t, files.Delete(ctx, name))
		_, err = files.Stat(ctx, name)
		require.ErrorIs(t, err, blob.ErrNotFound)
	})
}

func TestWrite_StoresNothingWhenTheSourceFails(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, files *blob.Store) {
		t.Helper()
		ctx, gone := company(t), errs.New(errs.Malformed, "web.body_incomplete", "The body ended.")
		_, err := files.Write(ctx, name, io.MultiReader(strings.NewReader("half"), iotest.ErrReader(gone)))
		require.Equal(t, error(gone), err)
		require.Empty(t, listed(ctx, t, files))
	})
}

// fails is a writer that takes some bytes and then fails.
type fails struct {
	to   io.Writer
	left int
	err  error
}

func (f *fails) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, f.err
	}

	return f.to.Write(p)
}

func TestWrite_StoresNothingOnAFullDiskOrABucketThatFails(t *testing.T) {
	t.Parallel()
	for text, test := range map[string]struct{ with, want error }{
		"full":    {&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, blob.ErrFull},
		"quota":   {syscall.EDQUOT, blob.ErrFull},
		"failing": {errors.New("connection reset"), blob.ErrUnavailable},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, files *blob.Store) {
				t.Helper()
				files.Through(func(w io.Writer) io.Writer { return &fails{to: w, left: 1 << 20, err: test.with} })
				ctx := company(t)
				_, err := files.Write(ctx, name, bytes.NewReader(make([]byte, 2<<20)))
				require.ErrorIs(t, err, test.want)
				require.Equal(t, errs.Unavailable, errs.KindOf(err))
				require.Empty(t, listed(ctx, t, files))
			})
		})
	}
}

func TestRead_SaysWhenABlobIsShorterThanItsRow(t *testing.T) {
	t.Parallel()
	files := started(t, blob.Defaults(), t.TempDir())
	ctx := company(t)
	_, err := files.Write(ctx, name, strings.NewReader("short"))
	require.NoError(t, err)
	_, err = io.ReadAll(files.Open(ctx, name, 100))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestFolder_IsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := started(t, blob.Defaults(), dir)
	_, err := files.Write(company(t), name, strings.NewReader("x"))
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, blob.FolderName), func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		require.Equalf(t, os.FileMode(0o700), info.Mode().Perm(), "%s", path)

		return err
	}))
}

func TestCheck_SaysThatABucketIsAway(t *testing.T) {
	t.Parallel()
	s := blob.Defaults()
	s.URL, s.AccessKey, s.SecretKey = "s3://nowhere?region=us-east-1&endpoint=http://127.0.0.1:1&path_style=true", "a", "b"
	files := started(t, s, "")
	ctx, cancel := context.WithTimeout(company(t), 20*time.Second)
	defer cancel()
	require.Error(t, files.Check(ctx))
	_, err := files.Write(ctx, name, strings.NewReader("x"))
	require.Equal(t, errs.Unavailable, errs.KindOf(err), err)
}

func TestStore_GivesUpABucketThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0") // takes connections, and says nothing
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, silent.Close()) })
	s := blob.Defaults()
	s.URL = "s3://papers?region=us-east-1&path_style=true&endpoint=http://" + silent.Addr().String()
	s.AccessKey, s.SecretKey, s.StallAfter = "a", "b", 300*time.Millisecond
	files := started(t, s, "")
	// Nothing else ends a request: the time is that of the store, and far below this.
	ctx, cancel := context.WithTimeout(company(t), 20*time.Second)
	defer cancel()
	require.Error(t, files.Ready(ctx))
	require.Error(t, files.Delete(ctx, name))
	_, err = files.Stat(ctx, name)
	require.Error(t, err)
	for _, size := range []int{1, 6 << 20} { // in one piece, and in parts
		_, err = files.Write(ctx, name, strings.NewReader(strings.Repeat("x", size)))
		require.Equal(t, errs.Unavailable, errs.KindOf(err), err)
	}
	require.NoError(t, ctx.Err())
}
