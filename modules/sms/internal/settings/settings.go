// Package settings has the keys under modules.sms.
package settings

import (
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/telnyx"
	"github.com/dispatchd/dispatchd/modules/sms/internal/twilio"
)

// Settings are the keys under modules.sms.
type Settings struct {
	MaxBody        int           `config:"max_body" doc:"Maximum length of a message in characters. A provider may allow less."`
	MaxBulk        int           `config:"max_bulk" doc:"Maximum number of messages in a bulk request."`
	MaxAhead       time.Duration `config:"max_ahead" doc:"How far ahead a message can be scheduled."`
	SendTimeout    time.Duration `config:"send_timeout" doc:"How long a provider may take to answer. After that, the outcome of the message is unknown."`
	MaxAttempts    int           `config:"max_attempts" doc:"Maximum attempts to send a message that the provider does not accept, such as for a rate limit."`
	PerMinute      int           `config:"per_minute" doc:"How many messages a new number may send in a minute; 0 is no limit. Each number can have its own rate."`
	Burst          int           `config:"burst" doc:"How many messages an idle number may send at once."`
	KeepBodies     time.Duration `config:"keep_bodies" doc:"How long texts and media links of messages are kept; 0 is forever. Other data of a message stays."`
	BadFor         time.Duration `config:"bad_for" doc:"How long to suppress a number that a provider reported as undeliverable; 0 disables it. A request can override it."`
	StatusWait     time.Duration `config:"status_wait" doc:"How long a notification waits for its message or number to be stored before it is ignored."`
	AskStatusAfter time.Duration `config:"ask_status_after" doc:"How long to wait for a status before asking the provider about an accepted message, and between repeats; 0 is never."`
	AskStatusFor   time.Duration `config:"ask_status_for" doc:"How long after its creation the status of a message is polled. Some carriers never report one."`
	FetchMissedFor time.Duration `config:"fetch_missed_for" doc:"How far back to fetch missed inbound messages from the provider, at each start and every 15 minutes; 0 is never. Telnyx keeps them for 10 days."`
	AskAgainFor    time.Duration `config:"ask_again_for" doc:"How long to ask a provider about a message with an unknown outcome before a person has to decide."`

	Twilio twilio.Settings `config:"twilio" doc:"Twilio's API."`
	Telnyx telnyx.Settings `config:"telnyx" doc:"Telnyx's API."`
}

// Defaults are the settings where nothing is configured.
func Defaults() Settings {
	return Settings{
		MaxBody: 1600, MaxBulk: 500, MaxAhead: 366 * 24 * time.Hour, SendTimeout: 20 * time.Second, MaxAttempts: 8,
		PerMinute: 60, Burst: 10, BadFor: 30 * 24 * time.Hour, StatusWait: 10 * time.Minute,
		FetchMissedFor: 72 * time.Hour, AskAgainFor: time.Hour, AskStatusAfter: time.Hour, AskStatusFor: 24 * time.Hour,
		Twilio: twilio.Defaults(), Telnyx: telnyx.Defaults(),
	}
}

// Validate reports every setting that cannot work.
func (s Settings) Validate() error {
	var problems []error
	want := func(fine bool, text string) {
		if !fine {
			problems = append(problems, errors.New(text))
		}
	}
	want(s.MaxBody >= 1 && s.MaxBody <= 10000, "max_body: want 1 to 10000")
	want(s.MaxBulk >= 1 && s.MaxBulk <= 500, "max_bulk: want 1 to 500")
	want(s.MaxAhead > 0, "max_ahead: want more than 0s")
	want(s.SendTimeout >= time.Millisecond && s.SendTimeout <= 45*time.Second, "send_timeout: want 1ms to 45s")
	want(s.MaxAttempts >= 1 && s.MaxAttempts <= 50, "max_attempts: want 1 to 50")
	want(s.PerMinute >= 0 && s.PerMinute <= maxPerMinute, "per_minute: want 0 to 60000")
	want(s.Burst >= 1, "burst: want 1 or more")
	want(s.KeepBodies >= 0, "keep_bodies: want 0s or more")
	want(s.BadFor >= 0, "bad_for: want 0s or more")
	want(s.StatusWait >= 0 && s.StatusWait <= 24*time.Hour, "status_wait: want 0s to 24h")
	want(s.AskStatusAfter == 0 || s.AskStatusAfter >= time.Minute, "ask_status_after: want 0s, or 1m or more")
	want(s.AskStatusFor >= 0, "ask_status_for: want 0s or more")
	want(s.FetchMissedFor >= 0 && s.FetchMissedFor <= 10*24*time.Hour, "fetch_missed_for: want 0s to 240h")
	want(s.AskAgainFor >= time.Second, "ask_again_for: want 1s or more")

	return errors.Join(problems...)
}

// maxPerMinute is the most that a number may send in a minute, if it is limited at all.
const maxPerMinute = 60000
