package vehicles

import (
	"errors"
	"fmt"
	"time"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpicapi"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// settings are the keys under modules.vehicles.
type settings struct {
	DataFile   string        `config:"data_file" doc:"A newer file of vehicle data, made by tools/vpic. Empty uses the data in the binary. It is read when it is first needed."`
	Provider   provider      `config:"provider" doc:"Where to look up VINs that the data lacks: offline (nowhere) or vpic, NHTSA's public API. Only the VIN without its serial number is sent."`
	URL        string        `config:"url" doc:"Address of the vPIC API."`
	CacheFor   time.Duration `config:"cache_for" doc:"How long to keep what the API returned before asking again."`
	RetryAfter time.Duration `config:"retry_after" doc:"How long not to ask the API about a VIN again after a failure, except by the retries of the job."`
}

type provider string

const (
	offline      provider = "offline"
	vpicProvider provider = "vpic"
)

func defaults() settings {
	const day = 24 * time.Hour

	return settings{Provider: offline, URL: vpicapi.DefaultURL, CacheFor: 30 * day, RetryAfter: 15 * time.Minute} //nolint:mnd // days, minutes
}

// ages returns when the API is asked again.
func (s settings) ages() outbound.Ages {
	return outbound.Ages{Refresh: s.CacheFor, Retry: s.RetryAfter}
}

// Validate reports every setting that cannot work.
func (s settings) Validate() error {
	var problems []error
	switch s.Provider {
	case offline:
	case vpicProvider:
		if s.URL == "" {
			problems = append(problems, errors.New("url: vpic needs the address of the API"))
		}
	default:
		problems = append(problems, fmt.Errorf("provider: %q: want offline or vpic", s.Provider))
	}
	if s.CacheFor <= 0 {
		problems = append(problems, errors.New("cache_for: want more than 0s"))
	}
	if s.RetryAfter <= 0 {
		problems = append(problems, errors.New("retry_after: want more than 0s"))
	}

	return errors.Join(problems...)
}
