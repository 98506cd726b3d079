package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// schemaOf names the schema of the answer with a status.
func schemaOf(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "Unauthorized"
	case http.StatusForbidden:
		return "Forbidden"
	case http.StatusNotFound:
		return "NotFound"
	case http.StatusUnprocessableEntity:
		return "ValidationError"
	default:
		return "ErrorResponse"
	}
}

// platformErrors are what the platform answers with, whatever the operation.
func platformErrors() []*errs.Error {
	return []*errs.Error{
		errMalformed, errNoBody, errScopeMissing, errSlowRequest, errTooLarge, errMedia, errInvalid,
		errInternal, errDeadline,
		errs.New(errs.Unauthenticated, "", "The request shows no token, or not a valid one."),
	}
}

// platformResponses are the answers that operations refer to when they add nothing to them.
func platformResponses() map[string]*huma.Response {
	byStatus := map[int][]*errs.Error{}
	for _, e := range platformErrors() {
		byStatus[status(e.Kind)] = append(byStatus[status(e.Kind)], e)
	}
	responses := map[string]*huma.Response{}
	for status, list := range byStatus {
		responses[responseName(status)] = newResponse(status, list)
	}

	return responses
}

// responses documents every error that the operation can answer with.
func (e *endpoint) responses() map[string]*huma.Response {
	byStatus := map[int][]*errs.Error{}
	for _, declared := range e.op.Errors {
		byStatus[status(declared.Kind)] = append(byStatus[status(declared.Kind)], declared)
	}
	if e.conditional {
		byStatus[status(errs.Stale)] = append(byStatus[status(errs.Stale)], errStale)
	}
	responses := map[string]*huma.Response{}
	for _, status := range e.platformStatuses() {
		responses[strconv.Itoa(status)] = &huma.Response{Ref: "#/components/responses/" + responseName(status)}
	}
	for code, list := range byStatus {
		for _, own := range platformErrors() {
			if status(own.Kind) == code && slices.Contains(e.platformStatuses(), code) {
				list = append(list, own)
			}
		}
		responses[strconv.Itoa(code)] = newResponse(code, list)
	}
	if e.resource && e.op.Method == http.MethodGet {
		responses[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "The client has this version."}
	}

	return responses
}

// platformStatuses are the statuses of errors that the platform answers with for this operation.
func (e *endpoint) platformStatuses() []int {
	statuses := []int{http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusServiceUnavailable}
	if e.scope != "" {
		statuses = append(statuses, http.StatusUnauthorized, http.StatusForbidden)
	}
	if e.takesBody {
		statuses = append(statuses, http.StatusBadRequest, http.StatusRequestTimeout,
			http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}

	return statuses
}

// newResponse documents the errors of one status.
func newResponse(status int, list []*errs.Error) *huma.Response {
	lines := make([]string, 0, len(list))
	example := map[string]any{}
	for _, e := range list {
		if e.Code == "" {
			lines = append(lines, e.Message)

			continue
		}
		lines = append(lines, fmt.Sprintf("`%s`: %s", e.Code, e.Message))
		if len(example) == 0 {
			example["code"], example["message"] = e.Code, e.Message
		}
	}
	media := &huma.MediaType{Schema: &huma.Schema{Ref: schemaPrefix + schemaOf(status)}}
	if status == http.StatusUnprocessableEntity {
		example["errors"] = map[string][]string{"name": {"The name is required."}}
	}
	if len(example) > 1 {
		media.Example = example
	}

	return &huma.Response{
		Description: cmp.Or(strings.Join(lines, "\n\n"), http.StatusText(status)),
		Headers:     errorHeaders(status),
		Content:     map[string]*huma.MediaType{mediaJSON: media},
	}
}

func errorHeaders(status int) map[string]*huma.Param {
	text := &huma.Schema{Type: huma.TypeString}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return map[string]*huma.Param{"WWW-Authenticate": {Description: "Why, as RFC 6750 says it.", Schema: text}}
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return map[string]*huma.Param{"Retry-After": {
			Description: "Seconds after which to try again.", Schema: &huma.Schema{Type: huma.TypeInteger},
		}}
	default:
		return nil
	}
}

// responseName names a response in the document's components.
func responseName(status int) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(http.StatusText(status))
}

// parameters documents the headers that web handles by itself.
func (e *endpoint) parameters() []*huma.Param {
	header := func(name, about string) []*huma.Param {
		return []*huma.Param{{Name: name, In: "header", Description: about, Schema: &huma.Schema{Type: huma.TypeString}}}
	}
	switch {
	case e.resource && e.op.Method == http.MethodGet:
		return header("If-None-Match", "ETags that the client has. If the present one is among them, the answer is 304.")
	case e.resource:
		return header("Prefer", "`return=minimal` answers with {} instead of the resource, `return=representation` with the resource.")
	default:
		return nil
	}
}
