package receiving

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/clamd"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
)

// Why content is quarantined in which nothing was found.
const (
	reasonTooLarge = "It is larger than the scanner looks at."
	ReasonFailed   = "The scanner could not look at it."
)

// Verdict is what follows from looking at content. Reason is why it is quarantined, "" if it is not.
type Verdict struct {
	Result store.ScanResult
	Reason string
}

// engine finds viruses: it returns the name of one, "" for none.
type engine interface {
	Scan(ctx context.Context, content io.Reader) (string, error)
}

// Scanner has all content looked at, by an engine that may be none.
type Scanner struct {
	settings settings.ScanSettings
	engine   engine // nil for none
	log      *slog.Logger
}

// NewScanner returns the scanner of the settings, which may be none.
func NewScanner(s settings.Settings, log *slog.Logger) (*Scanner, error) {
	if s.Scan.Clamd == "" {
		return NewScannerWith(nil, s, log), nil
	}
	client, err := clamd.New(s.Scan.Clamd, s.Scan.Timeout, s.Scan.AtOnce)
	if err != nil {
		return nil, err
	}

	return NewScannerWith(client, s, log), nil
}

// NewScannerWith returns a scanner that asks an engine, nil for none.
func NewScannerWith(e engine, s settings.Settings, log *slog.Logger) *Scanner {
	return &Scanner{settings: s.Scan, engine: e, log: log}
}

// Inspect implements step.
func (s *Scanner) Inspect(ctx context.Context, a *Arrival) (err error) {
	if !s.Enabled() {
		return nil
	}
	object := a.Open(ctx)
	defer func() { err = errors.Join(err, object.Close()) }()
	found, err := s.Scan(ctx, object)
	if !errors.Is(err, clamd.ErrAway) && !errors.Is(err, clamd.ErrFailed) {
		a.Scan, a.Quarantine = found.Result, found.Reason

		return err
	}
	s.log.WarnContext(ctx, "content was not scanned", "blob", a.Blob, "error", err)
	if s.settings.Away == settings.AwayRefuse {
		return store.ErrNotScanned.WithCause(err)
	}
	a.Scan = store.ScanPending

	return nil
}

// Scan looks at content. It returns clamd's errors where there is no judgement yet.
func (s *Scanner) Scan(ctx context.Context, content io.Reader) (Verdict, error) {
	name, err := s.engine.Scan(ctx, content)
	switch {
	case errors.Is(err, clamd.ErrTooLarge) && s.settings.TooLarge == settings.TooLargeAllow:
		return Verdict{Result: store.ScanTooLarge}, nil
	case errors.Is(err, clamd.ErrTooLarge):
		return Verdict{Result: store.ScanTooLarge, Reason: reasonTooLarge}, nil
	case err != nil:
		return Verdict{}, err
	case name != "":
		return Verdict{Result: store.ScanInfected, Reason: name}, nil
	default:
		return Verdict{Result: store.ScanClean}, nil
	}
}

// Enabled reports whether there is a scanner.
func (s *Scanner) Enabled() bool { return s.engine != nil }
