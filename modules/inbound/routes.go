package inbound

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

const mediaBytes = "application/octet-stream"

// replay is the scope of those who have something processed again.
const replay = "replay"

func deliveryRoutes(r *web.Router, inbox *inbound.Inbox) {
	h := handlers{inbox: inbox}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/deliveries", ID: "list_deliveries", Access: web.Read,
		Summary: "List notifications of vendors, the latest first", Description: deliveryList().Describe(), Errors: list.Errors(),
	}, list.Serve(deliveryList(), inbox.List, show))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/deliveries/{uuid}", ID: "read_delivery", Access: web.Read,
		Summary:     "Read a notification as it came",
		Description: "Secrets in headers and query are not kept. A body of more than 1 MiB is left out: it is read at `/deliveries/{uuid}/body`.",
		Errors:      []*errs.Error{inbound.ErrDelivery},
	}, h.read)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/deliveries/{uuid}/body", ID: "read_delivery_body", Access: web.Read,
		Summary:     "Read the body of a notification as it came",
		Description: "However large it is, byte for byte. Parts of it can be asked for (Range).",
		Errors:      append(blob.Errors(), inbound.ErrDelivery, inbound.ErrBodyGone), Produces: []string{mediaBytes},
	}, h.readBody)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/usage", ID: "read_usage", Access: web.Read,
		Summary: "Read how much is kept of notifications as files", Description: "Large bodies are files (inbound.file_above); others are in the database.",
		Errors: []*errs.Error{inbound.ErrDelivery},
	}, h.usage)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/deliveries/{uuid}/replay", ID: "replay_delivery", Access: web.Scope(replay),
		Summary: "Have a notification processed again", Description: "Whatever became of it, by what processes it at first, and soon.",
		Errors: []*errs.Error{inbound.ErrDelivery, inbound.ErrBodyGone},
	}, h.replay)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/deliveries/replay", ID: "replay_deliveries", Access: web.Scope(replay),
		Summary:     "Have several notifications processed again",
		Description: "Those that failed, unless the body says otherwise: 500 at most, the oldest first. With more of them the answer has `next`: send it as `after`.",
		Errors:      []*errs.Error{inbound.ErrDelivery},
	}, h.replayAll)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/refusals", ID: "list_refusals", Access: web.Read,
		Summary:     "List what was refused at the company's endpoints",
		Description: "How often, for which reason: no_key, no_url (no address is configured), unsigned, mismatch, stale, or the code of what the area refused it with. The requests themselves are not kept.",
		Errors:      []*errs.Error{inbound.ErrDelivery},
	}, h.refusals)
}

type handlers struct{ inbox *inbound.Inbox }

func deliveryList() list.Schema { return list.Showing[delivery](inbound.Schema()) }

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the delivery."`
}

type readOutput struct{ Body whole }

func (h handlers) read(ctx context.Context, in *readInput) (*readOutput, error) {
	r, n, err := h.inbox.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return &readOutput{Body: whole{delivery: show(r), Request: showRequest(n, r.Size)}}, nil
}

func (h handlers) readBody(ctx context.Context, in *readInput) (*web.Stream, error) {
	body, err := h.inbox.Body(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return web.NewDownload(mediaBytes, body).Attachment(in.UUID.String()).
		With("Cache-Control", "private, no-cache").With("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'"), nil
}

type usageOutput struct {
	Body struct {
		Files int64 `json:"files" doc:"How many bodies are files."`
		Bytes int64 `json:"bytes" doc:"How many bytes they take."`
	}
}

func (h handlers) usage(ctx context.Context, _ *struct{}) (*usageOutput, error) {
	u, err := h.inbox.Usage(ctx)
	if err != nil {
		return nil, err
	}
	out := &usageOutput{}
	out.Body.Files, out.Body.Bytes = u.Files, u.Bytes

	return out, nil
}

type replayInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the delivery."`
}

type deliveryOutput struct{ Body delivery }

func (h handlers) replay(ctx context.Context, in *replayInput) (*deliveryOutput, error) {
	r, err := h.inbox.Replay(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return &deliveryOutput{Body: show(r)}, nil
}

type replayAllInput struct {
	Body struct {
		State    inbound.State `json:"state,omitempty" enum:"failed,ignored,processed" doc:"What became of them; failed, if it is left out."`
		Kind     string        `json:"kind,omitempty" maxLength:"100" doc:"Of which kind, such as sms.status."`
		Endpoint uuid.UUID     `json:"endpoint_uuid,omitzero" doc:"At which endpoint they came."`
		From     time.Time     `json:"from,omitzero" doc:"When they came, at the earliest."`
		Before   time.Time     `json:"before,omitzero" doc:"Before when they came."`
		After    uuid.UUID     `json:"after,omitzero" doc:"next of the answer before."`
	}
}

type replayAllOutput struct {
	Body replayed
}

func (h handlers) replayAll(ctx context.Context, in *replayAllInput) (*replayAllOutput, error) {
	b := in.Body
	if b.State == "" {
		b.State = inbound.Failed
	}
	n, next, err := h.inbox.ReplayAll(ctx, inbound.Selection{
		State: b.State, Kind: b.Kind, Endpoint: b.Endpoint, From: b.From, Before: b.Before, After: b.After,
	})
	if err != nil {
		return nil, err
	}

	return &replayAllOutput{Body: replayed{Replayed: n, Next: known(next)}}, nil
}

type refusalsOutput struct {
	Body struct {
		Data []refusal `json:"data" nullable:"false"`
	}
}

func (h handlers) refusals(ctx context.Context, _ *struct{}) (*refusalsOutput, error) {
	found, err := h.inbox.Refusals(ctx)
	if err != nil {
		return nil, err
	}
	out := &refusalsOutput{}
	for _, r := range found {
		out.Body.Data = append(out.Body.Data, refusal{
			Kind: r.Kind, Endpoint: r.EndpointID, Reason: r.Reason, Count: r.Count, Address: r.Address, FirstAt: r.FirstAt, LastAt: r.LastAt,
		})
	}

	return out, nil
}
