// Package archive packs files into ZIP archives.
package archive

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/item"
)

// Archiver packs files that may be read.
type Archiver struct {
	repository *store.Repository
	reader     *files.Reader
	blobs      *blob.Store
	most       int64 // bytes of the files of an archive
}

// New returns the archiver of a repository.
func New(s settings.Settings, r *store.Repository, reader *files.Reader, blobs *blob.Store) *Archiver {
	return &Archiver{repository: r, reader: reader, blobs: blobs, most: int64(s.MaxArchive)}
}

// entry is a file that goes into an archive.
type entry struct {
	store.Attachment

	name string
	from store.Version
}

// pack finds the files of an archive: those that are named, each of which must be there and readable, or those of
// an owner that can be read.
func (a *Archiver) pack(ctx context.Context, ids []uuid.UUID, owner item.Ref) ([]entry, error) {
	rows, err := a.chosen(ctx, ids, owner)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, store.ErrNotFound
	}
	total := int64(0)
	for _, row := range rows {
		total += row.Size
	}
	if limit := a.most; total > limit {
		return nil, store.ErrArchive.WithMessage("The files have %d bytes in total; an archive can have at most %s. Name fewer files.", total, config.Size(limit)).
			WithDetail("bytes", total).WithDetail("limit", limit)
	}
	newest, err := a.repository.NewestVersions(ctx, rows)
	if err != nil {
		return nil, err
	}
	names, entries := filetype.NameList{}, make([]entry, len(rows))
	for i, row := range rows {
		entries[i] = entry{Attachment: row, name: names.Unique(row.FileName), from: newest[row.ID]}
	}

	return entries, nil
}

func (a *Archiver) chosen(ctx context.Context, ids []uuid.UUID, owner item.Ref) ([]store.Attachment, error) {
	if owner.Type != "" {
		rows, err := a.repository.FindByOwner(ctx, owner.Type, owner.UUID, files.MostFound+1)
		rows = slices.DeleteFunc(rows, func(row store.Attachment) bool { return a.reader.MayRead(row) != nil })
		if err == nil && len(rows) > files.MostFound {
			err = store.ErrArchive.WithMessage("The item has more than %d files, the maximum of an archive. Name some by their uuids.", files.MostFound)
		}

		return rows, err
	}
	found, err := a.repository.FindByIDs(ctx, ids)
	if err != nil {
		return nil, err
	}
	rows := make([]store.Attachment, 0, len(ids))
	for _, id := range ids {
		at := slices.IndexFunc(found, func(row store.Attachment) bool { return row.ID == id })
		if at < 0 {
			return nil, store.ErrNotFound.WithMessage("There is no attachment %s.", id)
		}
		if err := a.reader.MayRead(found[at]); err != nil {
			return nil, fmt.Errorf("attachment %s: %w", id, err)
		}
		if !slices.ContainsFunc(rows, func(row store.Attachment) bool { return row.ID == id }) {
			rows = append(rows, found[at])
		}
	}

	return rows, nil
}

// zip writes an archive. What fails midway ends it without its directory, so that nobody takes it for whole.
func (a *Archiver) zip(ctx context.Context, w io.Writer, entries []entry) error {
	archive := zip.NewWriter(w)
	for _, file := range entries {
		// It may have been quarantined, or deleted, since the archive was begun.
		if _, err := a.reader.Readable(ctx, file.ID); err != nil {
			return fmt.Errorf("attachment %s: %w", file.ID, err)
		}
		if err := a.zipOne(ctx, archive, file); err != nil {
			return fmt.Errorf("attachment %s: %w", file.ID, err)
		}
	}

	return archive.Close()
}

func (a *Archiver) zipOne(ctx context.Context, archive *zip.Writer, file entry) (err error) {
	head := &zip.FileHeader{Name: file.name, Method: zip.Store, Modified: file.from.CreatedAt}
	if isCompressible(file.from.MediaType) {
		head.Method = zip.Deflate
	}
	entry, err := archive.CreateHeader(head)
	if err != nil {
		return err
	}
	object := a.blobs.Open(ctx, file.from.BlobName, file.from.Size)
	defer func() {
		if closed := object.Close(); err == nil {
			err = closed
		}
	}()
	_, err = io.Copy(entry, object)

	return err
}

// isCompressible reports whether content of a type becomes smaller when it is packed; most is packed already.
func isCompressible(media string) bool {
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+xml") || strings.HasSuffix(media, "json") ||
		slices.Contains([]string{"application/xml", "application/msword", "application/vnd.ms-excel", "image/bmp", "image/tiff", "audio/wav"}, media)
}
