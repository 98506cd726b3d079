package archive

import (
	"context"
	"io"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

const mediaZip = "application/zip"

// Routes are the operations on several attachments at a time.
func Routes(r *web.Router, a *Archiver) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/archive", ID: "read_archive", Access: web.Read,
		Summary: "Read the newest content of several attachments as a ZIP archive",
		Description: "Those that are named, or those of an item that can be read; 200 at most. " +
			"What fails midway ends the connection: an archive that arrives whole is whole.",
		Errors: append(blob.Errors, store.ErrInvalid, store.ErrNotFound, store.ErrNotReady, store.ErrQuarantined, store.ErrArchive), Produces: []string{mediaZip},
	}, a.getArchive)
}

type input struct {
	UUIDs     []string  `query:"uuids" maxItems:"200" doc:"Ids of attachments, with commas between them."`
	OwnerType string    `query:"owner_type" maxLength:"100" doc:"Instead of uuids: type of the item whose attachments they are."`
	OwnerUUID uuid.UUID `query:"owner_uuid" format:"uuid" doc:"Which item."`
}

func (in *input) ids() ([]uuid.UUID, error) {
	switch {
	case (in.OwnerType == "") != (in.OwnerUUID == uuid.Nil):
		return nil, store.ErrInvalid.WithField("owner_uuid", "The owner type and the owner uuid must be given together.")
	case (in.OwnerType == "") == (len(in.UUIDs) == 0):
		return nil, store.ErrInvalid.WithField("uuids", "Either the uuids of attachments must be given, or the owner type and the owner uuid.")
	}
	ids := make([]uuid.UUID, len(in.UUIDs))
	for i, text := range in.UUIDs {
		id, err := uuid.Parse(text)
		if err != nil || len(text) != len(id.String()) {
			return nil, store.ErrInvalid.WithField("uuids", "The uuids must be UUIDs with commas between them.")
		}
		ids[i] = id
	}

	return ids, nil
}

func (a *Archiver) getArchive(ctx context.Context, in *input) (*stream.Stream, error) {
	ids, err := in.ids()
	if err != nil {
		return nil, err
	}
	entries, err := a.pack(ctx, ids, item.Ref{Type: in.OwnerType, UUID: in.OwnerUUID})
	if err != nil {
		return nil, err
	}

	return stream.New(mediaZip, func(ctx context.Context, w io.Writer) error { return a.zip(ctx, w, entries) }).
		With("Cache-Control", "private, no-store").Attachment("attachments.zip"), nil
}
