package composing

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/messages"
	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/segment"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/template"
)

type bulkInput struct {
	Body struct {
		Items  []draftBody `json:"items" minItems:"1" maxItems:"500" nullable:"false"`
		Atomic *bool       `json:"atomic,omitempty" doc:"Whether all messages are sent or none; by default true."`
	}
}

type bulkOutput struct{ Body bulkBody }

// bulkBody has a result for each message, in their order.
type bulkBody struct {
	Data []bulkResult `json:"data" nullable:"false"`
	Meta struct {
		Succeeded int `json:"succeeded"`
		Failed    int `json:"failed"`
	} `json:"meta"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (bulkBody) SchemaName() string { return "SmsBulkAnswer" }

type bulkResult struct {
	OK      bool                  `json:"ok"`
	Message *messages.MessageBody `json:"message,omitempty"`
	Error   *bulkError            `json:"error,omitempty"`
}

// bulkError is why a message was refused, in the words in which sending one answers.
type bulkError struct {
	Message string              `json:"message"`
	Code    string              `json:"code"`
	Errors  map[string][]string `json:"errors,omitempty"`
	Details map[string]any      `json:"details,omitempty"`
}

func (s *Handlers) postBulk(ctx context.Context, in *bulkInput) (*bulkOutput, error) {
	if len(in.Body.Items) > s.maxBulk {
		return nil, store.ErrInvalid.WithField("items", fmt.Sprintf("The items must be at most %d.", s.maxBulk))
	}
	drafts := make([]Draft, len(in.Body.Items))
	for i, b := range in.Body.Items {
		drafts[i] = b.draft()
	}
	atomic := in.Body.Atomic == nil || *in.Body.Atomic
	outcomes, err := s.outgoing.bulk(ctx, drafts, atomic)
	if err != nil {
		return nil, err
	}
	if last := outcomes[len(outcomes)-1]; atomic && last.err != nil {
		return nil, refusalAt(last.err, len(outcomes)-1)
	}
	out := &bulkOutput{Body: bulkBody{Data: make([]bulkResult, 0, len(outcomes))}}
	for _, o := range outcomes {
		if refusal, refused := errors.AsType[*errs.Error](o.err); refused {
			out.Body.Meta.Failed++
			out.Body.Data = append(out.Body.Data, bulkResult{Error: &bulkError{
				Message: refusal.Message, Code: refusal.Code, Errors: refusal.Fields, Details: refusal.Details,
			}})

			continue
		}
		shown := messages.NewMessageBody(s.vendors, o.row)
		out.Body.Meta.Succeeded++
		out.Body.Data = append(out.Body.Data, bulkResult{OK: true, Message: &shown})
	}

	return out, nil
}

// refusalAt says which message of a request was refused.
func refusalAt(err error, index int) error {
	refusal, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return err
	}
	fields := refusal.Fields
	refusal = refusal.WithDetail("index", index)
	refusal.Fields = nil
	for field, texts := range fields {
		for _, text := range texts {
			refusal = refusal.WithField(fmt.Sprintf("items.%d.%s", index, field), text)
		}
	}

	return refusal
}

type previewInput struct {
	Body struct {
		Body         string         `json:"body,omitempty" maxLength:"10000"`
		TemplateUUID uuid.UUID      `json:"template_uuid,omitzero"`
		Template     string         `json:"template,omitempty" maxLength:"5000" doc:"A template that is not stored."`
		Variables    map[string]any `json:"variables,omitempty" maxProperties:"100"`
		OwnerType    string         `json:"owner_type,omitempty" maxLength:"100"`
		OwnerUUID    uuid.UUID      `json:"owner_uuid,omitzero"`
		To           string         `json:"to,omitempty" maxLength:"100" doc:"The number is validated and shown as it would be used."`
		TollFree     bool           `json:"toll_free,omitempty" doc:"Count with the smaller segments of some toll-free routes: 152 and 66."`
	}
}

type previewOutput struct{ Body previewBody }

type previewBody struct {
	Text       string           `json:"text"`
	To         *string          `json:"to" doc:"E.164."`
	Characters int              `json:"characters"`
	Encoding   segment.Encoding `json:"encoding" enum:"GSM-7,UCS-2"`
	Segments   int              `json:"segments"`
	Units      int              `json:"units" doc:"Septets or UTF-16 units, depending on the encoding."`
	Left       int              `json:"left" doc:"Units left in the last segment."`
	Forcing    []string         `json:"forcing_characters" nullable:"false" doc:"Characters outside of GSM-7, for which the message is UCS-2."`
	Warnings   []string         `json:"warnings" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (previewBody) SchemaName() string { return "SmsPreview" }

func (s *Handlers) postPreview(ctx context.Context, in *previewInput) (*previewOutput, error) {
	b := in.Body
	d := Draft{Body: b.Body, TemplateUUID: b.TemplateUUID, Variables: b.Variables, Owner: item.Ref{Type: b.OwnerType, UUID: b.OwnerUUID}}
	if err := s.renderer.checkOwner(ctx, d.Owner); err != nil {
		return nil, err
	}
	text, err := s.previewed(ctx, d, b.Template)
	if err != nil {
		return nil, err
	}
	c := composed{text: text, count: segment.Of(text, b.TollFree)}
	out := &previewOutput{Body: previewBody{
		Text: text, Characters: len([]rune(text)), Encoding: c.count.Encoding, Segments: c.count.Segments, Units: c.count.Units,
		Left: c.count.Left, Forcing: c.count.Forcing, Warnings: c.warnings(),
	}}
	if out.Body.Forcing == nil {
		out.Body.Forcing = []string{}
	}
	if out.Body.Warnings == nil {
		out.Body.Warnings = []string{}
	}
	if b.To != "" {
		p, err := s.store.Preferences(ctx)
		if err != nil {
			return nil, err
		}
		to, err := phone.Recipient(b.To, p.Region)
		if err != nil {
			return nil, store.OnField(err, "to")
		}
		out.Body.To = &to
	}

	return out, nil
}

// previewed is the text of a draft, or of a template that is not stored.
func (s *Handlers) previewed(ctx context.Context, d Draft, source string) (string, error) {
	if source == "" {
		return s.renderer.renderBody(ctx, d)
	}
	if d.Body != "" || d.TemplateUUID != uuid.Nil {
		return "", store.ErrInvalid.WithField("template", "The template must not be given together with a body or a template_uuid.")
	}
	if wrong, ok := errors.AsType[*template.Error](template.Check(source)); ok {
		return "", store.ErrInvalid.WithField("template", wrong.Problem)
	}

	return s.renderer.renderTemplate(ctx, source, d.Variables, d.Owner)
}
