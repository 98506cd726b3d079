package web

import (
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/platform/config"
)

// StreamSettings are about answers and bodies that take their time.
type StreamSettings struct {
	MaxOpen       int           `config:"max_open" doc:"Streams that may be open at a time: exports, downloads, uploads and live events. One more is answered 503. Each process counts by itself. They do not count for overload."`
	MaxPerCompany int           `config:"max_per_company" doc:"Streams of one company that may be open at a time. One more is answered 429. Callers without a token count as one company."`
	MaxDuration   time.Duration `config:"max_duration" doc:"Time after which a stream ends. Clients of events connect again by themselves."`
	WriteTimeout  time.Duration `config:"write_timeout" doc:"Time in which a client must take each 32 KiB. One that does not is cut off."`
	StopGrace     time.Duration `config:"stop_grace" doc:"Time that streams get to finish when the service stops, within web.shutdown_grace. Events end at once."`
	Recheck       time.Duration `config:"recheck" doc:"How often it is looked up whether the caller may still have the stream."`
	Heartbeat     time.Duration `config:"heartbeat" doc:"Time after which a stream without events sends a comment, so that nobody takes the connection for dead."`
	EventBuffer   int           `config:"event_buffer" doc:"Events that wait for a client that is slow. With one more, its stream ends."`
	MinUploadRate config.Size   `config:"min_upload_rate" doc:"Bytes a second that must arrive of an upload, on the average and after the first web.read_timeout."`
}

func defaultStreams() StreamSettings {
	return StreamSettings{
		MaxOpen: 4000, MaxPerCompany: 1000, MaxDuration: time.Hour, WriteTimeout: 30 * time.Second,
		StopGrace: 5 * time.Second, Recheck: 15 * time.Second, Heartbeat: 15 * time.Second,
		EventBuffer: 256, MinUploadRate: config.KiB,
	}
}

func (s StreamSettings) validate() error {
	var problems []error
	if s.MaxOpen < 1 || s.MaxPerCompany < 1 || s.EventBuffer < 1 {
		problems = append(problems, errors.New("streams: want numbers above zero for max_open, max_per_company and event_buffer"))
	}
	if s.StopGrace < 0 {
		problems = append(problems, errors.New("streams.stop_grace: want a time, such as 5s, or 0"))
	}

	return errors.Join(append(
		problems,
		positive("streams.max_duration", s.MaxDuration),
		positive("streams.write_timeout", s.WriteTimeout),
		positive("streams.recheck", s.Recheck),
		positive("streams.heartbeat", s.Heartbeat),
		atLeast("streams.min_upload_rate", int64(s.MinUploadRate), 1),
	)...)
}
