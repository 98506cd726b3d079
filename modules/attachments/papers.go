package attachments

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// papers has the files of items be among their papers. It implements document.Files.
type papers struct{ files attachmentsapi.Files }

func newPapers(f attachmentsapi.Files) *papers { return &papers{f} }

// of are the files of an item that can be read.
func (p *papers) of(ctx context.Context, owner item.Ref) ([]document.Paper, error) {
	files, err := p.files.OfOwner(ctx, owner.Type, owner.UUID.String())
	var all []document.Paper
	for _, f := range files {
		if !f.Ready() {
			continue
		}
		all = append(all, document.Paper{
			UUID: item.ID(f.UUID), Kind: document.KindFile, Title: f.Name(), CreatedAt: f.CreatedAt, Visibility: document.Visibility(f.Visibility),
		})
	}

	return all, err
}

// Download implements document.Files.
func (p *papers) Download(ctx context.Context, id uuid.UUID) (*stream.Stream, error) {
	file, content, err := p.files.Open(ctx, id.String())
	if err != nil {
		return nil, err
	}

	return stream.NewFile(file.FileName, file.MediaType, file.SHA256, content), nil
}

// Path implements document.Files.
func (*papers) Path(id uuid.UUID) string {
	return "/attachments/api/v1/attachments/" + id.String() + "/content"
}
