package packetlink

import "context"

// Sheets show packets.
type Sheets struct {
	entrance *Entrance
	viewer   *Viewer
}

// NewSheets returns a Sheets.
func NewSheets(e *Entrance, v *Viewer) *Sheets { return &Sheets{e, v} }

// read returns the packet as the link holder sees it.
func (s *Sheets) read(ctx context.Context, in *lookInput) (*viewOutput, error) {
	ctx, row, err := s.entrance.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	v, err := s.viewer.view(ctx, row)
	v.Step, v.Problem = in.Step, in.Problem

	return &viewOutput{v}, err
}
