package esign

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
)

// listener lets go of the attachments of envelopes that ended without being signed. Deliveries that wait have its methods' names.
type listener struct{ holdings *envelopes.Holdings }

func newListener(h *envelopes.Holdings) *listener { return &listener{holdings: h} }

func (l *listener) onDeclined(ctx context.Context, e esignapi.EnvelopeDeclined) error {
	return l.holdings.ReleaseFilesOf(ctx, e.About)
}

func (l *listener) onVoided(ctx context.Context, e esignapi.EnvelopeVoided) error {
	return l.holdings.ReleaseFilesOf(ctx, e.About)
}

func (l *listener) onExpired(ctx context.Context, e esignapi.EnvelopeExpired) error {
	return l.holdings.ReleaseFilesOf(ctx, e.About)
}

func (l *listener) onDeleted(ctx context.Context, e esignapi.EnvelopeDeleted) error {
	return l.holdings.ReleaseFilesOf(ctx, e.About)
}
