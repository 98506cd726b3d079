package overload

import (
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/platform/config"
)

// RateSettings say how often somebody may call.
type RateSettings struct {
	Window     time.Duration `config:"window" doc:"Period of the limits below. A limit may be used up at once, and refills evenly."`
	PerToken   int           `config:"per_token" doc:"Requests per token. 0 is no limit. Each process counts separately."`
	PerAddress int           `config:"per_address" doc:"Requests per IP address (per /64 for IPv6) without a valid token. 0 is no limit. Each process counts separately."`
}

// DefaultRates returns the settings of a service that nobody configured.
var DefaultRates = RateSettings{Window: time.Minute, PerToken: 60_000, PerAddress: 1200}

// Check reports every setting that cannot work.
func (s RateSettings) Check() error {
	var problems []error
	if s.Window < time.Second || s.Window%time.Second != 0 {
		problems = append(problems, errors.New("rate_limit.window: want whole seconds, such as 1m"))
	}
	if s.PerToken < 0 || s.PerAddress < 0 {
		problems = append(problems, errors.New("rate_limit: want numbers of requests, or 0 for no limit"))
	}

	return errors.Join(problems...)
}

// Settings say when there is too much to do.
type Settings struct {
	MaxInFlight    int           `config:"max_in_flight" doc:"Requests processed at a time. As many again may wait for max_wait; all others are answered 503 at once. 0 is no limit."`
	MaxWait        time.Duration `config:"max_wait" doc:"How long a request waits for its turn before it is answered 503. A verified notification waits for at least 5 s."`
	MaxMemory      config.Size   `config:"max_memory" doc:"Bytes of memory for the large bodies and answers of all requests together. A request that finds no room within max_wait is answered 503. 0 is half of Go's memory limit, which is 90 percent of the container's; without a limit, 512 MiB."`
	CompanyPercent int           `config:"company_percent" doc:"Maximum percentage of max_in_flight and of max_memory that one company gets, so that one company cannot starve the others; as many again of its requests may wait. Callers without a token count as one company, and the verified notifications of a company as another."`
}

// Defaults returns the settings of a service that nobody configured.
func Defaults() Settings {
	return Settings{MaxInFlight: 256, MaxWait: 250 * time.Millisecond, CompanyPercent: 75}
}

// Check reports every setting that cannot work.
func (s Settings) Check() error {
	var problems []error
	if s.MaxMemory != 0 && s.MaxMemory < 16*config.MiB {
		problems = append(problems, errors.New("overload.max_memory: want 16 MiB or more, or 0 for half of the memory limit"))
	}
	if s.MaxInFlight < 0 || s.MaxWait < 0 {
		problems = append(problems, errors.New("overload: want numbers above zero, or max_in_flight: 0 for no bound"))
	}
	if s.CompanyPercent < 1 || s.CompanyPercent > 100 {
		problems = append(problems, errors.New("overload.company_percent: want 1 to 100"))
	}

	return errors.Join(problems...)
}
