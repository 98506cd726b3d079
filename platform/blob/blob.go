// Package blob keeps files: in a folder of this machine, or in an S3-compatible bucket.
//
// A blob is bytes under a name. Each belongs to a company: its key begins with the id of the company
// of who is calling, so a name never leads to another company's bytes, and without a company every
// call fails.
//
//	made, err := files.Write(ctx, "attachments/4f/0190…", upload)   // made.Size, made.SHA256
//	object := files.Open(ctx, "attachments/4f/0190…", made.Size)    // an io.ReadSeekCloser
//
// A blob is there whole or not at all: what a failed or killed Write leaves behind is never read. A
// name is written once; new content gets a new name. So whoever keeps a row about a blob writes the
// blob before the row, and removes the row before the blob: a crash leaves at worst a blob that no
// row knows, which the area that made it finds with List and removes.
//
// It stands on gocloud.dev/blob.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/google/uuid"
	gcblob "gocloud.dev/blob"

	"github.com/dispatchd/dispatchd/platform/principal"
)

var (
	errStopped   = errors.New("blob: not started")
	errNoCompany = errors.New("blob: the context has no principal of a company")
	// nameRule keeps names such that every store has them as they are, whatever its file system.
	nameRule = regexp.MustCompile(`^[a-z][a-z0-9_]*(/[a-z0-9][a-z0-9_-]*)+$`)
)

// Store is where the files of a deployment are. It may be used from several goroutines between Start
// and Stop.
type Store struct {
	place    place
	settings Settings
	through  func(io.Writer) io.Writer

	mu     sync.RWMutex
	bucket *gcblob.Bucket // nil while stopped

	// Of Ready: what was found, and when.
	looking sync.Mutex
	looked  time.Time
	found   error
}

// New returns a store that is not open yet; it does no I/O.
func New(s Settings, dataDir string) (*Store, error) {
	at, err := s.place(dataDir)
	if err != nil {
		return nil, fmt.Errorf("blob.%w", err)
	}

	return &Store{place: at, settings: s}, nil
}

// Start opens the store, and makes the folder. Of a bucket it does not ask whether it is there: a
// service whose bucket is away serves everything else.
func (s *Store) Start(ctx context.Context) error {
	bucket, err := s.open(ctx)
	if err != nil {
		return fmt.Errorf("opening the file store: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bucket = bucket

	return nil
}

// Stop closes the store.
func (s *Store) Stop(context.Context) error {
	s.mu.Lock()
	bucket := s.bucket
	s.bucket = nil
	s.mu.Unlock()
	if bucket == nil {
		return nil
	}

	return bucket.Close()
}

// Check reports whether the store can be reached.
func (s *Store) Check(ctx context.Context) error {
	bucket, err := s.current()
	if err != nil {
		return err
	}
	ctx, cancel := s.patience(ctx)
	defer cancel()
	there, err := bucket.IsAccessible(ctx)
	if err == nil && !there {
		err = os.ErrNotExist
	}

	return translate(err)
}

// lookEvery is how often Ready asks the store, however often it is asked itself: at /readyz anybody may ask.
const lookEvery = 5 * time.Second

// Ready is Check, with what was found a moment ago.
func (s *Store) Ready(ctx context.Context) error {
	s.looking.Lock()
	defer s.looking.Unlock()
	if time.Since(s.looked) < lookEvery {
		return s.found
	}
	s.found = s.Check(ctx)
	s.looked = time.Now() //nolint:forbidigo // likewise

	return s.found
}

// patience returns a context for something that the store answers at once, if it does.
func (s *Store) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, s.settings.StallAfter)
}

// Through has everything that is written go through a writer of its own. It is for tests: a disk that is
// full, a bucket that fails midway.
func (s *Store) Through(wrap func(io.Writer) io.Writer) { s.through = wrap }

// Delete removes a blob of the caller's company. One that is not there is no error.
func (s *Store) Delete(ctx context.Context, name string) error {
	bucket, key, err := s.at(ctx, name)
	if err != nil {
		return err
	}
	ctx, cancel := s.patience(ctx)
	defer cancel()
	if err := translate(bucket.Delete(ctx, key)); err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("deleting blob %s: %w", name, err)
	}

	return nil
}

// Info is what the store knows of a blob.
type Info struct {
	Name string
	Size int64
	// Modified is when it was written, by the store's clock.
	Modified time.Time
}

// Stat returns what the store knows of a blob of the caller's company, or ErrNotFound.
func (s *Store) Stat(ctx context.Context, name string) (Info, error) {
	bucket, key, err := s.at(ctx, name)
	if err != nil {
		return Info{}, err
	}
	ctx, cancel := s.patience(ctx)
	defer cancel()
	found, err := bucket.Attributes(ctx, key)
	if err != nil {
		return Info{}, fmt.Errorf("blob %s: %w", name, translate(err))
	}

	return Info{Name: name, Size: found.Size, Modified: found.ModTime}, nil
}

func (s *Store) current() (*gcblob.Bucket, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.bucket == nil {
		return nil, errStopped
	}

	return s.bucket, nil
}

// at returns the bucket and the key of a name.
func (s *Store) at(ctx context.Context, name string) (*gcblob.Bucket, string, error) {
	company, err := companyOf(ctx)
	if err != nil {
		return nil, "", err
	}
	if !nameRule.MatchString(name) {
		return nil, "", fmt.Errorf("blob: name %q: want an area, a slash, and parts of lower case letters, digits and hyphens", name)
	}
	bucket, err := s.current()

	return bucket, company.String() + "/" + name, err
}

func companyOf(ctx context.Context) (uuid.UUID, error) {
	who, _ := principal.From(ctx)
	if who.Company == uuid.Nil {
		return uuid.Nil, errNoCompany
	}

	return who.Company, nil
}
