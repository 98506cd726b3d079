package inbound

import (
	"encoding/hex"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/inbound"
)

// shownBody is the largest body that is shown unasked, in bytes.
const shownBody = 1 << 20

// delivery is a delivery as answers show it.
type delivery struct {
	UUID            uuid.UUID     `json:"uuid"`
	Kind            string        `json:"kind" doc:"Kind of notification, such as sms.status."`
	Endpoint        uuid.UUID     `json:"endpoint_uuid" doc:"Endpoint that received it."`
	State           inbound.State `json:"state" enum:"received,processed,failed,ignored"`
	Attempts        int           `json:"attempts" doc:"Number of attempts to process it."`
	Error           string        `json:"error" doc:"Error of the last attempt, or why there was nothing to do."`
	Key             string        `json:"key" doc:"Key that it was signed with."`
	DedupeKey       string        `json:"dedupe_key" doc:"Hash that identifies the notification: duplicates have the same one."`
	Size            int64         `json:"size" doc:"Size of the body in bytes."`
	Duplicates      int           `json:"duplicates" doc:"Number of duplicates received."`
	Replays         int           `json:"replays" doc:"Number of times it was replayed."`
	Address         string        `json:"address" doc:"IP address of the sender."`
	RequestID       string        `json:"request_id"`
	ReceivedAt      time.Time     `json:"received_at"`
	LastDuplicateAt *time.Time    `json:"last_duplicate_at"`
	ProcessedAt     *time.Time    `json:"processed_at"`
}

// SchemaName is the name of the delivery in the OpenAPI document.
func (delivery) SchemaName() string { return "InboundDelivery" }

func deliveryOf(r inbound.Recorded) delivery {
	return delivery{
		UUID: r.ID, Kind: r.Kind, Endpoint: r.Endpoint, State: r.State, Attempts: r.Attempts, Error: r.Error, Key: r.Key,
		DedupeKey: hex.EncodeToString(r.DedupeKey), Size: r.Size, Duplicates: r.Duplicates, Replays: r.Replays, Address: r.Address,
		RequestID: r.RequestID, ReceivedAt: r.ReceivedAt, LastDuplicateAt: r.LastDuplicateAt, ProcessedAt: r.ProcessedAt,
	}
}

// whole is a delivery with the request.
type whole struct {
	delivery

	Request *request `json:"request" doc:"The original request; null if it is no longer kept."`
}

// SchemaName is the name of it in the OpenAPI document.
func (whole) SchemaName() string { return "InboundDeliveryWithRequest" }

type request struct {
	Target  string              `json:"target" doc:"Path and query."`
	Headers map[string][]string `json:"headers" nullable:"false"`
	Text    *string             `json:"body" doc:"The body, if it is text in UTF-8."`
	Bytes   []byte              `json:"body_base64" doc:"The body in base64, if it is not text."`
	LeftOut bool                `json:"body_left_out" doc:"Whether the body is left out because of its size: read it at /deliveries/{uuid}/body."`
}

// SchemaName is the name of the request in the OpenAPI document.
func (request) SchemaName() string { return "InboundRequest" }

func showRequest(n *inbound.Notification, size int64) *request {
	if n == nil {
		return nil
	}
	r := &request{Target: n.Target, Headers: n.Header}
	switch {
	case size > shownBody || size > int64(len(n.Body)):
		r.LeftOut = true
	case utf8.Valid(n.Body):
		r.Text = new(string(n.Body))
	default:
		r.Bytes = n.Body
	}

	return r
}

type replayed struct {
	Replayed int        `json:"replayed" doc:"Number of notifications to be processed again."`
	Next     *uuid.UUID `json:"next" doc:"Value of after for the next call; null if these were all."`
}

// SchemaName is the name of the answer in the OpenAPI document.
func (replayed) SchemaName() string { return "InboundReplayed" }

type refusal struct {
	Kind     string    `json:"kind"`
	Endpoint uuid.UUID `json:"endpoint_uuid"`
	Reason   string    `json:"reason" doc:"no_key, no_url, unsigned, mismatch, stale, or a code of the area, such as esign.other_account."`
	Count    int64     `json:"count"`
	Address  string    `json:"address" doc:"IP address of the last recorded one."`
	FirstAt  time.Time `json:"first_at"`
	LastAt   time.Time `json:"last_at"`
}

// SchemaName is the name of the refusal in the OpenAPI document.
func (refusal) SchemaName() string { return "InboundRefusal" }

func uuidOrNil(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}

	return &id
}
