package sms

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func optOutRoutes(r *web.Router, s *receiver) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/opt_outs", ID: "list_opt_outs", Access: web.Read, Summary: "List the numbers that have opted out",
		Description: optOutSchema().Describe(), Errors: list.Errors(),
	}, list.Serve(optOutSchema(), s.optOuts, showOptOut))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/opt_outs", ID: "create_opt_out", Access: web.Write, Summary: "Opt a number out",
		Description: "For somebody who has asked for it elsewhere. Messages to it that wait are not sent.",
		Errors:      []*errs.Error{phone.ErrNotANumber, phone.ErrShortCode},
	}, s.postOptOut)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/opt_outs/{uuid}/remove", ID: "remove_opt_out", Access: web.Write, Summary: "Take a number from the list",
		Description: "For somebody who has consented elsewhere; the reason says how, and stays in the log of consents.",
		Errors:      []*errs.Error{errOptOut},
	}, s.postRemove)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/messages/{uuid}/review_opt_out", ID: "review_opt_out", Access: web.Write,
		Summary:     "Decide whether a message is an opt-out",
		Description: "For messages whose opt_out_review is pending. With opt_out, the sender is opted out, and all of the sender's messages that wait for a review are settled.",
		Errors:      []*errs.Error{errNotFound, errNotSuspected},
	}, s.postReview)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/consents", ID: "list_consents", Access: web.Read, Summary: "List who has opted out and in, when and how",
		Description: consentSchema().Describe(), Errors: list.Errors(),
	}, list.Serve(consentSchema(), s.consents, showConsent))
}

// optOutBody is an opt-out as the API shows it.
type optOutBody struct {
	UUID       uuid.UUID  `json:"uuid"`
	Number     string     `json:"number"`
	OptedOutAt *time.Time `json:"opted_out_at"`
	Source     string     `json:"source" enum:"keyword,provider,manual"`
	Keyword    *string    `json:"keyword"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (optOutBody) SchemaName() string { return "SmsOptOut" }

func showOptOut(row contact) optOutBody {
	return optOutBody{UUID: row.ID, Number: row.Number, OptedOutAt: row.OptedOutAt, Source: row.Source, Keyword: web.Optional(row.Keyword)}
}

// consentBody is a line of the log of consents.
type consentBody struct {
	UUID        uuid.UUID  `json:"uuid"`
	Number      string     `json:"number"`
	Action      string     `json:"action" enum:"opt_out,opt_in"`
	Source      string     `json:"source" enum:"keyword,provider,manual"`
	Keyword     *string    `json:"keyword"`
	Reason      *string    `json:"reason"`
	MessageUUID *uuid.UUID `json:"message_uuid"`
	UserUUID    *uuid.UUID `json:"user_uuid"`
	CreatedAt   time.Time  `json:"created_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (consentBody) SchemaName() string { return "SmsConsent" }

func showConsent(row consent) consentBody {
	return consentBody{
		UUID: row.ID, Number: row.Number, Action: row.Action, Source: row.Source, Keyword: web.Optional(row.Keyword), Reason: web.Optional(row.Reason),
		MessageUUID: row.MessageID, UserUUID: row.UserID, CreatedAt: row.CreatedAt,
	}
}

type optOutInput struct {
	Body struct {
		Number string `json:"number" maxLength:"100"`
		Reason string `json:"reason,omitempty" maxLength:"500" doc:"How it was asked for."`
	}
}

type optOutOutput struct{ Body optOutBody }

func (s *receiver) postOptOut(ctx context.Context, in *optOutInput) (*optOutOutput, error) {
	row, err := s.optOutByHand(ctx, in.Body.Number, in.Body.Reason)
	if err != nil {
		return nil, err
	}

	return &optOutOutput{Body: showOptOut(row)}, nil
}

type reviewInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		OptOut bool `json:"opt_out" doc:"Whether the sender wants no more messages."`
	}
}

func (s *receiver) postReview(ctx context.Context, in *reviewInput) (*web.Resource[messageBody], error) {
	row, err := s.review(ctx, in.UUID, in.Body.OptOut)
	if err != nil {
		return nil, err
	}

	return messageResource(row), nil
}

type removeInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" minLength:"3" maxLength:"500" doc:"How the owner of the number has consented."`
	}
}

func (s *receiver) postRemove(ctx context.Context, in *removeInput) (*struct{}, error) {
	return nil, s.optInByHand(ctx, in.UUID, in.Body.Reason)
}
