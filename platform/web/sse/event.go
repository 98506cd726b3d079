package sse

import (
	"bytes"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
	"github.com/dispatchd/dispatchd/platform/web/schemas"
)

// Kind is a kind of events: its name, and T, what it carries.
type Kind[T any] struct{ name, about string }

// NewKind returns a kind of events. Name is in snake_case; about is for the OpenAPI document.
func NewKind[T any](name, about string) Kind[T] {
	return Kind[T]{name: name, about: about}
}

// Doc is a Kind of any type, as operations declare it.
type Doc interface {
	// Schema describes the events of the kind.
	Schema(registry huma.Registry) *huma.Schema
}

// Schema implements Doc.
func (k Kind[T]) Schema(registry huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, Description: k.about, Required: []string{"event", "data"},
		Properties: map[string]*huma.Schema{
			"id":    {Type: huma.TypeString},
			"event": {Type: huma.TypeString, Enum: []any{k.name}},
			"data":  registry.Schema(reflect.TypeFor[T](), true, schemas.Camel(k.name)),
		},
	}
}

// Event is one event, as it is sent. One may go to any number of feeds.
type Event struct{ text []byte }

// errEventID tells of a defect: ids are made by us.
var errEventID = errors.New("the id of an event must be one line without NUL")

// New makes an event. A client that comes back tells the id of the last event that it saw; "" is none,
// and leaves the one before. Its errors are that data is no JSON, and that id is not one line.
func (k Kind[T]) New(id string, data T) (Event, error) {
	if strings.ContainsAny(id, "\r\n\x00") {
		return Event{}, errEventID
	}
	var text bytes.Buffer
	if id != "" {
		text.WriteString("id: " + id + "\n")
	}
	text.WriteString("event: " + k.name + "\ndata: ")
	if err := jsonbody.Marshal(&text, data); err != nil {
		return Event{}, err
	}
	text.WriteString("\n\n")

	return Event{text: text.Bytes()}, nil
}

// RetryAfter returns the event, and that a client that loses the connection comes back after d.
func (e Event) RetryAfter(d time.Duration) Event {
	return Event{text: append(retryLine(d), e.text...)}
}

func retryLine(d time.Duration) []byte {
	return append(strconv.AppendInt([]byte("retry: "), d.Milliseconds(), 10), '\n')
}

// Resume is embedded in the input of an operation with Events: it tells where a client that comes
// back goes on.
type Resume struct {
	LastEventID string `header:"Last-Event-ID" maxLength:"255" doc:"The id of the last event that the client saw."`
	LastEvent   string `query:"last_event_id" maxLength:"255" doc:"As Last-Event-ID, for clients that cannot set headers."`
}

// After returns the id of the last event that the client saw, "" for a new one. What a browser says
// when it comes back is newer than what its address says.
func (r Resume) After() string {
	if r.LastEventID != "" {
		return r.LastEventID
	}

	return r.LastEvent
}
