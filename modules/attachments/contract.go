package attachments

import (
	"context"
	"errors"
	"io"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/sharing"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/thumbnails"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
)

// contract implements attachmentsapi.Files.
type contract struct {
	repository *store.Repository
	intake     *files.Intake
	reader     *files.Reader
}

func newFiles(r *store.Repository, i *files.Intake, reader *files.Reader) attachmentsapi.Files {
	return contract{repository: r, intake: i, reader: reader}
}

func newHolds(k *files.Keeper) attachmentsapi.Holds             { return k }
func newSharing(s *sharing.Desk) attachmentsapi.Links           { return s }
func newInviting(l *uploadLinks) attachmentsapi.Uploads         { return l }
func newPreviews(g *thumbnails.Gallery) attachmentsapi.Previews { return g }

// Put implements attachmentsapi.Files.
func (c contract) Put(ctx context.Context, n attachmentsapi.NewFile, content io.Reader) (attachmentsapi.File, error) {
	d := files.Description{Owner: item.Ref{Type: n.OwnerType}, Category: n.Category, Visibility: n.Visibility, Title: n.Title, FileName: n.FileName}
	if n.OwnerUUID != "" {
		id, err := uuid.Parse(n.OwnerUUID)
		if err != nil {
			return attachmentsapi.File{}, store.ErrInvalid.WithField("owner_uuid", "The owner uuid must be a UUID.")
		}
		d.Owner.UUID = id
	}
	if !n.ExpiresAt.IsZero() {
		d.ExpiresAt = &n.ExpiresAt
	}
	if n.UUID == "" {
		row, err := c.intake.Store(ctx, d, receiving.Incoming{Content: content, Types: n.Types}, nil)

		return fileOrError(row, err)
	}
	var err error
	if d.ID, err = uuid.Parse(n.UUID); err != nil || d.ID == uuid.Nil {
		return attachmentsapi.File{}, store.ErrInvalid.WithField("uuid", "The uuid must be a UUID.")
	}

	return c.putOnce(ctx, d, receiving.Incoming{Content: content, Types: n.Types})
}

// putOnce stores a file whose id was chosen before, unless it is there.
func (c contract) putOnce(ctx context.Context, d files.Description, in receiving.Incoming) (attachmentsapi.File, error) {
	row, err := c.repository.Find(ctx, d.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return fileOrError(row, err)
	}
	row, err = c.intake.Store(ctx, d, in, nil)
	if errors.Is(err, database.ErrDuplicate) { // somebody else was faster
		row, err = c.repository.Find(ctx, d.ID)
	}

	return fileOrError(row, err)
}

// Open implements attachmentsapi.Files.
func (c contract) Open(ctx context.Context, id string) (attachmentsapi.File, io.ReadSeekCloser, error) {
	parsed, err := store.ParseID(id)
	if err != nil {
		return attachmentsapi.File{}, nil, err
	}
	row, err := c.reader.Readable(ctx, parsed)
	if err != nil {
		return attachmentsapi.File{}, nil, err
	}
	content, err := c.reader.Open(ctx, row.ID, row.Content)
	if err != nil {
		return attachmentsapi.File{}, nil, err
	}

	return fileOf(row), content, nil
}

// Find implements attachmentsapi.Files.
func (c contract) Find(ctx context.Context, ids ...string) (map[string]attachmentsapi.File, error) {
	var parsed []uuid.UUID
	for _, text := range ids {
		if id, err := uuid.Parse(text); err == nil {
			parsed = append(parsed, id)
		}
	}
	if len(parsed) > files.MostFound {
		return nil, store.ErrInvalid.WithField("uuids", "The files must be at most 200 at a time.")
	}
	rows, err := c.repository.FindByIDs(ctx, parsed)
	found := make(map[string]attachmentsapi.File, len(rows))
	for _, row := range rows {
		found[row.ID.String()] = fileOf(row)
	}

	return found, err
}

// OfOwner implements attachmentsapi.Files.
func (c contract) OfOwner(ctx context.Context, ownerType, ownerUUID string) ([]attachmentsapi.File, error) {
	id, err := uuid.Parse(ownerUUID)
	if err != nil {
		return nil, store.ErrInvalid.WithField("owner_uuid", "The owner uuid must be a UUID.")
	}
	rows, err := c.repository.FindByOwner(ctx, ownerType, id, files.MostFound)
	found := make([]attachmentsapi.File, len(rows))
	for i, row := range rows {
		found[i] = fileOf(row)
	}

	return found, err
}

// fileOrError is a file with the error of what made it.
func fileOrError(row store.Attachment, err error) (attachmentsapi.File, error) {
	if err != nil {
		return attachmentsapi.File{}, err
	}

	return fileOf(row), nil
}

// fileOf is an attachment as other areas see it.
func fileOf(row store.Attachment) attachmentsapi.File {
	f := attachmentsapi.File{
		UUID: row.ID.String(), OwnerType: row.OwnerType, Category: row.Category, Visibility: row.Visibility, Title: row.Title,
		FileName: row.FileName, MediaType: row.MediaType, Size: row.Size, SHA256: row.SHA256, State: string(row.State), CreatedAt: row.CreatedAt,
	}
	if row.OwnerID != nil {
		f.OwnerUUID = row.OwnerID.String()
	}

	return f
}
