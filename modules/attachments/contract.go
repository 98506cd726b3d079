package attachments

import (
	"context"
	"errors"
	"io"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostFound is how many files other areas are given at a time.
const mostFound = 200

// contract is what other areas are given.
type contract struct{ *links }

func newFiles(l *links) attachmentsapi.Files   { return contract{l} }
func newSharing(l *links) attachmentsapi.Links { return contract{l} }
func newHolds(l *links) attachmentsapi.Holds   { return contract{l} }

// parseID reads an id of another area's; what is none is not there.
func parseID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return id, errNotFound
	}

	return id, nil
}

// Put implements attachmentsapi.Files.
func (c contract) Put(ctx context.Context, n attachmentsapi.NewFile, content io.Reader) (attachmentsapi.File, error) {
	d := description{Owner: item.Ref{Type: n.OwnerType}, Category: n.Category, Visibility: n.Visibility, Title: n.Title, FileName: n.FileName}
	if n.OwnerUUID != "" {
		id, err := uuid.Parse(n.OwnerUUID)
		if err != nil {
			return attachmentsapi.File{}, errInvalid.WithField("owner_uuid", "The owner uuid must be a UUID.")
		}
		d.Owner.UUID = id
	}
	if !n.ExpiresAt.IsZero() {
		d.ExpiresAt = &n.ExpiresAt
	}
	if n.UUID == "" {
		row, err := c.store(ctx, d, incoming{content: content}, nil)

		return row.filed(err)
	}
	var err error
	if d.ID, err = uuid.Parse(n.UUID); err != nil || d.ID == uuid.Nil {
		return attachmentsapi.File{}, errInvalid.WithField("uuid", "The uuid must be a UUID.")
	}

	return c.putOnce(ctx, d, content)
}

// putOnce stores a file whose id was chosen before, unless it is there.
func (c contract) putOnce(ctx context.Context, d description, content io.Reader) (attachmentsapi.File, error) {
	row, err := c.repository.find(ctx, d.ID)
	if !errors.Is(err, errNotFound) {
		return row.filed(err)
	}
	row, err = c.store(ctx, d, incoming{content: content}, nil)
	if errors.Is(err, database.ErrDuplicate) { // somebody else was faster
		row, err = c.repository.find(ctx, d.ID)
	}

	return row.filed(err)
}

// Open implements attachmentsapi.Files.
func (c contract) Open(ctx context.Context, id string) (attachmentsapi.File, io.ReadSeekCloser, error) {
	parsed, err := parseID(id)
	if err != nil {
		return attachmentsapi.File{}, nil, err
	}
	row, err := c.readable(ctx, parsed)
	if err != nil {
		return attachmentsapi.File{}, nil, err
	}
	v, err := c.repository.findVersion(ctx, row.ID, row.Content)
	if err != nil {
		return attachmentsapi.File{}, nil, err
	}

	return row.file(), c.storage.files.Open(ctx, v.BlobName, v.Size), nil
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
		return nil, errInvalid.WithField("uuids", "The files must be at most 200 at a time.")
	}
	rows, err := c.repository.some(ctx, parsed)
	found := make(map[string]attachmentsapi.File, len(rows))
	for _, row := range rows {
		found[row.ID.String()] = row.file()
	}

	return found, err
}

// OfOwner implements attachmentsapi.Files.
func (c contract) OfOwner(ctx context.Context, ownerType, ownerUUID string) ([]attachmentsapi.File, error) {
	id, err := uuid.Parse(ownerUUID)
	if err != nil {
		return nil, errInvalid.WithField("owner_uuid", "The owner uuid must be a UUID.")
	}
	rows, err := c.repository.ofOwner(ctx, ownerType, id, mostFound)
	files := make([]attachmentsapi.File, len(rows))
	for i, row := range rows {
		files[i] = row.file()
	}

	return files, err
}

// Link implements attachmentsapi.Links.
func (c contract) Link(ctx context.Context, id string, s attachmentsapi.Share) (string, error) {
	parsed, err := parseID(id)
	if err != nil {
		return "", err
	}
	_, text, err := c.share(ctx, parsed, s)
	if err != nil {
		return "", err
	}

	return c.address("/shared/", text), nil
}

// Hold implements attachmentsapi.Holds.
func (c contract) Hold(ctx context.Context, id, holderType, holderUUID string) error {
	row, err := newHold(id, holderType, holderUUID)
	if err != nil {
		return err
	}

	return c.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := c.there(ctx, row.AttachmentID, web.IfMatch{}); err != nil {
			return err
		}
		row.CreatedAt = c.clock.Now()

		return c.repository.addHold(ctx, &row)
	})
}

// Release implements attachmentsapi.Holds.
func (c contract) Release(ctx context.Context, id, holderType, holderUUID string) error {
	row, err := newHold(id, holderType, holderUUID)
	if err != nil {
		return err
	}

	return c.db.InTx(ctx, func(ctx context.Context) error { return c.repository.dropHold(ctx, row) })
}

func newHold(id, holderType, holderUUID string) (hold, error) {
	parsed, err := parseID(id)
	if err != nil {
		return hold{}, err
	}
	holder, err := uuid.Parse(holderUUID)
	if err != nil || holderType == "" {
		return hold{}, errInvalid.WithField("holder", "The holder must be an item: a type and a UUID.")
	}

	return hold{AttachmentID: parsed, HolderType: holderType, HolderID: holder}, nil
}

// filed is a file with the error of what made it.
func (row attachment) filed(err error) (attachmentsapi.File, error) {
	if err != nil {
		return attachmentsapi.File{}, err
	}

	return row.file(), nil
}

// file is an attachment as other areas see it.
func (row attachment) file() attachmentsapi.File {
	f := attachmentsapi.File{
		UUID: row.ID.String(), OwnerType: row.OwnerType, Category: row.Category, Visibility: row.Visibility, Title: row.Title,
		FileName: row.FileName, MediaType: row.MediaType, Size: row.Size, SHA256: row.SHA256, State: string(row.State), CreatedAt: row.CreatedAt,
	}
	if row.OwnerID != nil {
		f.OwnerUUID = row.OwnerID.String()
	}

	return f
}
