package company

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Routes are the operations on the company's settings.
func Routes(r *web.Router, s *Profile) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/settings", ID: "read_settings", Access: web.Read, Summary: "Read the company's message settings",
		Errors: []*errs.Error{store.ErrInvalid},
	}, s.getSettings)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/settings", ID: "update_settings", Access: web.Write, Summary: "Change the company's message settings",
		Errors: []*errs.Error{store.ErrInvalid},
	}, s.patchSettings)
}

// settingsBody is the company's settings as the API shows them.
type settingsBody struct {
	Region      string   `json:"region" doc:"Region for numbers in national format, ISO 3166-1 alpha-2."`
	QuietFrom   *string  `json:"quiet_from" doc:"Start of quiet hours in the recipient's local time; null for none." example:"21:00"`
	QuietTo     *string  `json:"quiet_to" example:"08:00"`
	QuietPolicy string   `json:"quiet_policy" enum:"defer,refuse" doc:"Whether a message in quiet hours waits for their end or is refused."`
	AutoReplies bool     `json:"auto_replies" doc:"Whether to reply to STOP, START and HELP, if the provider does not."`
	StopText    string   `json:"stop_text"`
	StartText   string   `json:"start_text"`
	HelpText    string   `json:"help_text"`
	StopWords   []string `json:"stop_words" nullable:"false" doc:"Further words that opt a sender out when sent as the whole message, in addition to STOP and its built-in translations."`
	Version     int64    `json:"version" doc:"Increases with every change; also the ETag. 0 if nothing has been set."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (settingsBody) SchemaName() string { return "SmsSettings" }

func settingsResource(p store.Preferences, err error) (*web.Resource[settingsBody], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(newSettingsBody(p), p.Version, store.BasePath+"/settings"), nil
}

func newSettingsBody(p store.Preferences) settingsBody {
	return settingsBody{
		Region: p.Region, QuietFrom: web.Optional(p.QuietFrom), QuietTo: web.Optional(p.QuietTo), QuietPolicy: p.QuietPolicy, AutoReplies: p.AutoReplies,
		StopText: p.StopText, StartText: p.StartText, HelpText: p.HelpText, StopWords: p.StopWords, Version: p.Version,
	}
}

func (s *Profile) getSettings(ctx context.Context, _ *struct{}) (*web.Resource[settingsBody], error) {
	return settingsResource(s.store.Preferences(ctx))
}

type patchSettingsInput struct {
	web.IfMatch

	Body struct {
		Region      *string          `json:"region,omitempty" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters, such as US"`
		QuietFrom   web.Sent[string] `json:"quiet_from,omitzero"`
		QuietTo     web.Sent[string] `json:"quiet_to,omitzero"`
		QuietPolicy *string          `json:"quiet_policy,omitempty" enum:"defer,refuse"`
		AutoReplies *bool            `json:"auto_replies,omitempty"`
		StopText    *string          `json:"stop_text,omitempty" maxLength:"300"`
		StartText   *string          `json:"start_text,omitempty" maxLength:"300"`
		HelpText    *string          `json:"help_text,omitempty" maxLength:"300"`
		StopWords   *[]string        `json:"stop_words,omitempty" maxItems:"50"`
	}
}

func (s *Profile) patchSettings(ctx context.Context, in *patchSettingsInput) (*web.Resource[settingsBody], error) {
	return settingsResource(s.update(ctx, in.IfMatch, func(p *store.Preferences) error {
		b := in.Body
		for _, change := range []struct{ from, to *string }{
			{b.Region, &p.Region}, {b.QuietPolicy, &p.QuietPolicy}, {b.StopText, &p.StopText}, {b.StartText, &p.StartText}, {b.HelpText, &p.HelpText},
		} {
			if change.from != nil {
				*change.to = *change.from
			}
		}
		if b.AutoReplies != nil {
			p.AutoReplies = *b.AutoReplies
		}
		if b.StopWords != nil {
			p.StopWords = *b.StopWords
		}
		p.QuietFrom, p.QuietTo = b.QuietFrom.ValueOr(p.QuietFrom), b.QuietTo.ValueOr(p.QuietTo)

		return p.Validate()
	}))
}
