package store

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/template"
)

// Template is a row of sms_templates.
type Template struct {
	resource.Row

	Name string `json:"name" field:"required,min=1,max=100,unique,sort,search,title" example:"Pickup"`
	Body string `json:"body" field:"required,min=1,max=5000,verbatim,nofilter" example:"Pickup on {{ day }}"`
}

// TableName implements GORM's naming.
func (Template) TableName() string { return "sms_templates" }

// SchemaName is the name of the body in the OpenAPI document.
func (Template) SchemaName() string { return "SmsTemplate" }

// TemplateRules are the rules of the resource of templates.
func TemplateRules() resource.Rules[Template] {
	return resource.Rules[Template]{
		Item: "sms.template", Sort: []string{"name"}, About: "Liquid, without loops and assignments.", Check: checkTemplate,
		Failures:    resource.Failures{NotFound: ErrTemplate, Invalid: ErrInvalid, Taken: ErrNameTaken},
		KeepDeleted: true, // messages name their templates
	}
}

// checkTemplate refuses a template that could not be sent.
func checkTemplate(_ context.Context, row *Template) error {
	if wrong, ok := errors.AsType[*template.Error](template.Check(row.Body)); ok {
		return ErrInvalid.WithField("body", wrong.Problem)
	}

	return nil
}
