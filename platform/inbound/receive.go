package inbound

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web"
)

// roomWait is how long a request waits for room for its body.
const roomWait = 250 * time.Millisecond

// operationOf is the operation of a kind.
func operationOf[T any](k Kind[T]) web.Operation {
	op := web.Operation{
		Method: http.MethodPost, Path: k.Path, ID: "receive_" + k.Name, Summary: k.Summary, Description: k.Description,
		Access: web.Public, Errors: append([]*errs.Error{ErrUnknown, ErrNotVerified, ErrBusy}, k.Errors...),
		Consumes: k.Consumes, MaxBody: k.MaxBody, ReadTimeout: k.ReadTimeout, Status: k.Answer.status(),
	}
	if k.Answer.Media != "" {
		op.Produces = []string{k.Answer.Media}
	}

	return op
}

type input struct {
	web.Raw

	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the endpoint, as the vendor was told."`
}

type output struct {
	Status int
	Media  string `header:"Content-Type"`
	Body   []byte
}

// mount serves a kind.
func (in *Inbox) mount(k *kind, op web.Operation) error {
	op.Admit = func(ctx context.Context, h web.Head) (context.Context, func(), error) { return in.admit(ctx, k, h) }

	return in.api.Mount(k.area, func(r *web.Router) {
		web.Register(r, op, func(ctx context.Context, i *input) (*output, error) { return in.receive(ctx, k, i) })
	})
}

// visit is a request whose endpoint is known.
type visit struct {
	id       uuid.UUID
	endpoint Endpoint
}

type visitKey struct{}

// admit finds the endpoint, and room for the body, before that is read.
func (in *Inbox) admit(ctx context.Context, k *kind, h web.Head) (context.Context, func(), error) {
	id, err := uuid.Parse(h.Param("uuid"))
	if err != nil || !in.here(h.Host) {
		return nil, nil, in.unknown(k)
	}
	endpoint, err := k.find(ctx, id)
	switch {
	case errs.KindOf(err) == errs.NotFound:
		return nil, nil, in.unknown(k)
	case err == nil && endpoint.Company == uuid.Nil:
		err = errors.New("the endpoint belongs to no company")
	}
	if err != nil {
		if expected(err) {
			in.seen.count(k.name, outcomeRefused)
		}

		return nil, nil, fmt.Errorf("%s %s: %w", k.name, id, err)
	}
	leave, err := in.makeRoom(ctx, k, h.Length)
	if err != nil {
		return nil, nil, err
	}
	ctx = principal.With(ctx, principal.ForCompany(endpoint.Company))

	return context.WithValue(ctx, visitKey{}, visit{id: id, endpoint: endpoint}), leave, nil
}

func (in *Inbox) unknown(k *kind) error {
	in.seen.count(k.name, outcomeUnknown)

	return ErrUnknown
}

// here reports whether notifications are taken at a host.
func (in *Inbox) here(host string) bool {
	if !in.settings.ServicesURLOnly {
		return true
	}
	u, err := url.Parse(in.web.ServicesURL)

	return err == nil && u.Host == host
}

// makeRoom takes room for a body of a length, of the largest if that is not said.
func (in *Inbox) makeRoom(ctx context.Context, k *kind, length int64) (func(), error) {
	if length < 0 {
		length = int64(k.maxBody)
	}
	length = min(length, int64(k.maxBody), int64(in.settings.Memory))
	leave := func() { in.room.Release(length) }
	if in.room.TryAcquire(length) { // where there is room, nobody is refused because the processors are busy
		return leave, nil
	}
	ctx, cancel := context.WithTimeout(ctx, roomWait)
	defer cancel()
	if err := in.room.Acquire(ctx, length); err != nil {
		return nil, ErrBusy
	}

	return leave, nil
}

// receive verifies a notification and stores it. It is not for the audit trail: the delivery itself is the
// record of it.
func (in *Inbox) receive(ctx context.Context, k *kind, i *input) (*output, error) {
	v, admitted := ctx.Value(visitKey{}).(visit)
	if !admitted {
		return nil, errors.New("nobody admitted this request")
	}
	ctx = telemetry.WithOperation(ctx, telemetry.Operation{})
	key, err := v.endpoint.Scheme.Verify(ctx, verify.Request{
		URLs: in.urls(i.Target), Header: i.Header, Body: i.RawBody, Now: in.clock.Now(),
	})
	if reason := reasonOf(err); reason != "" {
		in.refuse(ctx, k, v, reason)

		return nil, ErrNotVerified
	}
	if err != nil {
		return nil, fmt.Errorf("verifying %s %s: %w", k.name, v.id, err)
	}
	n := Notification{Header: i.Header, Target: i.Target, Body: i.RawBody}
	if err := in.check(ctx, k, v, n); err != nil {
		return nil, err
	}
	if err := in.store(ctx, k, v, key, n); err != nil {
		return nil, err
	}

	return &output{Status: k.answer.status(), Media: k.answer.Media, Body: []byte(k.answer.Body)}, nil
}

// check asks the area whether it takes a notification that is verified.
func (in *Inbox) check(ctx context.Context, k *kind, v visit, n Notification) error {
	if v.endpoint.Check == nil {
		return nil
	}
	err := v.endpoint.Check(ctx, n)
	if err == nil {
		return nil
	}
	if expected(err) {
		in.refuse(ctx, k, v, reasonGiven(err))
	}

	return fmt.Errorf("%s %s: %w", k.name, v.id, err)
}

// store stores a notification with the job that processes it, or counts it if it is there already.
func (in *Inbox) store(ctx context.Context, k *kind, v visit, key string, n Notification) error {
	kept, err := newHead(n.Header, n.Target, k.secrets).encode()
	if err != nil {
		return err
	}
	r := row{
		ID: database.NewID(), Kind: k.name, EndpointID: v.id, DedupeKey: digest(k.key(n)), KeyID: key, Size: int64(len(n.Body)),
		State: Received, Address: web.ClientIP(ctx), RequestID: telemetry.RequestID(ctx), ReceivedAt: in.clock.Now(),
	}
	r.CompanyID = v.endpoint.Company
	err = in.db.InTx(ctx, func(ctx context.Context) error {
		if err := in.rows.insert(ctx, r, kept, n.Body); err != nil {
			return err
		}

		return in.enqueue(ctx, r.ID)
	})
	if errors.Is(err, database.ErrDuplicate) {
		in.seen.count(k.name, outcomeDuplicate)

		return in.db.InTx(ctx, func(ctx context.Context) error { return in.rows.countDuplicate(ctx, r) })
	}
	if err == nil {
		in.seen.count(k.name, outcomeAccepted)
	}

	return err
}
