package web

import (
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/platform/config"
)

// RateLimitSettings say how often somebody may call.
type RateLimitSettings struct {
	Window     time.Duration `config:"window" doc:"Time in which the numbers below are allowed. They may be used up at once, and come back evenly."`
	PerToken   int           `config:"per_token" doc:"Requests with one token. 0 is no limit. Each process counts by itself."`
	PerAddress int           `config:"per_address" doc:"Requests from one address (of IPv6, from one /64) that need no token or show none that is valid. 0 is no limit. Each process counts by itself."`
}

func defaultRateLimit() RateLimitSettings {
	return RateLimitSettings{Window: time.Minute, PerToken: 60_000, PerAddress: 1200}
}

func (s RateLimitSettings) validate() error {
	var problems []error
	if s.Window < time.Second || s.Window%time.Second != 0 {
		problems = append(problems, errors.New("rate_limit.window: want whole seconds, such as 1m"))
	}
	if s.PerToken < 0 || s.PerAddress < 0 {
		problems = append(problems, errors.New("rate_limit: want numbers of requests, or 0 for no limit"))
	}

	return errors.Join(problems...)
}

// OverloadSettings say when there is too much to do.
type OverloadSettings struct {
	MaxInFlight    int           `config:"max_in_flight" doc:"Requests that are worked on at a time; as many more may wait for max_wait, and all others are answered 503 at once. 0 is no bound."`
	MaxWait        time.Duration `config:"max_wait" doc:"Time that a request waits for its turn before it is answered 503. A notification that is verified waits for 5 s, if that is longer."`
	MaxMemory      config.Size   `config:"max_memory" doc:"Bytes that large bodies and answers may take in memory, all requests together, until they are sent. A request that finds no room in max_wait is answered 503. 0 is half of Go's memory limit, which is 90 percent of that of the container; where there is none, 512 MiB."`
	CompanyPercent int           `config:"company_percent" doc:"Percentage of max_in_flight and of max_memory that one company gets at the most, so that others are served while it floods the service; as many more of its requests may wait. Callers without a token count as one company, the verified notifications of a company as another one."`
}

func defaultOverload() OverloadSettings {
	return OverloadSettings{MaxInFlight: 256, MaxWait: 250 * time.Millisecond, CompanyPercent: 75}
}

func (s OverloadSettings) validate() error {
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
