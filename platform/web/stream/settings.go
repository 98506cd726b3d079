package stream

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/dispatchd/dispatchd/platform/config"
)

// Settings are about answers and bodies that take their time.
type Settings struct {
	MaxOpen       int           `config:"max_open" doc:"Streams that may be open at a time: exports, downloads, uploads and live events. Further ones are answered 503. Each process counts separately. Streams do not count towards overload."`
	MaxPerCompany int           `config:"max_per_company" doc:"Streams of one company that may be open at a time. Further ones are answered 429. Callers without a token count as one company."`
	MaxDuration   time.Duration `config:"max_duration" doc:"How long a stream may last. Clients of live events reconnect by themselves."`
	WriteTimeout  time.Duration `config:"write_timeout" doc:"How long a client may take to read each 32 KiB before it is disconnected."`
	StopGrace     time.Duration `config:"stop_grace" doc:"How long streams may take to finish when the service stops, within web.shutdown_grace. Live events end at once."`
	Recheck       time.Duration `config:"recheck" doc:"How often to check that the caller may still read the stream."`
	Heartbeat     time.Duration `config:"heartbeat" doc:"How long a stream may be silent before it sends a comment to keep the connection open."`
	EventBuffer   int           `config:"event_buffer" doc:"Events that may wait for a slow client. With one more, its stream ends."`
	MinUploadRate config.Size   `config:"min_upload_rate" doc:"Minimum average bytes a second of an upload, after the first web.read_timeout."`
}

// Defaults returns the settings of a service that nobody configured.
func Defaults() Settings {
	return Settings{
		MaxOpen: 4000, MaxPerCompany: 1000, MaxDuration: time.Hour, WriteTimeout: 30 * time.Second,
		StopGrace: 5 * time.Second, Recheck: 15 * time.Second, Heartbeat: 15 * time.Second,
		EventBuffer: 256, MinUploadRate: config.KiB,
	}
}

// Check reports every setting that cannot work.
func (s Settings) Check() error {
	var problems []error
	if s.MaxOpen < 1 || s.MaxPerCompany < 1 || s.EventBuffer < 1 {
		problems = append(problems, errors.New("streams: want numbers above zero for max_open, max_per_company and event_buffer"))
	}
	if s.StopGrace < 0 {
		problems = append(problems, errors.New("streams.stop_grace: want a time, such as 5s, or 0"))
	}

	for key, value := range s.times() {
		if value <= 0 {
			problems = append(problems, fmt.Errorf("streams.%s: want a time above zero, such as 30s", key))
		}
	}
	if s.MinUploadRate < 1 {
		problems = append(problems, errors.New("streams.min_upload_rate: want at least 1 bytes"))
	}

	return errors.Join(problems...)
}

// times are the settings that must be above zero, by their keys.
func (s Settings) times() iter.Seq2[string, time.Duration] {
	return func(yield func(string, time.Duration) bool) {
		_ = yield("max_duration", s.MaxDuration) && yield("write_timeout", s.WriteTimeout) &&
			yield("recheck", s.Recheck) && yield("heartbeat", s.Heartbeat)
	}
}
