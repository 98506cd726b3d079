package web

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/idempotency"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/overload"
	"github.com/dispatchd/dispatchd/platform/web/schemas"
	"github.com/dispatchd/dispatchd/platform/web/stream"
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
var platformErrors = []*errs.Error{
	httperror.ErrUnreadable, httperror.ErrMalformed, httperror.ErrNoBody, principal.ErrScopeMissing, errCompanyNeeded, errAreaOff, httperror.ErrTooSlow, httperror.ErrTooLarge, httperror.ErrMedia, httperror.ErrInvalid,
	httperror.ErrInternal, httperror.ErrDeadline, overload.ErrRateLimited, overload.ErrOverloaded, database.ErrUnavailable, database.ErrOutcomeUnknown,
	errs.New(errs.Unauthenticated, "", "The request has no valid token."),
}

// platformResponses are the answers that operations refer to when they add nothing to them.
func platformResponses() map[string]*huma.Response {
	byStatus := map[int][]*errs.Error{}
	for _, e := range platformErrors {
		byStatus[httperror.Status(e.Kind)] = append(byStatus[httperror.Status(e.Kind)], e)
	}
	responses := map[string]*huma.Response{}
	for status, list := range byStatus {
		responses[responseName(status)] = newResponse(status, list)
	}
	const large = http.StatusRequestHeaderFieldsTooLarge
	responses[responseName(large)] = newResponse(large, []*errs.Error{httperror.ErrHead})

	return responses
}

// documentErrors documents what the operation answers with when it fails; shared are the answers that it refers to.
func (e *endpoint) documentErrors(op *huma.Operation, shared map[string]*huma.Response) {
	all := e.responses()
	maps.Copy(all, op.Responses)
	if e.op.Page != nil {
		documentPages(all, shared)
	}
	op.Responses = all
}

