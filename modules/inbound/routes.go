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
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

const mediaBytes = "application/octet-stream"

// replay is the scope of those who have something processed again.
const replay = "replay"

func deliveryRoutes(r *web.Router, inbox *inbound.Inbox) {
	h := handlers{inbox: inbox}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/deliveries", ID: "list_deliveries", Access: web.Read,
		Summary: "List notifications of vendors, the latest first", Description: deliveryList().Describe(), Errors: list.Errors,
	}, list.Serve(deliveryList(), inbox.List, deliveryOf))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/deliveries/{uuid}", ID: "read_delivery", Access: web.Read,
		Summary:     "Read a notification",
		Description: "Secrets in headers and query are not kept. A body of more than 1 MiB is left out: read it at `/deliveries/{uuid}/body`.",
		Errors:      []*errs.Error{inbound.ErrDelivery},
	}, h.read)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/deliveries/{uuid}/body", ID: "read_delivery_body", Access: web.Read,
		Summary:     "Read the original body of a notification",
		Description: "Returns the body byte for byte, whatever its size. Supports Range.",
		Errors:      append(blob.Errors, inbound.ErrDelivery, inbound.ErrBodyGone), Produces: []string{mediaBytes},
	}, h.readBody)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/usage", ID: "read_usage", Access: web.Read,
		Summary: "Read how much storage notifications use as files", Description: "Large bodies are files (inbound.file_above); others are in the database.",
		Errors: []*errs.Error{inbound.ErrDelivery},
	}, h.usage)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/deliveries/{uuid}/replay", ID: "replay_delivery", Access: web.Scope(replay),
		Summary: "Replay a notification", Description: "Processes the notification again soon, whatever its state.",
		Errors: []*errs.Error{inbound.ErrDelivery, inbound.ErrBodyGone},
	}, h.replay)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/deliveries/replay", ID: "replay_deliveries", Access: web.Scope(replay),
		Summary:     "Replay several notifications",
		Description: "Replays failed notifications, unless the body selects others: at most 500, oldest first. If there are more, the answer has `next`: send it as `after`.",
		Errors:      []*errs.Error{inbound.ErrDelivery},
	}, h.replayAll)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/refusals", ID: "list_refusals", Access: web.Read,
		Summary:     "List the notifications refused at the company's endpoints",
		Description: "Counts by reason: no_key, no_url (no address is configured), unsigned, mismatch, stale, or the error code of the area. The requests themselves are not kept.",
		Errors:      []*errs.Error{inbound.ErrDelivery},
	}, h.refusals)
}

type handlers struct{ inbox *inbound.Inbox }

func deliveryList() list.Schema { return list.ShownAs[delivery](inbound.Schema) }

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the delivery."`
}

type readOutput struct{ Body whole }

func (h handlers) read(ctx context.Context, in *readInput) (*readOutput, error) {
	r, n, err := h.inbox.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return &readOutput{Body: whole{delivery: deliveryOf(r), Request: showRequest(n, r.Size)}}, nil
}

func (h handlers) readBody(ctx context.Context, in *readInput) (*stream.Stream, error) {
	body, err := h.inbox.Body(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(mediaBytes, body).Attachment(in.UUID.String()).
		With("Cache-Control", "private, no-cache").With("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'"), nil
}

type usageOutput struct {
	Body struct {
		Files int64 `json:"files" doc:"Number of bodies stored as files."`
		Bytes int64 `json:"bytes" doc:"Total size in bytes."`
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

	return &deliveryOutput{Body: deliveryOf(r)}, nil
}

type replayAllInput struct {
	Body struct {
		State    inbound.State `json:"state,omitempty" enum:"failed,ignored,processed" doc:"State of the notifications; by default failed."`
		Kind     string        `json:"kind,omitempty" maxLength:"100" doc:"Kind, such as sms.status."`
		Endpoint uuid.UUID     `json:"endpoint_uuid,omitzero" doc:"Endpoint that received them."`
		From     time.Time     `json:"from,omitzero" doc:"Received at or after this time."`
		Before   time.Time     `json:"before,omitzero" doc:"Received before this time."`
		After    uuid.UUID     `json:"after,omitzero" doc:"next of the previous answer."`
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

	return &replayAllOutput{Body: replayed{Replayed: n, Next: uuidOrNil(next)}}, nil
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
