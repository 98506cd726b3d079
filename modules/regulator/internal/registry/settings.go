package registry

import (
	"errors"
	"fmt"
	"time"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// Adapter says where the regulator's data are from.
type Adapter string

// The adapters.
const (
	AdapterOffline  Adapter = "offline"
	AdapterSandbox  Adapter = "sandbox"
	AdapterQCMobile Adapter = "qcmobile"
	AdapterOpenData Adapter = "opendata"
)

// Settings are the keys under modules.carriers.regulator.
type Settings struct {
	Adapter      Adapter       `config:"adapter" doc:"Where the regulator's data come from: offline (the imported files), sandbox (200 invented carriers, USDOT 9900001 to 9900200), qcmobile (the imported files and the live QCMobile API, which needs a key) or opendata (the imported files and the live open data)."`
	Key          config.Secret `config:"key" doc:"Web key of the QCMobile API, or application token of the open data, which works without one."`
	URL          string        `config:"url" doc:"Address of the live source; empty is the regulator's own."`
	RefreshAfter time.Duration `config:"refresh_after" doc:"How old a live answer may be until it is asked for again in the background."`
	RetryAfter   time.Duration `config:"retry_after" doc:"How long after a failure a live source is not asked again about a carrier, and a daily difference not fetched again."`
	Fetch        bool          `config:"fetch" doc:"Whether the daily differences of the imported sets are fetched from the regulator's open data."`
	FetchURL     string        `config:"fetch_url" doc:"Address of the sets with the daily differences; empty is the regulator's own."`
	FetchToken   config.Secret `config:"fetch_token" doc:"Application token of the open data for the daily differences, which are fetched without one too."`
}

// Defaults are the settings without a configuration.
func Defaults() Settings {
	const day = 24 * time.Hour

	return Settings{Adapter: AdapterOffline, RefreshAfter: day, RetryAfter: 15 * time.Minute} //nolint:mnd // minutes
}

// Validate reports a setting that cannot work.
func (s Settings) Validate() error {
	var problems []error
	switch s.Adapter {
	case AdapterOffline, AdapterSandbox, AdapterOpenData:
	case AdapterQCMobile:
		if s.Key == "" {
			problems = append(problems, errors.New("regulator.key: qcmobile needs the web key of the QCMobile API"))
		}
	default:
		problems = append(problems, fmt.Errorf("regulator.adapter: %q: want offline, sandbox, qcmobile or opendata", s.Adapter))
	}
	if s.RefreshAfter <= 0 {
		problems = append(problems, errors.New("regulator.refresh_after: want more than 0s"))
	}
	if s.RetryAfter <= 0 {
		problems = append(problems, errors.New("regulator.retry_after: want more than 0s"))
	}

	return errors.Join(problems...)
}

// Ages returns when a live source or a load board is asked again.
func (s Settings) Ages() outbound.Ages {
	return outbound.Ages{Refresh: s.RefreshAfter, Retry: s.RetryAfter}
}

// Fetching are the settings of the daily differences.
func (s Settings) Fetching() feed.FetchSettings {
	return feed.FetchSettings{On: s.Fetch, URL: s.FetchURL, Token: s.FetchToken, RetryAfter: s.RetryAfter}
}

// live is the name of the live source, "" for none.
func (s Settings) live() string {
	if s.Adapter == AdapterQCMobile || s.Adapter == AdapterOpenData {
		return string(s.Adapter)
	}

	return ""
}
