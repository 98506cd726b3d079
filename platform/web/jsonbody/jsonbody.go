// Package jsonbody reads and writes the JSON of requests and answers: strictly, and what is wrong is said of each field in words of
// ours.
package jsonbody

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/web/httperror"
)

// Decode reads raw, the body of a request, into a pointer to a struct of the caller. It is for
// operations that take RawJSON, and as strict as the bodies that Huma reads: JSON that is no JSON,
// a key that is given twice, text that is not UTF-8 and anything after the value are errs.Malformed
// with line and column; unknown keys and values of the wrong type are errs.Invalid, all of them, by
// field. Keys match in their exact case. Whether a required key is there is checked only when
// something else is wrong: the zero value tells the caller.
func Decode(raw []byte, into any) error {
	if len(raw) == 0 {
		return httperror.ErrNoBody
	}
	err := unmarshalJSON(raw, into, json.RejectUnknownMembers(true))
	if err != nil || bytes.Contains(raw, []byte(escapedNull)) || string(bytes.TrimSpace(raw)) == "null" {
		return explainMismatch(raw, reflect.TypeOf(into), err)
	}

	return nil
}

// FieldSchema describes the values of a field of a struct as bodies have them, even if no API was made yet.
func FieldSchema(registry huma.Registry, f reflect.StructField) *huma.Schema {
	SetWords()

	return huma.SchemaFromField(registry, f, f.Name)
}

// PrecomputeMessages makes what is said of values that a schema does not allow, in our words even if no API was made yet.
func PrecomputeMessages(s *huma.Schema) {
	SetWords()
	s.PrecomputeMessages()
}

// SchemaFor describes bodies of a struct whose fields are no structs, for DecodeAs.
func SchemaFor[T any]() *huma.Schema {
	SetWords()
	s := huma.SchemaFromType(huma.NewMapRegistry("#/", huma.DefaultSchemaNamer), reflect.TypeFor[T]())
	s.PrecomputeMessages()

	return s
}

// DecodeAs is Decode of an object that the schema describes: what it does not allow is errs.Invalid, all of it, by
// field. The schema has no references, and went through PrecomputeMessages. Keys that the body does not have leave what is
// there.
func DecodeAs(raw []byte, schema *huma.Schema, into any) error {
	if len(raw) == 0 {
		return httperror.ErrNoBody
	}
	SetWords()
	var value any
	if err := readJSON(raw, &value); err != nil {
		return httperror.ErrMalformed.WithMessage("%s", err.Error())
	}
	result := &huma.ValidateResult{}
	path := huma.NewPathBuffer(nil, 0)
	path.Push("body")
	huma.Validate(huma.NewMapRegistry("#/", huma.DefaultSchemaNamer), schema, path, huma.ModeWriteToServer, value, result)
	if len(result.Errors) > 0 {
		Suggest(result.Errors, nil, schema)

		return Invalid(FieldMessages(result.Errors))
	}
	err := unmarshalJSON(raw, into)
	if wrong, misfits := errors.AsType[*json.SemanticError](err); misfits {
		field, text := describeMisfit(wrong)

		return httperror.ErrInvalid.WithField(field, Sentence(field, text))
	}

	return err
}

// explainMismatch says everything that is wrong with a body that is no t. Failed is why it could not be
// decoded; nil if it only may be wrong.
func explainMismatch(raw []byte, t reflect.Type, failed error) error {
	SetWords() // no API may have been made yet

	var value any
	if err := readJSON(raw, &value); err != nil {
		return httperror.ErrMalformed.WithMessage("%s", err.Error())
	}
	registry := huma.NewMapRegistry("#/", huma.DefaultSchemaNamer)
	result := &huma.ValidateResult{}
	path := huma.NewPathBuffer(nil, 0)
	path.Push("body")
	schema := registry.Schema(t, true, "body")
	huma.Validate(registry, schema, path, huma.ModeWriteToServer, value, result)
	Suggest(result.Errors, registry, schema)

	wrong, misfits := errors.AsType[*json.SemanticError](failed)
	switch {
	case len(result.Errors) > 0 && (failed != nil || value == nil):
		return Invalid(FieldMessages(result.Errors))
	case misfits:
		field, text := describeMisfit(wrong)

		return httperror.ErrInvalid.WithField(field, Sentence(field, text))
	case failed != nil:
		return httperror.ErrMalformed.WithCause(failed)
	default:
		return nil
	}
}

