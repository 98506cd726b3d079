package main_test

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// wire is a network between the service and its database that can be cut and mended.
type wire struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	down  bool
	conns map[net.Conn]bool
}

func newWire(t *testing.T, target string) *wire {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w := &wire{listener: listener, target: target, conns: map[net.Conn]bool{}}
	go w.accept()
	t.Cleanup(func() {
		_ = listener.Close()
		w.cut()
	})

	return w
}

func (w *wire) address() string { return w.listener.Addr().String() }

func (w *wire) accept() {
	for {
		near, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.join(near)
	}
}

// join copies both ways until either side, or the wire, breaks.
func (w *wire) join(near net.Conn) {
	far, err := (&net.Dialer{}).Dial("tcp", w.target)
	if err != nil || !w.hold(near, far) {
		_ = near.Close()

		return
	}
	go func() {
		_, _ = io.Copy(far, near)
		_ = far.Close()
	}()
	_, _ = io.Copy(near, far)
	_ = near.Close()
}

// hold keeps the connections for cut; it refuses while the wire is down.
func (w *wire) hold(conns ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, conn := range conns {
		if w.down {
			_ = conn.Close()

			continue
		}
		w.conns[conn] = true
	}

	return !w.down
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for conn := range w.conns {
		_ = conn.Close()
	}
	w.conns = map[net.Conn]bool{}
}

func (w *wire) restore() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}
