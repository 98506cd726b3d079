package schemas

import (
	"github.com/danielgtaylor/huma/v2"
)

// Errors are the documented interface's schemas of errors. Error has what every error has;
// each answer refers to the schema that is named after it, all others to ErrorResponse. ErrorBody
// is what an unknown route answers.
func Errors() map[string]*huma.Schema {
	text := func(about string, examples ...any) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Description: about, Examples: examples}
	}
	more := func(about string, properties map[string]*huma.Schema, required ...string) *huma.Schema {
		return &huma.Schema{Description: about, AllOf: []*huma.Schema{
			{Ref: Prefix + "Error"},
			{Type: huma.TypeObject, Properties: properties, Required: required},
		}}
	}
	same := func(name, about string) *huma.Schema {
		return &huma.Schema{Description: about, AllOf: []*huma.Schema{{Ref: Prefix + name}}}
	}
	entry := &huma.Schema{Type: huma.TypeObject, Required: []string{"file", "line", "function"}, Properties: map[string]*huma.Schema{
		"file": text("Source file."), "line": {Type: huma.TypeInteger}, "function": text("Function or method."),
		"class": text("Type of the method; a plain function has none."), "type": text("-> for a method; a plain function has none."),
	}}

	return map[string]*huma.Schema{
		"Error": {Type: huma.TypeObject, Required: []string{"message", "code"}, Properties: map[string]*huma.Schema{
			"message":    text("For people: what is wrong and what to do.", "The token is not valid."),
			"code":       text("For programs. Codes do not change.", "tokens.invalid"),
			"details":    {Type: huma.TypeObject, Description: "Further details for programs.", AdditionalProperties: true},
			"request_id": text("The X-Request-Id of the answer; it finds the request in the service's log."),
		}},
		"ErrorBody": more("The answer for an unknown route. The keys beyond those of Error are only present if web.debug is on.", map[string]*huma.Schema{
			"exception": text("Class of the error."), "file": text("Source file."), "line": {Type: huma.TypeInteger},
			"trace": {Type: huma.TypeArray, Items: entry},
		}),
		"ErrorResponse": same("Error", "Every other error."),
		"NotFound":      same("ErrorBody", "It does not exist, or belongs to another company."),
		"Unauthorized":  same("Error", "The request has no valid token."),
		"Forbidden":     same("Error", "The token lacks the required scope."),
		"ValidationError": more("The request is well-formed but not valid.", map[string]*huma.Schema{
			"errors": {
				Type: huma.TypeObject, Description: "Messages by field, such as payload.vin, or by parameter; empty if the error concerns no field.",
				AdditionalProperties: &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}},
			},
		}, "errors"),
	}
}
