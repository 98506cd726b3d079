package sms

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/platform/resource"
	liquid "github.com/dispatchd/dispatchd/platform/template"
)

// template is a row of sms_templates.
type template struct {
	resource.Row

	Name string `json:"name" field:"required,min=1,max=100,unique,sort,search,title" example:"Pickup"`
	Body string `json:"body" field:"required,min=1,max=5000,verbatim,nofilter" example:"Pickup on {{ day }}"`
}

// TableName implements GORM's naming.
func (template) TableName() string { return "sms_templates" }

// SchemaName is the name of the body in the OpenAPI document.
func (template) SchemaName() string { return "SmsTemplate" }

func templateRules() resource.Rules[template] {
	return resource.Rules[template]{
		Item: "sms.template", Sort: []string{"name"}, About: "Liquid, without loops and assignments.", Check: checkTemplate,
		Failures:    resource.Failures{NotFound: errTemplate, Invalid: errInvalid, Taken: errTaken},
		KeepDeleted: true, // messages name their templates
	}
}

// checkTemplate refuses a template that could not be sent.
func checkTemplate(_ context.Context, row *template) error {
	if wrong, ok := errors.AsType[*liquid.Error](liquid.Check(row.Body)); ok {
		return errInvalid.WithField("body", wrong.Problem)
	}

	return nil
}
