package web_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web"
)

// heap returns the bytes of the heap and the stacks that are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)

	return int64(m.HeapAlloc + m.StackInuse)
}

// The writer is as fast as it can be and the reader pauses: what is written and not yet read stays
// in the buffers of the connection.
//
//nolint:paralleltest // it measures the memory of the process
func TestStream_OfAGigabyteTakesNoMemory(t *testing.T) {
	const size, pauses = 1 << 30, 8
	var written atomic.Int64
	s := serveStream(t, func(_ context.Context, w io.Writer) error {
		block := bytes.Repeat([]byte("0123456789abcdef"), 16<<10)
		for range size / len(block) {
			n, err := w.Write(block)
			written.Add(int64(n))
			if err != nil {
				return err
			}
		}

		return nil
	})
	body := s.open(t, "stream").Body
	before := heap()
	buffer := make([]byte, 64<<10)
	for i := range int64(pauses) {
		_, err := io.CopyBuffer(io.Discard, io.LimitReader(body, size/pauses), buffer)
		require.NoError(t, err)
		read := (i + 1) * size / pauses
		require.Less(t, heap()-before, int64(8<<20))
		require.Less(t, written.Load()-read, int64(32<<20), "writing waits for reading")
	}
	n, err := io.Copy(io.Discard, body)
	require.NoError(t, err)
	require.Zero(t, n)
}

//nolint:paralleltest // it measures the memory of the process
func TestUpload_OfHalfAGigabyteTakesNoMemory(t *testing.T) {
	const size = 512 << 20
	var most atomic.Int64
	s := serveUpload(t, size, func(in *fileInput) error {
		before := heap()
		buffer := make([]byte, 64<<10)
		for {
			_, err := io.CopyBuffer(io.Discard, io.LimitReader(in, size/8), buffer)
			most.Store(max(most.Load(), heap()-before))
			if err != nil || in.SHA256() != nil {
				return err
			}
		}
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Address()+flowsPath+"files", io.LimitReader(zeros{}, size))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer all")
	request.Header.Set("Content-Type", "application/octet-stream")
	do(t, request).ok(t)

	require.Less(t, most.Load(), int64(8<<20))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

//nolint:paralleltest // it measures the memory of the process
func TestEvents_AThousandListenersHearAtOnceAndTakeLittleMemory(t *testing.T) {
	const listeners, rounds = 1000, 20
	h := newHub()
	s := serveFlows(t, h.mount, func(s *web.Settings) { s.Streams.MaxPerCompany = listeners })
	before := heap()
	all := make([]*listener, listeners)
	for i := range all {
		all[i] = s.listen(t, "")
	}
	require.Eventually(t, func() bool { return h.count() == listeners }, waiting, tick)
	for i := range rounds {
		h.broadcast(t, i)
		for _, l := range all {
			require.Equal(t, i, l.next(t).number(t))
		}
	}
	// Both ends are in this process.
	require.Less(t, (heap()-before)/listeners, int64(64<<10))
}
