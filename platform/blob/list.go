package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/google/uuid"
	gcblob "gocloud.dev/blob"
)

// listPage is how many blobs are asked for at a time. A folder is walked anew for each page, so it is
// large; a bucket answers with as many as it likes.
const listPage = 20_000

// List returns the blobs of the caller's company whose names begin with the area, by name. What a
// Write that was cut off left behind in a folder is among them, under a name that no Write gives.
func (s *Store) List(ctx context.Context, area string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		company, err := companyOf(ctx)
		if err != nil {
			yield(Info{}, err)

			return
		}
		own := company.String() + "/"
		for found, err := range s.list(ctx, &gcblob.ListOptions{Prefix: own + area + "/"}) {
			if err != nil {
				yield(Info{}, fmt.Errorf("listing blobs of %s: %w", area, err))

				return
			}
			if !yield(Info{Name: strings.TrimPrefix(found.Key, own), Size: found.Size, Modified: found.ModTime}, nil) {
				return
			}
		}
	}
}

// Discard is Delete for what List returned, whatever its name is.
func (s *Store) Discard(ctx context.Context, found Info) error {
	company, err := companyOf(ctx)
	if err != nil {
		return err
	}
	bucket, err := s.current()
	if err != nil {
		return err
	}
	if err := translate(bucket.Delete(ctx, company.String()+"/"+found.Name)); err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("deleting blob %s: %w", found.Name, err)
	}

	return nil
}

// Companies returns the companies that have blobs, or had.
func (s *Store) Companies(ctx context.Context) ([]uuid.UUID, error) {
	var all []uuid.UUID
	for found, err := range s.list(ctx, &gcblob.ListOptions{Delimiter: "/"}) {
		if err != nil {
			return nil, fmt.Errorf("listing companies with blobs: %w", err)
		}
		if id, err := uuid.Parse(strings.TrimSuffix(found.Key, "/")); err == nil && found.IsDir {
			all = append(all, id)
		}
	}

	return all, nil
}

func (s *Store) list(ctx context.Context, options *gcblob.ListOptions) iter.Seq2[*gcblob.ListObject, error] {
	return func(yield func(*gcblob.ListObject, error) bool) {
		bucket, err := s.current()
		if err != nil {
			yield(nil, err)

			return
		}
		for token := gcblob.FirstPageToken; token != nil; {
			page, next, err := listOnce(ctx, bucket, token, options)
			if err != nil {
				yield(nil, err)

				return
			}
			token = next
			for _, found := range page {
				if !yield(found, nil) {
					return
				}
			}
		}
	}
}

// listOnce returns a page of a listing. A folder is listed again if a file goes between its name being read and its size.
func listOnce(ctx context.Context, bucket *gcblob.Bucket, token []byte, options *gcblob.ListOptions) ([]*gcblob.ListObject, []byte, error) {
	const most = 20
	for tries := 1; ; tries++ {
		page, next, err := bucket.ListPage(ctx, token, listPage, options)
		if err == nil || errors.Is(err, io.EOF) {
			return page, next, nil
		}
		if err = translate(err); tries == most || !errors.Is(err, ErrNotFound) {
			return nil, nil, err
		}
	}
}
