package routeengine

import (
	"errors"
	"fmt"
	"time"

	"github.com/dispatchd/dispatchd/platform/outbound"
)

// settings are the keys under modules.route_engine.
type settings struct {
	Provider    provider      `config:"provider" doc:"Provider of measured routes: offline (none: miles are estimated), osrm or valhalla."`
	URL         string        `config:"url" doc:"Address of the OSRM or Valhalla server. Allow a server in your own network under outbound."`
	DataVersion string        `config:"data_version" doc:"Version of the provider's map, such as 2026-11. Change it to measure all routes again."`
	CacheFor    time.Duration `config:"cache_for" doc:"How long to keep measured routes and geocoded addresses before requesting them again."`
	RetryAfter  time.Duration `config:"retry_after" doc:"How long to wait after a failure before requesting the same route or address again."`
	Geocoder    geocoder      `config:"geocoder" doc:"Provider of addresses: offline (none: their ZIP code or city is used) or nominatim."`
	GeocoderURL string        `config:"geocoder_url" doc:"Address of the Nominatim server. The public server forbids this use: run your own, or pay for one."`
}

type (
	provider string
	geocoder string
)

const (
	offline   provider = "offline"
	osrm      provider = "osrm"
	valhalla  provider = "valhalla"
	nominatim geocoder = "nominatim"
	noGeocode geocoder = "offline"
)

func defaults() settings {
	const day = 24 * time.Hour

	return settings{Provider: offline, Geocoder: noGeocode, CacheFor: 180 * day, RetryAfter: 15 * time.Minute} //nolint:mnd // days, minutes
}

// longestVersion limits the length of a data version, which is part of a key.
const longestVersion = 64

// ages returns when a provider is asked again.
func (s settings) ages() outbound.Ages {
	return outbound.Ages{Refresh: s.CacheFor, Retry: s.RetryAfter}
}

// Validate reports every setting that cannot work.
func (s settings) Validate() error {
	var problems []error
	switch s.Provider {
	case offline:
	case osrm, valhalla:
		if s.URL == "" {
			problems = append(problems, fmt.Errorf("url: %s needs the address of its server", s.Provider))
		}
	default:
		problems = append(problems, fmt.Errorf("provider: %q: want offline, osrm or valhalla", s.Provider))
	}
	switch s.Geocoder {
	case noGeocode:
	case nominatim:
		if s.GeocoderURL == "" {
			problems = append(problems, errors.New("geocoder_url: nominatim needs the address of its server"))
		}
	default:
		problems = append(problems, fmt.Errorf("geocoder: %q: want offline or nominatim", s.Geocoder))
	}
	if s.CacheFor <= 0 {
		problems = append(problems, errors.New("cache_for: want more than 0s"))
	}
	if s.RetryAfter <= 0 {
		problems = append(problems, errors.New("retry_after: want more than 0s"))
	}
	if len(s.DataVersion) > longestVersion {
		problems = append(problems, fmt.Errorf("data_version: want at most %d characters", longestVersion))
	}

	return errors.Join(problems...)
}

// source is part of the key of measured routes, so that another provider or map has its own.
func (s settings) source() string { return string(s.Provider) + "@" + s.DataVersion }
