package inbound

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// filesArea is what the names of bodies begin with that are files.
	filesArea = "inbound"
	// writeTime is how long writing one may take: vendors wait for the answer.
	writeTime = 5 * time.Second
	// orphanSweepEvery is how often files are looked for that no delivery is about, strayAge how old one has to be: its
	// delivery may be about to be stored.
	orphanSweepEvery = 24 * time.Hour
	orphanMinAge     = time.Hour
)

// errFileGone is a defect of the deployment: files go only together with their rows.
var errFileGone = errors.New("the file with the body is missing: do all processes have the same blob.url?")

// fileName is the name of a body that is a file.
func fileName(id uuid.UUID) string {
	text := id.String()

	return filesArea + "/" + text[len(text)-2:] + "/" + text
}

// keepBody makes a large body a file, and reports whether it did. One that cannot be written now is kept in its row: a
// notification is never refused for that.
func (in *Inbox) keepBody(ctx context.Context, id uuid.UUID, body []byte) bool {
	if in.settings.FileAbove == 0 || int64(len(body)) <= int64(in.settings.FileAbove) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	if _, err := in.files.Write(ctx, fileName(id), bytes.NewReader(body)); err != nil {
		in.log.LogAttrs(ctx, slog.LevelWarn, "a body is kept in the database: it could not be written as a file", slog.Any("error", err))

		return false
	}

	return true
}

// dropBody removes the file of a delivery that was not stored. If that fails, it is a stray.
func (in *Inbox) dropBody(ctx context.Context, id uuid.UUID) {
	if err := in.files.Delete(ctx, fileName(id)); err != nil {
		in.log.LogAttrs(ctx, slog.LevelWarn, "a file that is not needed was not removed", slog.Any("error", err))
	}
}

// Body returns the body of a delivery of the principal's company as it came; one that is an io.Closer is to be closed.
// Errors: ErrDelivery, ErrBodyGone.
func (in *Inbox) Body(ctx context.Context, id uuid.UUID) (io.ReadSeeker, error) {
	if _, err := in.rows.find(ctx, id); err != nil {
		return nil, err
	}
	r, kept, err := in.rows.body(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case !kept:
		return nil, ErrBodyGone
	case r.FileSize == 0:
		return bytes.NewReader(r.Body), nil
	}
	if _, err := in.files.Stat(ctx, fileName(id)); err != nil {
		return nil, fileProblem(id, err)
	}

	return in.files.Open(ctx, fileName(id), r.FileSize), nil
}

func fileProblem(id uuid.UUID, err error) error {
	if errors.Is(err, blob.ErrNotFound) {
		err = errFileGone
	}

	return fmt.Errorf("delivery %s: %w", id, err)
}

// request returns a notification with its whole body, and false if it is no longer kept.
func (in *Inbox) request(ctx context.Context, id uuid.UUID) (Notification, bool, error) {
	r, kept, err := in.rows.body(ctx, id)
	if err != nil || !kept {
		return Notification{}, false, err
	}
	n, err := r.notification()
	if err != nil || r.FileSize == 0 {
		return n, true, err
	}
	file := in.files.Open(ctx, fileName(id), r.FileSize)
	n.Body = make([]byte, r.FileSize)
	if _, err = io.ReadFull(file, n.Body); err != nil {
		err = fileProblem(id, err)
	}

	return n, true, errors.Join(err, file.Close())
}

// Usage is what a company's bodies take that are files.
type Usage struct{ Files, Bytes int64 }

// Usage returns what the files of the principal's company take.
func (in *Inbox) Usage(ctx context.Context) (Usage, error) {
	who, _ := principal.From(ctx)

	return in.rows.usage(ctx, who.Company)
}

// orphanFilesArgs are the job that removes files that no delivery is about.
type orphanFilesArgs struct{}

// Kind implements jobs.Args.
func (orphanFilesArgs) Kind() string { return "inbound.strays" }

func (in *Inbox) scheduleOrphanRemoval() error {
	err := jobs.Add(in.queue, "inbound", func(ctx context.Context, _ orphanFilesArgs) error { return in.RemoveOrphanFiles(ctx) })

	return errors.Join(err, jobs.AddEvery(in.queue, orphanSweepEvery, orphanFilesArgs{}))
}

// RemoveOrphanFiles removes files that no delivery is about: what a process leaves that dies between the file and the row.
func (in *Inbox) RemoveOrphanFiles(ctx context.Context) error {
	companies, err := in.files.Companies(ctx)
	if err != nil {
		return err
	}
	for _, company := range companies {
		ctx := principal.AsCompany(ctx, company)
		for found, err := range in.files.List(ctx, filesArea) {
			if err != nil {
				return err
			}
			if err := in.removeOrphanFile(ctx, found); err != nil {
				return err
			}
		}
	}

	return nil
}

func (in *Inbox) removeOrphanFile(ctx context.Context, found blob.Info) error {
	if found.Modified.After(in.clock.Now().Add(-orphanMinAge)) {
		return nil
	}
	// What has another name was never finished.
	if id, err := uuid.Parse(found.Name[strings.LastIndex(found.Name, "/")+1:]); err == nil && fileName(id) == found.Name {
		if known, err := in.rows.hasFile(ctx, id); err != nil || known {
			return err
		}
	}

	return in.files.Discard(ctx, found)
}
