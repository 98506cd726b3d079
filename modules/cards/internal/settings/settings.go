// Package settings has the keys under modules.cards.
package settings

import (
	"errors"
	"time"
)

// Settings are the keys under modules.cards.
type Settings struct {
	CallTimeout  time.Duration `config:"call_timeout" doc:"How long a vendor may take to answer. After that, the outcome of the call is unknown."`
	MaxAttempts  int           `config:"max_attempts" doc:"Maximum calls for a payment, refund or card that the vendor does not take for the moment, such as for a rate limit."`
	AskFor       time.Duration `config:"ask_for" doc:"How long a vendor is asked about a call with an unknown outcome. After that, a person has to decide."`
	PollAfter    time.Duration `config:"poll_after" doc:"How long to wait for a notification about a payment or refund in progress before the vendor is asked, and between repeats; 0 is never."`
	PayoutsFor   time.Duration `config:"payouts_for" doc:"How far back payouts are fetched from a new account."`
	MaxReconcile int           `config:"max_reconcile" doc:"Maximum number of payments in the window of a reconciliation."`
}

// Defaults are the settings where nothing is configured.
func Defaults() Settings {
	return Settings{
		CallTimeout: 20 * time.Second, MaxAttempts: 5, AskFor: time.Hour, PollAfter: time.Hour, PayoutsFor: 30 * 24 * time.Hour, MaxReconcile: 5000,
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
	want(s.CallTimeout >= time.Millisecond && s.CallTimeout <= 45*time.Second, "call_timeout: want 1ms to 45s")
	want(s.MaxAttempts >= 1 && s.MaxAttempts <= 50, "max_attempts: want 1 to 50")
	want(s.AskFor >= time.Second, "ask_for: want 1s or more")
	want(s.PollAfter == 0 || s.PollAfter >= time.Minute, "poll_after: want 0s, or 1m or more")
	want(s.PayoutsFor >= 0 && s.PayoutsFor <= 366*24*time.Hour, "payouts_for: want 0s to 8784h")
	want(s.MaxReconcile >= 1 && s.MaxReconcile <= 50000, "max_reconcile: want 1 to 50000")

	return errors.Join(problems...)
}
