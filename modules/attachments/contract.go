package attachments

import (
	"context"
	"errors"
	"io"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostFound is how many files other areas are given at a time.
const mostFound = 200

// contract is what other areas are given.
type contract struct {
	files *service
	links *links
}

func newFiles(l *links) attachmentsapi.Files         { return contract{files: l.files, links: l} }
func newSharing(l *links) attachmentsapi.Links       { return contract{files: l.files, links: l} }
func newUploads(l *links) attachmentsapi.Uploads     { return contract{files: l.files, links: l} }
func newHolds(l *links) attachmentsapi.Holds         { return contract{files: l.files, links: l} }
func newPreviews(g *gallery) attachmentsapi.Previews { return g }

// parseID reads an id of another area's; what is none is not there.
func parseID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return id, store.ErrNotFound
	}

	return id, nil
}

// Put implements attachmentsapi.Files.
func (c contract) Put(ctx context.Context, n attachmentsapi.NewFile, content io.Reader) (attachmentsapi.File, error) {
	d := description{Owner: item.Ref{Type: n.OwnerType}, Category: n.Category, Visibility: n.Visibility, Title: n.Title, FileName: n.FileName}
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
		row, err := c.files.store(ctx, d, receiving.Incoming{Content: content, Types: n.Types}, nil)

		return fileOrError(row, err)
	}
	var err error
	if d.ID, err = uuid.Parse(n.UUID); err != nil || d.ID == uuid.Nil {
		return attachmentsapi.File{}, store.ErrInvalid.WithField("uuid", "The uuid must be a UUID.")
	}

	return c.putOnce(ctx, d, receiving.Incoming{Content: content, Types: n.Types})
}

// putOnce stores a file whose id was chosen before, unless it is there.
func (c contract) putOnce(ctx context.Context, d description, in receiving.Incoming) (attachmentsapi.File, error) {
	row, err := c.files.repository.Find(ctx, d.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return fileOrError(row, err)
	}
	row, err = c.files.store(ctx, d, in, nil)
	if errors.Is(err, database.ErrDuplicate) { // somebody else was faster
		row, err = c.files.repository.Find(ctx, d.ID)
	}

	return fileOrError(row, err)
}

// Open implements attachmentsapi.Files.
func (c contract) Open(ctx context.Context, id string) (attachmentsapi.File, io.ReadSeekCloser, error) {
	parsed, err := parseID(id)
	if err != nil {
		return attachmentsapi.File{}, nil, err
	}
	row, err := c.files.readable(ctx, parsed)
	if err != nil {
		return attachmentsapi.File{}, nil, err
	}
	v, err := c.files.repository.FindVersion(ctx, row.ID, row.Content)
	if err != nil {
		return attachmentsapi.File{}, nil, err
	}

	return fileOf(row), c.files.storage.Blobs.Open(ctx, v.BlobName, v.Size), nil
}

// Find implements attachmentsapi.Files.
func (c contract) Find(ctx context.Context, ids ...string) (map[string]attachmentsapi.File, error) {
	var parsed []uuid.UUID
	for _, text := range ids {
		if id, err := uuid.Parse(text); err == nil {
			parsed = append(parsed, id)
		}
	}
	if len(parsed) > mostFound {
		return nil, store.ErrInvalid.WithField("uuids", "The files must be at most 200 at a time.")
	}
	rows, err := c.files.repository.FindByIDs(ctx, parsed)
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
	rows, err := c.files.repository.FindByOwner(ctx, ownerType, id, mostFound)
	files := make([]attachmentsapi.File, len(rows))
	for i, row := range rows {
		files[i] = fileOf(row)
	}

	return files, err
}

// Link implements attachmentsapi.Links.
func (c contract) Link(ctx context.Context, id string, s attachmentsapi.Share) (string, error) {
	parsed, err := parseID(id)
	if err != nil {
		return "", err
	}
	_, text, err := c.links.share(ctx, parsed, s)
	if err != nil {
		return "", err
	}

	return c.links.address("/shared/", text), nil
}

// Invite implements attachmentsapi.Uploads.
func (c contract) Invite(ctx context.Context, u attachmentsapi.Upload) (attachmentsapi.UploadLink, error) {
	owner, err := uuid.Parse(u.OwnerUUID)
	if err != nil {
		return attachmentsapi.UploadLink{}, store.ErrInvalid.WithField("owner_uuid", "The owner uuid must be a UUID.")
	}
	row, text, err := c.links.invite(ctx, wish{
		description: description{Owner: item.Ref{Type: u.OwnerType, UUID: owner}, Category: u.Category, Title: u.Title},
		Message:     u.Message, Brand: u.Brand, MaxUploads: int64(max(u.MaxUploads, 1)), MaxSize: u.MaxSize, Types: u.Types, Until: u.ExpiresAt,
	})
	if err != nil {
		return attachmentsapi.UploadLink{}, err
	}

	return attachmentsapi.UploadLink{UUID: row.ID.String(), URL: c.links.address("/uploads/", text)}, nil
}

// Revoke implements attachmentsapi.Uploads.
func (c contract) Revoke(ctx context.Context, id string) error {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return store.ErrUploadLink
	}
	_, err = c.links.revoke(ctx, parsed)

	return err
}

// Hold implements attachmentsapi.Holds.
func (c contract) Hold(ctx context.Context, id, holderType, holderUUID string) error {
	row, err := newHold(id, holderType, holderUUID)
	if err != nil {
		return err
	}

	return c.files.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := c.files.lockMatching(ctx, row.AttachmentID, web.IfMatch{}); err != nil {
			return err
		}
		row.CreatedAt = c.files.clock.Now()

		return c.files.repository.AddHold(ctx, &row)
	})
}

// Release implements attachmentsapi.Holds.
func (c contract) Release(ctx context.Context, id, holderType, holderUUID string) error {
	row, err := newHold(id, holderType, holderUUID)
	if err != nil {
		return err
	}

	return c.files.db.InTx(ctx, func(ctx context.Context) error { return c.files.repository.DeleteHold(ctx, row) })
}

func newHold(id, holderType, holderUUID string) (store.Hold, error) {
	parsed, err := parseID(id)
	if err != nil {
		return store.Hold{}, err
	}
	holder, err := uuid.Parse(holderUUID)
	if err != nil || holderType == "" {
		return store.Hold{}, store.ErrInvalid.WithField("holder", "The holder must be an item: a type and a UUID.")
	}

	return store.Hold{AttachmentID: parsed, HolderType: holderType, HolderID: holder}, nil
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
