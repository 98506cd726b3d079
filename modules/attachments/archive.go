package attachments

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/item"
)

// archiveEntry is a file that goes into an archive.
type archiveEntry struct {
	store.Attachment

	name string
	from store.Version
}

// pack finds the files of an archive: those that are named, each of which must be there and readable, or those of
// an owner that can be read.
func (s *service) pack(ctx context.Context, ids []uuid.UUID, owner item.Ref) ([]archiveEntry, error) {
	rows, err := s.chosen(ctx, ids, owner)
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
	if limit := int64(s.settings.MaxArchive); total > limit {
		return nil, store.ErrArchive.WithMessage("The files have %d bytes together, and an archive may have %s.", total, config.Size(limit)).
			WithDetail("bytes", total).WithDetail("limit", limit)
	}
	newest, err := s.repository.NewestVersions(ctx, rows)
	if err != nil {
		return nil, err
	}
	names, files := filetype.NameList{}, make([]archiveEntry, len(rows))
	for i, row := range rows {
		files[i] = archiveEntry{Attachment: row, name: names.Unique(row.FileName), from: newest[row.ID]}
	}

	return files, nil
}

func (s *service) chosen(ctx context.Context, ids []uuid.UUID, owner item.Ref) ([]store.Attachment, error) {
	if owner.Type != "" {
		rows, err := s.repository.FindByOwner(ctx, owner.Type, owner.UUID, mostFound+1)
		rows = slices.DeleteFunc(rows, func(row store.Attachment) bool { return s.mayRead(row) != nil })
		if err == nil && len(rows) > mostFound {
			err = store.ErrArchive.WithMessage("The item has more than %d files, and an archive may have that many. Name some by their uuids.", mostFound)
		}

		return rows, err
	}
	found, err := s.repository.FindByIDs(ctx, ids)
	if err != nil {
		return nil, err
	}
	rows := make([]store.Attachment, 0, len(ids))
	for _, id := range ids {
		at := slices.IndexFunc(found, func(row store.Attachment) bool { return row.ID == id })
		if at < 0 {
			return nil, store.ErrNotFound.WithMessage("There is no attachment %s.", id)
		}
		if err := s.mayRead(found[at]); err != nil {
			return nil, fmt.Errorf("attachment %s: %w", id, err)
		}
		if !slices.ContainsFunc(rows, func(row store.Attachment) bool { return row.ID == id }) {
			rows = append(rows, found[at])
		}
	}

	return rows, nil
}

// zip writes an archive. What fails midway ends it without its directory, so that nobody takes it for whole.
func (s *service) zip(ctx context.Context, w io.Writer, files []archiveEntry) error {
	archive := zip.NewWriter(w)
	for _, file := range files {
		// It may have been quarantined, or deleted, since the archive was begun.
		if _, err := s.readable(ctx, file.ID); err != nil {
			return fmt.Errorf("attachment %s: %w", file.ID, err)
		}
		if err := s.zipOne(ctx, archive, file); err != nil {
			return fmt.Errorf("attachment %s: %w", file.ID, err)
		}
	}

	return archive.Close()
}

func (s *service) zipOne(ctx context.Context, archive *zip.Writer, file archiveEntry) (err error) {
	head := &zip.FileHeader{Name: file.name, Method: zip.Store, Modified: file.from.CreatedAt}
	if isCompressible(file.from.MediaType) {
		head.Method = zip.Deflate
	}
	entry, err := archive.CreateHeader(head)
	if err != nil {
		return err
	}
	object := s.storage.Blobs.Open(ctx, file.from.BlobName, file.from.Size)
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
