package onboarding

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Progress says how far packets are.
type Progress struct {
	packets *resource.Resource[packet.Packet]
	files   attachmentsapi.Files
}

// NewProgress returns a Progress.
func NewProgress(packets *resource.Resource[packet.Packet], files attachmentsapi.Files) *Progress {
	return &Progress{packets, files}
}

// Of returns the steps and the files of a packet.
func (p *Progress) Of(ctx context.Context, row packet.Packet) ([]packet.StepView, packet.Files, error) {
	files, err := p.files.OfOwner(ctx, packet.Item, row.ID.String())
	if err != nil {
		return nil, nil, err
	}
	today, err := p.packets.Today(ctx)

	return row.Steps(files, today), files, err
}
