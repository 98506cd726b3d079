package sandbox

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
)

// DeliverJob is the job that brings us what there is to tell of an envelope. There is one for each thing that happened.
type DeliverJob struct {
	Envelope uuid.UUID `json:"envelope"`
}

// Kind implements jobs.Args.
func (DeliverJob) Kind() string { return "esign.sandbox_tell" }

// DeliverNotices does the job: it sends the notices of an envelope by send, with a retryCount.
func (s *Sandbox) DeliverNotices(ctx context.Context, args DeliverJob, send func(ctx context.Context, n *vendorsandbox.Notice, body []byte) error) error {
	return s.courier.Deliver(ctx, args.Envelope, func(ctx context.Context, n *vendorsandbox.Notice) error {
		body, err := withRetryCount(n)
		if err != nil {
			return err
		}

		return send(ctx, n, body)
	})
}

// withRetryCount is the body of a notice with how often it was sent before.
func withRetryCount(n *vendorsandbox.Notice) ([]byte, error) {
	var body map[string]json.RawMessage
	if err := json.Unmarshal(n.Body, &body); err != nil {
		return nil, fmt.Errorf("notice %s: %w", n.ID, err)
	}
	body["retryCount"] = fmt.Appendf(nil, "%d", n.Tries)

	return json.Marshal(body)
}

// ForgetAccount forgets what an account had.
func (s *Sandbox) ForgetAccount(ctx context.Context, account uuid.UUID) error {
	return s.store.deleteAccount(ctx, account)
}
