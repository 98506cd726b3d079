package web

import (
	"errors"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/coding"
	"github.com/dispatchd/dispatchd/platform/web/sse"
	"github.com/dispatchd/dispatchd/platform/web/stream"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// checkStreams refuses declarations that do not fit the input and output. Body says that the input
// has one that Huma reads.
func (e *endpoint) checkStreams(out reflect.Type, body bool) error {
	events := out == reflect.TypeFor[sse.Events]()
	streamed := out == reflect.TypeFor[stream.Stream]()
	switch {
	case e.streams && !events && !streamed:
		return errors.New("its output: want stream.Stream or sse.Events by itself, they cannot be embedded")
	case streamed != (len(e.op.Produces) > 0) && !e.taken:
		return errors.New("its Produces: that is for an output that is a Stream, which needs it")
	case events != (len(e.op.Events) > 0):
		return errors.New("its Events: that is for an output that is Events, which needs it")
	case (e.uploads || e.taken) != (len(e.op.Consumes) > 0):
		return errors.New("its Consumes: that is for an input with an Upload or a Raw, which needs it")
	case e.uploads && body:
		return errors.New("its input has an Upload and a Body")
	}

	return nil
}

// documentStreams adds what Huma does not know to the document of the operation.
func (e *endpoint) documentStreams(op *huma.Operation) {
	if e.uploads || e.taken {
		op.RequestBody = &huma.RequestBody{Required: !e.op.BodyOptional, Content: map[string]*huma.MediaType{}}
		for _, media := range e.op.Consumes {
			op.RequestBody.Content[media] = &huma.MediaType{Schema: uploadSchema(media)}
		}
	}
	if e.taken {
		e.documentRaw(op.Responses[strconv.Itoa(op.DefaultStatus)])
	}
	if !e.streams {
		return
	}
	response := op.Responses[strconv.Itoa(op.DefaultStatus)]
	response.Content = map[string]*huma.MediaType{}
	for _, media := range e.op.Produces {
		response.Content[media] = &huma.MediaType{Schema: bytesSchema(media)}
	}
	if len(e.op.Events) > 0 {
		response.Content[sse.Media] = &huma.MediaType{} // see documentAnswers
		op.Responses[strconv.Itoa(http.StatusNoContent)] = &huma.Response{Description: "The stream has ended, and the client has seen all of it."}
	} else if e.op.Method == http.MethodGet {
		partial := *response
		partial.Description = "The part requested by Range, if ranges are supported."
		op.Responses[strconv.Itoa(http.StatusPartialContent)] = &partial
		op.Responses[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "The client has this version."}
		op.Responses[strconv.Itoa(http.StatusRequestedRangeNotSatisfiable)] = newResponse(http.StatusRequestedRangeNotSatisfiable, []*errs.Error{stream.ErrRange})
	}
}

func uploadSchema(media string) *huma.Schema {
	switch media {
	case upload.FormMedia:
		return &huma.Schema{
			Type: huma.TypeObject, Properties: map[string]*huma.Schema{"file": bytesSchema(media)}, Required: []string{"file"},
		}
	case mediaForm:
		return &huma.Schema{Type: huma.TypeObject}
	case mediaJSON:
		return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	}

	return bytesSchema(media)
}

// bytesSchema describes what is sent as it is.
func bytesSchema(media string) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	if !coding.Text(media) {
		schema.Format = "binary"
	}

	return schema
}

// eventSchema describes a stream of events as a list of them, as is usual.
func (e *endpoint) eventSchema(registry huma.Registry) *huma.Schema {
	items := &huma.Schema{}
	for _, event := range e.op.Events {
		items.OneOf = append(items.OneOf, event.Schema(registry))
	}

	return &huma.Schema{Type: huma.TypeArray, Items: items, Description: "Server-sent events, with comments to keep the connection open."}
}
