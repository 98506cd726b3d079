package inbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web"
)

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

	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the endpoint, from the address given to the vendor."`
}

type output struct {
	Status int
	Media  string `header:"Content-Type"`
	Body   []byte
}

// mount serves a kind.
func (in *Inbox) mount(k *receiver, op web.Operation) error {
	op.Admit = func(ctx context.Context, h web.Head) (context.Context, web.Admitted, error) {
		return in.admit(ctx, k, h)
	}

	return in.api.Mount(k.area, func(r *web.Router) {
		web.Register(r, op, func(ctx context.Context, i *input) (*output, error) { return in.receive(ctx, k, i) })
	})
}

// visit is a request whose endpoint is known. It is a web.Admitted.
type visit struct {
	inbox    *Inbox
	kind     *receiver
	id       uuid.UUID
	endpoint Endpoint
	place    place
	// key is that of the signature, once it is verified.
	key string
}

type visitKey struct{}

// admit finds the endpoint before the body is read.
func (in *Inbox) admit(ctx context.Context, k *receiver, h web.Head) (context.Context, web.Admitted, error) {
	id, err := uuid.Parse(h.Param("uuid"))
	if err != nil || !in.here(h.Host) {
		return nil, nil, in.unknown(k)
	}
	finding, cancel := context.WithTimeout(ctx, in.web.RequestTimeout)
	defer cancel()
	endpoint, err := k.find(finding, id)
	switch {
	case errs.KindOf(err) == errs.NotFound:
		return nil, nil, in.unknown(k)
	case err == nil && (endpoint.Company == uuid.Nil) == (endpoint.Owners == nil):
		err = errors.New("the endpoint has no Company and no Owners, or both")
	}
	if err != nil {
		if errs.IsRefusal(err) {
			in.seen.count(k.name, outcomeRefused)
		}

		return nil, nil, fmt.Errorf("%s %s: %w", k.name, id, err)
	}
	v := &visit{inbox: in, kind: k, id: id, endpoint: endpoint, place: in.room.place(id, web.ClientNetwork(ctx))}
	if endpoint.Owners == nil {
		ctx = principal.With(ctx, principal.ForCompany(endpoint.Company))
	}

	return context.WithValue(ctx, visitKey{}, v), v, nil
}

func (in *Inbox) unknown(k *receiver) error {
	in.seen.count(k.name, outcomeUnknown)

	return ErrUnknown
}

// here reports whether notifications are taken at a host.
func (in *Inbox) here(host string) bool {
	if !in.settings.ServicesURLOnly {
		return true
	}
	base, err := url.Parse(in.web.ServicesURL)

	return err == nil && hostPort(base.Scheme, base.Host) == hostPort(base.Scheme, host)
}

// hostPort is a host in small letters, with the port that it has without being said.
func hostPort(scheme, host string) string {
	at := url.URL{Host: strings.ToLower(host)}
	port := at.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}

	return net.JoinHostPort(strings.TrimSuffix(at.Hostname(), "."), port)
}

// Patience implements web.Admitted.
func (v *visit) Patience() (pause time.Duration, pace config.Size) {
	return v.inbox.settings.Pause, v.inbox.settings.Pace
}

// Grow implements web.Admitted.
func (v *visit) Grow(ctx context.Context, n int64) error {
	ctx, cancel := context.WithTimeout(ctx, v.inbox.settings.Pause)
	defer cancel()
	if v.place.grow(ctx, n) != nil {
		v.inbox.seen.count(v.kind.name, outcomeBusy)

		return ErrBusy
	}

	return nil
}

// Leave implements web.Admitted.
func (v *visit) Leave() { v.place.leave() }

// Verify implements web.Admitted.
func (v *visit) Verify(ctx context.Context, r *web.Raw) (err error) {
	in, k := v.inbox, v.kind
	v.key, err = v.endpoint.Scheme.Verify(ctx, verify.Request{
		URLs: in.urls(r.Target), Header: r.Header, Body: r.RawBody, Now: in.clock.Now(),
	})
	if reason := reasonOf(err); reason != "" {
		in.countRefusal(ctx, v, reason)

		return ErrNotVerified
	}
	if err != nil {
		return fmt.Errorf("verifying %s %s: %w", k.name, v.id, err)
	}

	return nil
}

// receive stores a notification that is verified. It is not for the audit trail: the delivery itself is the
// record of it.
func (in *Inbox) receive(ctx context.Context, k *receiver, i *input) (*output, error) {
	v, admitted := ctx.Value(visitKey{}).(*visit)
	if !admitted {
		return nil, errors.New("the request was not admitted")
	}
	ctx = telemetry.WithOperation(ctx, telemetry.Operation{})
	n := Notification{Header: i.Header, Target: i.Target, Body: i.RawBody}
	if err := in.check(ctx, v, n); err != nil {
		return nil, err
	}
	owners := []Owner{{v.endpoint.Company, v.id}}
	if v.endpoint.Owners != nil {
		var err error
		if owners, err = v.endpoint.Owners(ctx, n); err != nil {
			return nil, fmt.Errorf("whose %s of %s is: %w", k.name, v.id, err)
		}
	}
	for _, o := range owners {
		if err := in.store(principal.With(ctx, principal.ForCompany(o.Company)), v, o, n); err != nil {
			return nil, err
		}
	}
	if len(owners) == 0 {
		in.seen.count(k.name, outcomeUnknown)
	}

	return &output{Status: k.answer.status(), Media: k.answer.Media, Body: []byte(k.answer.Body)}, nil
}

// check asks the area whether it takes a notification that is verified.
func (in *Inbox) check(ctx context.Context, v *visit, n Notification) error {
	if v.endpoint.Check == nil {
		return nil
	}
	err := v.endpoint.Check(ctx, n)
	if err == nil {
		return nil
	}
	if errs.IsRefusal(err) {
		in.countRefusal(ctx, v, refusalCode(err))
	}

	return fmt.Errorf("%s %s: %w", v.kind.name, v.id, err)
}

// store stores a notification with the job that processes it, or counts it if it is there already.
func (in *Inbox) store(ctx context.Context, v *visit, o Owner, n Notification) error {
	k := v.kind
	head, err := newHead(n.Header, n.Target, k.secrets).encode()
	if err != nil {
		return err
	}
	r := row{
		ID: database.NewID(), Kind: k.name, EndpointID: o.Endpoint, DedupeKey: keyDigest(k.key(n)), KeyID: v.key, Size: int64(len(n.Body)),
		State: Received, Address: web.ClientIP(ctx), RequestID: telemetry.RequestID(ctx), ReceivedAt: in.clock.Now(),
	}
	r.CompanyID = o.Company
	body := bodyRow{Head: head, Body: n.Body}
	if in.keepBody(ctx, r.ID, n.Body) {
		body.Body, body.FileSize = []byte{}, r.Size
	}
	err = in.db.InTx(ctx, func(ctx context.Context) error {
		if err := in.rows.insert(ctx, r, body); err != nil {
			return err
		}

		return in.enqueue(ctx, r.ID)
	})
	if errors.Is(err, database.ErrDuplicate) {
		if body.FileSize > 0 {
			in.dropBody(ctx, r.ID)
		}
		in.seen.count(k.name, outcomeDuplicate)

		return in.db.InTx(ctx, func(ctx context.Context) error { return in.rows.countDuplicate(ctx, r) })
	}
	if err == nil {
		in.seen.count(k.name, outcomeAccepted)
	}

	return err
}
