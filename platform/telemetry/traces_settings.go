package telemetry

import (
	"errors"
	"math"
	"net/url"
	"strings"

	"github.com/dispatchd/dispatchd/platform/config"
)

// TraceSettings are the keys of the section "traces".
type TraceSettings struct {
	Endpoint string        `config:"endpoint" doc:"Base URL of the OpenTelemetry collector that receives traces by OTLP over HTTP, such as http://localhost:4318. Empty is off."`
	Headers  config.Secret `config:"headers" doc:"Headers for the collector as name=value, separated by commas, such as 'authorization=Bearer abc'."`
	Service  string        `config:"service" doc:"The name of this service in traces."`
	Sample   float64       `config:"sample" doc:"The share of traces that is recorded, from 0 to 1."`
}

// TraceDefaults are no traces.
func TraceDefaults() TraceSettings { return TraceSettings{Service: "dispatchd", Sample: 1} }

// Validate implements the check that config runs. It quotes no URL: it might hold a password.
func (s TraceSettings) Validate() error {
	var problems []error
	if s.Endpoint != "" {
		to, err := url.Parse(s.Endpoint)
		if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" || to.User != nil || to.RawQuery != "" {
			problems = append(problems, errors.New("endpoint: want the URL of a collector, such as http://localhost:4318; passwords go into headers"))
		}
	}
	if _, ok := s.headers(); !ok {
		problems = append(problems, errors.New("headers: want name=value, with commas between them"))
	}
	if s.Service == "" {
		problems = append(problems, errors.New("service: want a name"))
	}
	if s.Sample < 0 || s.Sample > 1 || math.IsNaN(s.Sample) {
		problems = append(problems, errors.New("sample: want a number from 0 to 1"))
	}

	return errors.Join(problems...)
}

// headers returns the headers by name, and whether they can be read.
func (s TraceSettings) headers() (map[string]string, bool) {
	all := map[string]string{}
	if s.Headers == "" || s.Headers.Mounted() {
		return all, true
	}
	for pair := range strings.SplitSeq(s.Headers.Reveal(), ",") {
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			return nil, false
		}
		all[name] = strings.TrimSpace(value)
	}

	return all, true
}