// responses documents every error that the operation can answer with.
func (e *endpoint) responses() map[string]*huma.Response {
	byStatus := map[int][]*errs.Error{}
	for _, declared := range e.op.Errors {
		byStatus[httperror.Status(declared.Kind)] = append(byStatus[httperror.Status(declared.Kind)], declared)
	}
	if e.conditional {
		byStatus[httperror.Status(errs.Stale)] = append(byStatus[httperror.Status(errs.Stale)], errStale)
	}
	if e.keyed {
		for _, own := range []*errs.Error{idempotency.ErrInProgress, idempotency.ErrReused, idempotency.ErrExceeds, errKey} {
			byStatus[httperror.Status(own.Kind)] = append(byStatus[httperror.Status(own.Kind)], own)
		}
	}
	if e.streams || e.uploads {
		for _, own := range []*errs.Error{stream.ErrFull, stream.ErrCompanyFull, stream.ErrStopping} {
			byStatus[httperror.Status(own.Kind)] = append(byStatus[httperror.Status(own.Kind)], own)
		}
	}
	responses := map[string]*huma.Response{}
	for _, status := range e.platformStatuses() {
		responses[strconv.Itoa(status)] = &huma.Response{Ref: responsePrefix + responseName(status)}
	}
	if e.scope != "" && e.op.Callers != OfCompany {
		byStatus[http.StatusForbidden] = append(byStatus[http.StatusForbidden], e.op.Callers.errors()...)
	}
	for code, list := range byStatus {
		for _, own := range platformErrors {
			if own == errCompanyNeeded && e.op.Callers != OfCompany || own == errAreaOff && e.op.Callers == OfOperator {
				continue
			}
			if httperror.Status(own.Kind) == code && slices.Contains(e.platformStatuses(), code) && !slices.Contains(list, own) {
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

// documentPages adds that browsers get a page.
func documentPages(responses, shared map[string]*huma.Response) {
	for status, r := range responses {
		if r.Ref != "" {
			r = shared[strings.TrimPrefix(r.Ref, responsePrefix)]
		}
		page := *r
		page.Content = maps.Clone(r.Content)
		if page.Content == nil {
			page.Content = map[string]*huma.MediaType{}
		}
		page.Content[mediaHTML] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
		responses[status] = &page
	}
}

const responsePrefix = "#/components/responses/"

// platformStatuses are the statuses of errors that the platform answers with for this operation.
func (e *endpoint) platformStatuses() []int {
	statuses := []int{
		http.StatusBadRequest, http.StatusRequestTimeout, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
		http.StatusRequestHeaderFieldsTooLarge, http.StatusInternalServerError, http.StatusServiceUnavailable,
	}
	if e.scope != "" {
		statuses = append(statuses, http.StatusUnauthorized, http.StatusForbidden)
	}
	if e.takesBody {
		statuses = append(statuses, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
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
	media := &huma.MediaType{Schema: &huma.Schema{Ref: schemas.Prefix + schemaOf(status)}}
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
		return map[string]*huma.Param{"WWW-Authenticate": {Description: "The reason, as defined by RFC 6750.", Schema: text}}
	case http.StatusTooManyRequests:
		return map[string]*huma.Param{"Retry-After": retryHeader(), headerPolicy: headerRef(headerPolicy), headerLimit: headerRef(headerLimit)}
	case http.StatusServiceUnavailable:
		return map[string]*huma.Param{"Retry-After": retryHeader()}
	default:
		return nil
	}
}

func retryHeader() *huma.Param {
	return &huma.Param{Description: "Seconds to wait before trying again. Absent where a retry might repeat the effect.", Schema: &huma.Schema{Type: huma.TypeInteger}}
}

// platformHeaders are the headers of answers that operations refer to.
func platformHeaders() map[string]*huma.Header {
	text := &huma.Schema{Type: huma.TypeString}

	return map[string]*huma.Header{
		headerPolicy: {
			Description: "The number of requests allowed and the period in seconds, such as `\"token\";q=60000;w=60` (draft-ietf-httpapi-ratelimit-headers).", Schema: text,
		},
		headerLimit: {
			Description: "The number of requests left, and the seconds until the limit is full again, such as `\"token\";r=59999;t=1`.", Schema: text,
		},
		headerReplayed: {
			Description: "`true` if this is the answer to an earlier request with the same Idempotency-Key.", Schema: text,
		},
	}
}

func headerRef(name string) *huma.Param { return &huma.Param{Ref: "#/components/headers/" + name} }

// documentHeaders adds the headers that web sets by itself to the answers of success.
func (e *endpoint) documentHeaders(responses map[string]*huma.Response) {
	for status, r := range responses {
		if !strings.HasPrefix(status, "2") {
			continue
		}
		if r.Headers == nil {
			r.Headers = map[string]*huma.Param{}
		}
		r.Headers[headerPolicy], r.Headers[headerLimit] = headerRef(headerPolicy), headerRef(headerLimit)
		if e.keyed {
			r.Headers[headerReplayed] = headerRef(headerReplayed)
		}
	}
}

// responseName names a response in the document's components.
func responseName(status int) string {
	return strings.ReplaceAll(strings.ReplaceAll(http.StatusText(status), " ", ""), "-", "")
}

// parameters documents the headers that web handles by itself.
func (e *endpoint) parameters() []*huma.Param {
	var all []*huma.Param
	header := func(name, about string, schema huma.Schema) {
		schema.Type = huma.TypeString
		all = append(all, &huma.Param{Name: name, In: "header", Description: about, Schema: &schema})
	}
	switch {
	case e.resource && e.op.Method == http.MethodGet:
		header("If-None-Match", "ETags that the client has. If one is current, the answer is 304.", huma.Schema{})
	case e.resource:
		header("Prefer", "`return=minimal` answers with {} instead of the resource, `return=representation` with the resource.", huma.Schema{})
	}
	if e.keyed {
		shortest, longest := 1, longestKey
		header(headerKey, "A string chosen by the client, unique for each new request, such as a random UUID. For a day, retries with the same key change nothing and get the first answer.",
			huma.Schema{MinLength: &shortest, MaxLength: &longest})
	}

	return all
}
