package settings

import (
	"errors"
	"fmt"
	"time"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/clamd"
)

// ScanSettings are the keys under modules.attachments.scanJob.
type ScanSettings struct {
	Clamd      string        `config:"clamd" doc:"Where ClamAV's clamd listens, which looks at all content before anybody can read it: unix:///run/clamav/clamd.ctl or tcp://clamav:3310. Empty means that nothing is scanned."`
	Timeout    time.Duration `config:"timeout" doc:"Time in which clamd must take each 64 KiB, and answer when it has all."`
	AtOnce     int           `config:"at_once" doc:"How many files this process has scanned at a time; others wait. No more than clamd's MaxThreads."`
	Away       string        `config:"away" doc:"What is done with an upload while clamd does not answer: hold keeps the file, which nobody can read until it was scanned; refuse answers 503 and keeps nothing."`
	RetryAfter time.Duration `config:"retry_after" doc:"How long a file that is held waits until clamd is asked again."`
	LostAfter  time.Duration `config:"lost_after" doc:"How long the scan of a file may be without a sign of life before it counts as lost and is begun anew; three times retry_after at least, whatever it says. More than what waits for the scanner takes."`
	TooLarge   string        `config:"too_large" doc:"What is done with a file that is larger than clamd's StreamMaxLength: quarantine, or allow, which gives it out unscanned."`
}

// What is done with an upload while the scanner does not answer, and with one that is too large for it.
const (
	awayHold           = "hold"
	AwayRefuse         = "refuse"
	tooLargeQuarantine = "quarantine"
	TooLargeAllow      = "allow"
)

func scanDefaults() ScanSettings {
	return ScanSettings{
		Timeout: 2 * time.Minute, AtOnce: 4, Away: awayHold, RetryAfter: time.Minute, LostAfter: 15 * time.Minute, TooLarge: tooLargeQuarantine,
	}
}

// LostTimeout is after how long a scan counts as lost. A job that waits for the scanner shows that it is there every
// retry_after, when half of this is over.
func (s ScanSettings) LostTimeout() time.Duration { return max(s.LostAfter, 3*s.RetryAfter) }

func (s ScanSettings) validate() error {
	var problems []error
	if s.Clamd != "" {
		if _, err := clamd.New(s.Clamd, s.Timeout, 1); err != nil {
			problems = append(problems, fmt.Errorf("scan.clamd: %w", err))
		}
	}
	if s.Timeout <= 0 || s.RetryAfter <= 0 || s.LostAfter <= 0 || s.AtOnce <= 0 {
		problems = append(problems, errors.New("scan: timeout, retry_after, lost_after and at_once: want more than 0"))
	}
	if s.Away != awayHold && s.Away != AwayRefuse {
		problems = append(problems, fmt.Errorf("scan.away: %q: want hold or refuse", s.Away))
	}
	if s.TooLarge != tooLargeQuarantine && s.TooLarge != TooLargeAllow {
		problems = append(problems, fmt.Errorf("scan.too_large: %q: want quarantine or allow", s.TooLarge))
	}

	return errors.Join(problems...)
}