// readJSON reads JSON that can be stored; its error is a sentence that says what is wrong and where.
func readJSON(raw []byte, into *any) error {
	err := unmarshalJSON(raw, into)
	if err == nil {
		err = checkNull(raw)
	}
	if err != nil {
		return errors.New(describeSyntaxError(raw, err))
	}

	return nil
}

// unmarshalJSON is encoding/json, made strict: exact keys, none twice, UTF-8. Its errors are a
// *jsontext.SyntacticError or a *json.SemanticError.
func unmarshalJSON(raw []byte, into any, options ...json.Options) error {
	return json.Unmarshal(raw, into, append([]json.Options{
		jsonv1.DefaultOptionsV1(),
		jsonv1.ReportErrorsWithLegacySemantics(false),
		json.MatchCaseInsensitiveNames(false),
		jsontext.AllowDuplicateNames(false),
		jsontext.AllowInvalidUTF8(false),
		json.WithUnmarshalers(json.JoinUnmarshalers(moments, ids)),
	}, options...)...)
}

// moments reads times that both databases have, and JSON: in UTC, their years have four digits, and there is no year 0.
var moments = json.UnmarshalFunc(func(text []byte, t *time.Time) error {
	if err := t.UnmarshalJSON(text); err != nil {
		return err
	}
	if year := t.UTC().Year(); string(text) != "null" && (year < 1 || year > 9999) {
		return beyondTimeError{}
	}

	return nil
})

// ids reads UUIDs. The zero UUID is no thing's, and would be taken for a key that was left out.
var ids = json.UnmarshalFunc(func(text []byte, id *uuid.UUID) error {
	if string(text) == "null" {
		*id = uuid.Nil

		return nil
	}
	var quoted string
	if err := json.Unmarshal(text, &quoted); err != nil {
		return err
	}
	read, err := uuid.Parse(quoted)
	if err == nil && read == uuid.Nil {
		return zeroIDError{}
	}
	*id = read

	return err
})

type zeroIDError struct{}

// Error implements error.
func (e zeroIDError) Error() string { return "jsonbody: a UUID " + e.Predicate() }

// Predicate says what such a UUID must be.
func (zeroIDError) Predicate() string {
	return "must name something: the zero UUID is no valid reference."
}

type beyondTimeError struct{}

// Error implements error.
func (e beyondTimeError) Error() string { return "jsonbody: a time " + e.Predicate() }

// Predicate says what such a time must be.
func (beyondTimeError) Predicate() string { return "must be in the years 1 to 9999, in UTC." }

// Merge reads a merge patch (RFC 7396) into what is there: members that it does not have stay, and null is the zero value.
func Merge(raw []byte, into any) error {
	return unmarshalJSON(raw, into, json.RejectUnknownMembers(true), jsonv1.MergeWithLegacySemantics(false))
}

// Marshal is encoding/json, but a nil list is [], a nil map is {}, and nothing is escaped for
// the sake of HTML.
func Marshal(w io.Writer, value any) error {
	return json.MarshalWrite(w, value,
		jsonv1.DefaultOptionsV1(),
		json.FormatNilSliceAsNull(false),
		json.FormatNilMapAsNull(false),
		jsontext.EscapeForHTML(false),
		jsontext.EscapeForJS(false),
	)
}

// Encode is Marshal for Fiber.
func Encode(value any) ([]byte, error) {
	var b bytes.Buffer
	err := Marshal(&b, value)

	return b.Bytes(), err
}

// Format is how Huma reads and writes JSON. It reads a body twice: first into an any, to check
// it against the schema, then into the input. Of an error it keeps nothing but the text.
var Format = huma.Format{
	Marshal: Marshal,
	Unmarshal: func(raw []byte, into any) error {
		if value, checking := into.(*any); checking {
			return readJSON(raw, value)
		}

		return markMisfit(unmarshalJSON(raw, into))
	},
}

