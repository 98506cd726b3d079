package carriers

import (
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/merging"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// settings are the keys under modules.carriers.
type settings struct {
	UnmergeWithin time.Duration   `config:"unmerge_within" doc:"How long a merge can be undone."`
	Packet        packet.Settings `config:"packet" doc:"Onboarding packets."`
	// RemitHold and RemitSecondPerson guard changes of how carriers are paid.
	RemitHold         time.Duration `config:"remit_hold" doc:"How long a change of a carrier's remit-to is held before it becomes effective, verified or not."`
	RemitSecondPerson bool          `config:"remit_second_person" doc:"Whether another user than the one who proposed a change of a remit-to must verify it."`
	// BoardRefresh and BoardRetry say when a load board is asked again.
	BoardRefresh time.Duration `config:"board_refresh_after" doc:"How old a load board's answer about a carrier may be until the board is asked again in the background."`
	BoardRetry   time.Duration `config:"board_retry_after" doc:"How long after a failure a load board is not asked again about a carrier."`
}

func defaults() settings {
	const day = 24 * time.Hour

	return settings{
		Packet: packet.Defaults(), RemitHold: 3 * day, UnmergeWithin: 30 * day, BoardRefresh: day, BoardRetry: 15 * time.Minute,
	}
}

// Validate reports a setting that cannot work.
func (s settings) Validate() error {
	if s.RemitHold < 0 {
		return errors.New("remit_hold: want 0s or more")
	}

	if s.UnmergeWithin < 0 {
		return errors.New("unmerge_within: want 0s or more")
	}
	if s.BoardRefresh <= 0 || s.BoardRetry <= 0 {
		return errors.New("board_refresh_after and board_retry_after: want more than 0s")
	}

	return nil
}

// boardAges returns when a load board is asked again.
func boardAges(s settings) outbound.Ages {
	return outbound.Ages{Refresh: s.BoardRefresh, Retry: s.BoardRetry}
}

// remitSettings returns what guards changes of how carriers are paid.
func remitSettings(s settings) remit.Settings {
	return remit.Settings{Hold: s.RemitHold, SecondPerson: s.RemitSecondPerson}
}

func mergeSettings(s settings) merging.Settings { return merging.Settings{Within: s.UnmergeWithin} }

func packetSettings(s settings) packet.Settings { return s.Packet }
