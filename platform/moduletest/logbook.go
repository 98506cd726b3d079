package moduletest

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// logbook passes the log on and keeps it.
type logbook struct {
	next io.Writer

	mu   sync.Mutex
	kept bytes.Buffer
}

// Write implements io.Writer.
func (b *logbook) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept.Write(p)

	return b.next.Write(p)
}

// about returns the lines with a request's id.
func (b *logbook) about(request string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var lines strings.Builder
	for line := range strings.Lines(b.kept.String()) {
		if strings.Contains(line, request) {
			lines.WriteString(line)
		}
	}

	return lines.String()
}

// all returns everything that was logged.
func (b *logbook) all() string {
	b.mu.Lock()
	defer b.mu.Unlock()

	return b.kept.String()
}

// Logged returns what has been logged so far, by a service that is shared for the other tests too.
func (a *App) Logged() string { return a.log.all() }