// markMisfit marks the field of a value that fits the schema and still not the Go type, such as a
// number of 70 bits.
func markMisfit(err error) error {
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		field, text := describeMisfit(wrong)

		return errors.New(mark + field + mark + text)
	}

	return err
}

// valueProblem is the error of a value that says itself what it must be: "must be 17 characters."
type valueProblem interface {
	error
	Predicate() string
}

// describeMisfit says which field a value does not fit, and what it must be.
func describeMisfit(e *json.SemanticError) (field, text string) {
	field = strings.Join(slices.Collect(e.JSONPointer.Tokens()), ".")
	if field == "" {
		field = "body"
	}
	if errors.Is(e.Err, json.ErrUnknownName) {
		return field, "is not known."
	}
	if problem, ok := errors.AsType[valueProblem](e.Err); ok {
		return field, problem.Predicate()
	}

	return field, expectation(e.GoType)
}

// describeSyntaxError says what is wrong with JSON and where, in words of ours: those of the decoder are about Go.
func describeSyntaxError(raw []byte, err error) string {
	fault, offset, what := "is not valid JSON", int64(len(raw)), "it ends unexpectedly"
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = min(e.ByteOffset, offset)
		what = syntaxProblem(raw[offset:], e)
		if errors.Is(e.Err, errNull) {
			fault = "cannot be stored"
		}
	} else if e, ok := errors.AsType[*json.SemanticError](err); ok {
		offset = min(e.ByteOffset, offset)
		fault, what = "cannot be read", "a value is not valid"
		if e.JSONKind == '0' {
			what = "a number has too many digits or too large an exponent"
		}
	}
	before := raw[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])

	return fmt.Sprintf("The body %s: line %d, column %d: %s.", fault, line, column, what)
}

// maxJSONDepth is how deeply the decoder goes into lists and objects.
const maxJSONDepth = 10_000

// syntaxProblem says what is wrong with JSON where rest begins.
func syntaxProblem(rest []byte, e *jsontext.SyntacticError) string {
	r, size := utf8.DecodeRune(rest)
	switch {
	case errors.Is(e.Err, errNull):
		return errNull.Error()
	case errors.Is(e.Err, jsontext.ErrDuplicateName):
		return fmt.Sprintf("the key %q is given twice", e.JSONPointer.LastToken())
	case errors.Is(e.Err, jsontext.ErrNonStringName):
		return "a key must be a string in double quotes"
	case errors.Is(e.Err, io.ErrUnexpectedEOF), size == 0:
		return "it ends unexpectedly"
	case r == utf8.RuneError && size == 1:
		return "it is not valid UTF-8"
	case strings.Count(string(e.JSONPointer), "/") >= maxJSONDepth-1 && (r == '[' || r == '{'):
		return fmt.Sprintf("lists and objects are nested more than %d levels deep", maxJSONDepth)
	case r == '\\':
		return "the backslash does not start a valid JSON escape; write a backslash as two"
	case r == 0:
		return "the character U+0000 is not allowed"
	case r < ' ' || !unicode.IsPrint(r):
		return fmt.Sprintf("the character U+%04X is not allowed here; in a string, write it as \\u%04x", r, r)
	default:
		return fmt.Sprintf("unexpected %q", r)
	}
}

// escapedNull is how JSON has the character U+0000, which PostgreSQL cannot store.
const escapedNull = `\u0000`

var errNull = errors.New("it has the character U+0000 (\\u0000); leave it out")

// checkNull refuses the character U+0000. After an odd number of backslashes it is none.
func checkNull(raw []byte) error {
	for at := 0; ; at += len(escapedNull) {
		i := bytes.Index(raw[at:], []byte(escapedNull))
		if i < 0 {
			return nil
		}
		at += i
		slashes := at - len(bytes.TrimRight(raw[:at], `\`))
		if slashes%2 == 0 {
			return &jsontext.SyntacticError{ByteOffset: int64(at), Err: errNull}
		}
	}
}
