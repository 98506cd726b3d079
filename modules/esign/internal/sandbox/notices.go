package sandbox

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
)

// Bringing is the job that brings us what there is to tell of an envelope. There is one for each thing that happened.
type Bringing struct {
	Envelope uuid.UUID `json:"envelope"`
}

// Kind implements jobs.Args.
func (Bringing) Kind() string { return "esign.sandbox_tell" }

// Bring does the job: it sends the notices of an envelope by send, with a retryCount.
func (s *Sandbox) Bring(ctx context.Context, args Bringing, send func(ctx context.Context, n *vendorsandbox.Notice, body []byte) error) error {
	return s.courier.Deliver(ctx, args.Envelope, func(ctx context.Context, n *vendorsandbox.Notice) error {
		body, err := counted(n)
		if err != nil {
			return err
		}

		return send(ctx, n, body)
	})
}

// counted is the body of a notice with how often it was sent before.
func counted(n *vendorsandbox.Notice) ([]byte, error) {
	var body map[string]json.RawMessage
	if err := json.Unmarshal(n.Body, &body); err != nil {
		return nil, fmt.Errorf("notice %s: %w", n.ID, err)
	}
	body["retryCount"] = fmt.Appendf(nil, "%d", n.Tries)

	return json.Marshal(body)
}

// Forget forgets what an account had.
func (s *Sandbox) Forget(ctx context.Context, account uuid.UUID) error {
	return s.store.deleteAccount(ctx, account)
}
