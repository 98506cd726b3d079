package attachments

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/clamd"
)

// scanned is what a scanner said of content.
type scanned string

const (
	scanNone     scanned = "" // no scanner was asked
	scanPending  scanned = "pending"
	scanClean    scanned = "clean"
	scanInfected scanned = "infected"
	scanTooLarge scanned = "too_large"
	// scanFailed is of content that the scanner could not look at, however often it was asked.
	scanFailed scanned = "failed"
	// scanReleased is of content that somebody gave out in spite of what the scanner said.
	scanReleased scanned = "released"
)

// Why content is quarantined in which nothing was found.
const (
	reasonTooLarge = "It is larger than the scanner looks at."
	reasonFailed   = "The scanner could not look at it."
)

// judgement is what follows from looking at content. Reason is why it is quarantined, "" if it is not.
type judgement struct {
	result scanned
	reason string
}

// engine finds viruses: it returns the name of one, "" for none.
type engine interface {
	Scan(ctx context.Context, content io.Reader) (string, error)
}

// scanner has all content looked at, by an engine that may be none.
type scanner struct {
	settings scanSettings
	engine   engine // nil for none
	log      *slog.Logger
}

func newScanner(s settings, log *slog.Logger) (*scanner, error) {
	made := &scanner{settings: s.Scan, log: log}
	if s.Scan.Clamd == "" {
		return made, nil
	}
	client, err := clamd.New(s.Scan.Clamd, s.Scan.Timeout, s.Scan.AtOnce)
	if err != nil {
		return nil, err
	}
	made.engine = client

	return made, nil
}

// receive implements step.
func (s *scanner) receive(ctx context.Context, a *arrival) (err error) {
	if s.engine == nil {
		return nil
	}
	object := a.open(ctx)
	defer func() { err = errors.Join(err, object.Close()) }()
	found, err := s.judge(ctx, object)
	if !errors.Is(err, clamd.ErrAway) && !errors.Is(err, clamd.ErrFailed) {
		a.Scan, a.Quarantine = found.result, found.reason

		return err
	}
	s.log.WarnContext(ctx, "content was not scanned", "blob", a.Blob, "error", err)
	if s.settings.Away == awayRefuse {
		return errNoScan.WithCause(err)
	}
	a.Scan = scanPending

	return nil
}

// judge looks at content. It returns clamd's errors where there is no judgement yet.
func (s *scanner) judge(ctx context.Context, content io.Reader) (judgement, error) {
	name, err := s.engine.Scan(ctx, content)
	switch {
	case errors.Is(err, clamd.ErrTooLarge) && s.settings.TooLarge == tooLargeAllow:
		return judgement{result: scanTooLarge}, nil
	case errors.Is(err, clamd.ErrTooLarge):
		return judgement{scanTooLarge, reasonTooLarge}, nil
	case err != nil:
		return judgement{}, err
	case name != "":
		return judgement{scanInfected, name}, nil
	default:
		return judgement{result: scanClean}, nil
	}
}
