// Package settings has the keys under modules.esign.
package settings

import (
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/esign/internal/docusign"
	"github.com/dispatchd/dispatchd/platform/config"
)

// Settings are the keys under modules.esign.
type Settings struct {
	CallTimeout time.Duration `config:"call_timeout" doc:"How long a provider may take to answer. After it nobody knows what it did."`
	MaxNotice   config.Size   `config:"max_notice" doc:"Largest notification. Those with documents in them can be larger than 25 MB."`

	MaxAttempts   int           `config:"max_attempts" doc:"How often an envelope is handed over that the provider says it did not take. Rate limits do not count."`
	AskAgainFor   time.Duration `config:"ask_again_for" doc:"How long a provider is asked about an envelope of which nobody knows whether it took it, before a person has to decide."`
	MaxFiles      config.Size   `config:"max_files" doc:"How many bytes the attachments of an envelope may have together. Providers take about 35 MB, and need a third more than the files have."`
	MaxDocument   config.Size   `config:"max_document" doc:"Largest signed document, and certificate, that is fetched and kept. It is in memory meanwhile."`
	DocumentTypes []string      `config:"document_types" doc:"Media types of attachments that can be signed."`

	TokenLife        time.Duration `config:"token_life" doc:"How long a token is good that a provider gets for its notifications."`
	KeepStrays       time.Duration `config:"keep_strays" doc:"How long notifications are kept that are about an envelope which is not known."`
	ReconcileOverlap time.Duration `config:"reconcile_overlap" doc:"How far back the daily question what has changed goes beyond the last one."`

	DocuSign docusign.Settings `config:"docusign" doc:"Where DocuSign is, and how it tells us what happens."`
}

// Defaults returns the settings of a deployment that sets none.
func Defaults() Settings {
	return Settings{
		CallTimeout: 30 * time.Second, MaxNotice: 32 * config.MiB,
		MaxAttempts: 8, AskAgainFor: time.Hour, MaxFiles: 25 * config.MiB, MaxDocument: 64 * config.MiB,
		DocumentTypes: []string{
			"application/pdf", "application/msword", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
			"application/vnd.ms-excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
			"application/vnd.ms-powerpoint", "application/vnd.openxmlformats-officedocument.presentationml.presentation",
			"application/rtf", "text/rtf", "text/plain", "image/png", "image/jpeg",
		},
		TokenLife: time.Hour, KeepStrays: 30 * 24 * time.Hour, ReconcileOverlap: time.Hour,
		DocuSign: docusign.Defaults(),
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
	want(s.CallTimeout >= time.Millisecond && s.CallTimeout <= 100*time.Second, "call_timeout: want 1ms to 100s")
	want(s.MaxNotice >= config.MiB && s.MaxNotice <= 256*config.MiB, "max_notice: want 1MiB to 256MiB")
	want(s.MaxAttempts >= 1 && s.MaxAttempts <= 50, "max_attempts: want 1 to 50")
	want(s.AskAgainFor >= time.Second, "ask_again_for: want 1s or more")
	want(s.MaxFiles >= config.MiB && s.MaxFiles <= 256*config.MiB, "max_files: want 1MiB to 256MiB")
	want(s.MaxDocument >= config.MiB && s.MaxDocument <= 256*config.MiB, "max_document: want 1MiB to 256MiB")
	want(len(s.DocumentTypes) > 0, "document_types: want one or more")
	want(s.TokenLife >= time.Minute && s.TokenLife <= 24*time.Hour, "token_life: want 1m to 24h")
	want(s.KeepStrays >= time.Hour, "keep_strays: want 1h or more")
	want(s.ReconcileOverlap >= 0 && s.ReconcileOverlap <= 30*24*time.Hour, "reconcile_overlap: want 0s to 720h")

	return errors.Join(append(problems, s.DocuSign.Validate())...)
}
