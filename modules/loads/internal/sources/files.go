package sources

import (
	"bytes"
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/intake"
)

// KeepFiles is the job that keeps what is attached to a mail as attachments of its load.
type KeepFiles struct {
	Intake uuid.UUID `json:"intake"`
}

// Kind implements jobs.Args.
func (KeepFiles) Kind() string { return "loads.keep_files" }

// Category is that of the attachments of mails.
const Category = "request"

// FileKeeper keeps what is attached to requests with their loads.
type FileKeeper struct {
	rows  repository
	files attachmentsapi.Files
}

// NewFileKeeper returns a FileKeeper.
func NewFileKeeper(db *database.DB, files attachmentsapi.Files) *FileKeeper {
	return &FileKeeper{repository{db}, files}
}

// Keep keeps files under ids that follow from their places, so that the job may run again. Those of a kind that attachments refuse are passed
// over; the mail has them still.
func (k *FileKeeper) Keep(ctx context.Context, args KeepFiles) error {
	r, err := k.rows.find(ctx, args.Intake)
	if errors.Is(err, errNeverReceived) {
		return nil
	}
	if err != nil {
		return err
	}
	for i, f := range intake.Files(r.Original) {
		_, err := k.files.Put(ctx, attachmentsapi.NewFile{
			UUID:      uuid.NewSHA1(r.ID, []byte(strconv.Itoa(i))).String(),
			OwnerType: loadsapi.Load, OwnerUUID: r.LoadID.String(), Category: Category, Visibility: attachmentsapi.Internal, FileName: f.Name,
		}, bytes.NewReader(f.Content))
		if err != nil && !errs.IsRefusal(err) {
			return err
		}
	}

	return nil
}
