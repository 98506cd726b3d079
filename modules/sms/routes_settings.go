package sms

import (
	"context"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/modules/sms/internal/optout"
	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

func settingRoutes(r *web.Router, s *numbers) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/settings", ID: "read_settings", Access: web.Read, Summary: "Read how the company wants its messages",
		Errors: []*errs.Error{errInvalid},
	}, s.getSettings)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/settings", ID: "update_settings", Access: web.Write, Summary: "Change how the company wants its messages",
		Errors: []*errs.Error{errInvalid},
	}, s.patchSettings)
}

// settingsBody is the company's settings as the API shows them.
type settingsBody struct {
	Region      string   `json:"region" doc:"Whose national form of numbers is understood, ISO 3166-1 alpha-2."`
	QuietFrom   *string  `json:"quiet_from" doc:"When quiet hours begin, by the recipient's clock; null for none." example:"21:00"`
	QuietTo     *string  `json:"quiet_to" example:"08:00"`
	QuietPolicy string   `json:"quiet_policy" enum:"defer,refuse" doc:"What becomes of a message in quiet hours: it waits for their end, or is refused."`
	AutoReplies bool     `json:"auto_replies" doc:"Whether STOP, START and HELP are answered, where the provider does not do that."`
	StopText    string   `json:"stop_text"`
	StartText   string   `json:"start_text"`
	HelpText    string   `json:"help_text"`
	StopWords   []string `json:"stop_words" nullable:"false" doc:"What opts a sender out as a whole message, beside STOP and the words of other languages that are known anyway."`
	Version     int64    `json:"version" doc:"Grows with every change; the ETag. 0 if nothing was set yet."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (settingsBody) SchemaName() string { return "SmsSettings" }

func settingsResource(p preferences, err error) (*web.Resource[settingsBody], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(settingsBody{
		Region: p.Region, QuietFrom: web.Optional(p.QuietFrom), QuietTo: web.Optional(p.QuietTo), QuietPolicy: p.QuietPolicy, AutoReplies: p.AutoReplies,
		StopText: p.StopText, StartText: p.StartText, HelpText: p.HelpText, StopWords: p.StopWords, Version: p.Version,
	}, p.Version, base+"/settings"), nil
}

func (s *numbers) getSettings(ctx context.Context, _ *struct{}) (*web.Resource[settingsBody], error) {
	return settingsResource(s.preferences(ctx))
}

type patchSettingsInput struct {
	web.IfMatch

	Body struct {
		Region      *string          `json:"region,omitempty" pattern:"^[A-Z]{2}$"`
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

func (s *numbers) patchSettings(ctx context.Context, in *patchSettingsInput) (*web.Resource[settingsBody], error) {
	return settingsResource(s.setting(ctx, in.IfMatch, func(p *preferences) error {
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
		p.QuietFrom, p.QuietTo = b.QuietFrom.Or(p.QuietFrom), b.QuietTo.Or(p.QuietTo)

		return p.accept()
	}))
}

// accept refuses settings that make no sense.
func (p preferences) accept() error {
	if !phone.IsRegion(p.Region) {
		return errInvalid.WithField("region", "There is no such region.")
	}
	if (p.QuietFrom == "") != (p.QuietTo == "") {
		return errInvalid.WithField("quiet_to", "The quiet_from and the quiet_to come together.")
	}
	for field, text := range map[string]string{"quiet_from": p.QuietFrom, "quiet_to": p.QuietTo} {
		if text != "" && !clockTime.MatchString(text) {
			return errInvalid.WithField(field, "The "+field+" must be a time of day, such as 21:00.")
		}
	}
	if p.QuietFrom != "" && p.QuietFrom == p.QuietTo {
		return errInvalid.WithField("quiet_to", "The quiet_to must differ from the quiet_from. For no quiet hours, set both to null.")
	}

	return p.acceptWords()
}

// acceptWords refuses words of the company's own that say nothing, or something else already.
func (p preferences) acceptWords() error {
	refusal := *errInvalid
	wrong := &refusal
	for i, word := range p.StopWords {
		switch says := optout.Read(word, nil); {
		case utf8.RuneCountInString(word) > 100:
			wrong = wrong.WithField(fmt.Sprintf("stop_words.%d", i), "A stop word must have at most 100 characters.")
		case optout.Normalize(word) == "":
			wrong = wrong.WithField(fmt.Sprintf("stop_words.%d", i), "A stop word must have letters or digits.")
		case says == optout.Start || says == optout.Help:
			wrong = wrong.WithField(fmt.Sprintf("stop_words.%d", i), fmt.Sprintf("The stop word %q already means %s.", word, says))
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}
