package inbound

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/module"
)

// pathID is the part of a path that names the endpoint.
const pathID = "{uuid}"

const mediaJSON = "application/json"

// Kind is a kind of notifications that an area takes. T is a type of the area.
type Kind[T any] struct {
	// Name is the kind's in its area: "status" of sms is the kind "sms.status". It is not changed once
	// there are deliveries.
	Name string
	// Path comes after /<area>/api/v1 and has {uuid}, the id of the endpoint: "/callbacks/{uuid}/status".
	Path string
	// Summary and Description are for the OpenAPI document.
	Summary, Description string

	// Find returns the endpoint with an id: whose it is, and how what comes there is verified. One that
	// is not there or was revoked is an error of the kind errs.NotFound, and answered with 404. Nobody is calling yet:
	// it looks across companies (database.AcrossCompanies), by the id alone, and is called before the body is read.
	// Any other errs is the answer.
	Find func(t T, ctx context.Context, endpoint uuid.UUID) (Endpoint, error)
	// Errors are what Find, and the Check of an endpoint, refuse with, for the OpenAPI document.
	Errors []*errs.Error
	// Process does what a notification asks for, in a job, as the service itself at work for the company of
	// the endpoint, in the transaction that marks the delivery as processed. So it does nothing but
	// SQL, enqueues jobs for everything else, and its effect happens once. An error has it tried again;
	// Ignored says that there is nothing to do, jobs.Permanent that trying again is of no use, jobs.Later that it is too early.
	// Errors are shown in the log: they have ids in them, not what people have written.
	Process func(t T, ctx context.Context, d Delivery) error

	// Key tells two notifications apart: the same text is the same notification. It is taken from what is
	// signed. Nil is ByBody.
	Key func(n Notification) string
	// Answer is what is answered when the notification is stored; the zero value is 204.
	Answer Answer
	// Consumes are the media types of bodies; none is application/json.
	Consumes []string
	// MaxBody is the largest body, zero is web.body_limit; ReadTimeout is the time in which it has to arrive, zero
	// is web.read_timeout.
	MaxBody     config.Size
	ReadTimeout time.Duration
	// Limit returns MaxBody where the area's settings say it. It is called when the service is put together.
	Limit func(t T) config.Size
	// SecretHeaders are headers that are not kept, beside those that everybody knows for secret.
	SecretHeaders []string
}

// Endpoint is where notifications of one connection arrive.
type Endpoint struct {
	// Company is whose it is, uuid.Nil if Owners says that of each notification.
	Company uuid.UUID
	// Owners returns whose a verified notification is, of an endpoint that a vendor has for an application of ours and all
	// who use it. It is stored for each of them; what is nobody's is acknowledged, and not stored.
	Owners func(ctx context.Context, n Notification) ([]Owner, error)
	// Scheme verifies them, with the keys that are in force. Without one everything is refused.
	Scheme verify.Scheme
	// Check refuses a notification that is verified, before it is stored, by an errs, which is the answer: one that
	// cannot be read, or is about somebody else's things. Nil takes all.
	Check func(ctx context.Context, n Notification) error
}

// Owner is a company that a notification is for, and the endpoint under which it is stored there.
type Owner struct{ Company, Endpoint uuid.UUID }

// Notification is a request that was verified.
type Notification struct {
	// Header has the names in their canonical form. Of a Delivery, secrets are not among the values.
	Header http.Header
	// Target is path and query.
	Target string
	Body   []byte
}

// Delivery is a notification that was stored.
type Delivery struct {
	Notification

	ID         uuid.UUID
	Endpoint   uuid.UUID
	ReceivedAt time.Time
	// Key is the ID of the key that the signature was made with.
	Key string
	// Replays is how often somebody had it processed again.
	Replays int
}

// Answer is what a vendor is answered.
type Answer struct {
	// Status is 204 without a body and 200 with one, if it is zero.
	Status      int
	Media, Body string
}

// EmptyObject is {}.
var EmptyObject = Answer{Media: mediaJSON, Body: "{}"}

// EmptyTwiML is a response to Twilio that asks for nothing.
var EmptyTwiML = Answer{Media: "text/xml", Body: "<Response/>"}

// status is the status with which it is sent.
func (a Answer) status() int {
	switch {
	case a.Status != 0:
		return a.Status
	case a.Body == "":
		return http.StatusNoContent
	default:
		return http.StatusOK
	}
}

// receiver is a Kind without its T.
type receiver struct {
	area, name, path string

	find    func(ctx context.Context, endpoint uuid.UUID) (Endpoint, error)
	process func(ctx context.Context, d Delivery) error
	key     func(n Notification) string
	answer  Answer
	maxBody config.Size
	secrets []string
}

// Receiver is the manifest line of a kind of notifications. T is a type of the area.
func Receiver[T any](k Kind[T]) fx.Option {
	return module.Contribute("receiver", k.Name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(in *Inbox, t T) error { return registerKind(in, at.Area, k, t) })
	})
}

var nameRule = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func (k Kind[T]) check() error {
	var problems []error
	if !nameRule.MatchString(k.Name) {
		problems = append(problems, errors.New("its Name: want lower case letters, digits and underscores"))
	}
	if strings.Count(k.Path, "{") != 1 || !strings.Contains(k.Path, pathID) {
		problems = append(problems, errors.New("its Path: want {uuid} in it, once, and no other parameter"))
	}
	if k.Find == nil || k.Process == nil {
		problems = append(problems, errors.New("it has no Find or no Process"))
	}

	return errors.Join(problems...)
}

// registerKind enters a kind, with the T that works for it.
func registerKind[T any](in *Inbox, area string, k Kind[T], t T) error {
	if err := k.check(); err != nil {
		return fmt.Errorf("receiver %q: %w", k.Name, err)
	}
	if len(k.Consumes) == 0 {
		k.Consumes = []string{mediaJSON}
	}
	if k.Limit != nil {
		k.MaxBody = k.Limit(t)
	}
	if k.MaxBody == 0 {
		k.MaxBody = in.web.BodyLimit
	}
	if k.Key == nil {
		k.Key = ByBody
	}
	own := &receiver{
		area: area, name: area + "." + k.Name, path: "/" + area + "/api/v1" + k.Path,
		find:    func(ctx context.Context, id uuid.UUID) (Endpoint, error) { return k.Find(t, ctx, id) },
		process: func(ctx context.Context, d Delivery) error { return k.Process(t, ctx, d) },
		key:     k.Key, answer: k.Answer, maxBody: k.MaxBody, secrets: k.SecretHeaders,
	}
	in.kinds[own.name] = own

	return in.mount(own, operationOf(k))
}
