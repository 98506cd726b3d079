package onboarding

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Reader reads packets for the company.
type Reader struct {
	packets  *resource.Resource[packet.Packet]
	carriers *Carriers
	progress *Progress
}

// NewReader returns a Reader.
func NewReader(packets *resource.Resource[packet.Packet], carriers *Carriers, p *Progress) *Reader {
	return &Reader{packets, carriers, p}
}

// ReadRoutes registers the operation that reads a packet.
func ReadRoutes(r *web.Router, s *Reader) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/packets/{uuid}", ID: "read_packet", Access: web.Read, Summary: "Read a packet",
		Description: "The response lists the changes that an approval makes, and which of them differ from the regulator's record.",
		Errors:      []*errs.Error{s.packets.NotFound()},
	}, s.read)
}

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

// details are a packet with the changes that an approval makes.
type details struct {
	packet.Packet

	Changes []Difference      `json:"changes" nullable:"false" doc:"Changes of the carrier that an approval makes."`
	Steps   []packet.StepView `json:"steps" nullable:"false"`
	Files   []fileRef         `json:"files" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (details) SchemaName() string { return "CarrierPacketDetails" }

type fileRef struct {
	packet.FileView

	Attachment uuid.UUID `json:"attachment_uuid"`
	SHA256     string    `json:"sha256"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (fileRef) SchemaName() string { return "CarrierPacketFile" }

func (s *Reader) read(ctx context.Context, in *readInput) (*web.Resource[details], error) {
	row, err := s.packets.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	if err := s.packets.Show(ctx, nil, &row); err != nil {
		return nil, err
	}
	known, err := s.carriers.Known(ctx, row.Carrier)
	if err != nil {
		return nil, err
	}
	steps, files, err := s.progress.Of(ctx, row)
	if err != nil {
		return nil, err
	}
	out := details{Packet: row, Changes: differences(known, row.Proposal.V.SeenBy(ctx)), Steps: steps, Files: []fileRef{}}
	for i, v := range files.Views() {
		id, err := uuid.Parse(files[i].UUID)
		if err != nil {
			return nil, err
		}
		out.Files = append(out.Files, fileRef{v, id, files[i].SHA256})
	}

	return web.NewResource(out, row.Version, packet.Base+"/packets/"+row.ID.String()), nil
}
