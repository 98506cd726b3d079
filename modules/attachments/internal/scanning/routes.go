package scanning

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Routes are the operations on what a scanner found.
func Routes(r *web.Router, d *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/attachments/{uuid}/rescan", ID: "rescan_attachment", Access: web.Scope(store.QuarantineScope),
		Summary:     "Have an attachment scanned anew",
		Description: "All its versions are. Until then nobody can read it. Where nothing is found, what was quarantined is given out again.",
		Errors:      []*errs.Error{store.ErrNotFound, store.ErrNoScanner, state.ErrNotAllowed, state.ErrMoved},
	}, d.postRescan)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/rescan", ID: "rescan_failed", Access: web.Scope(store.QuarantineScope),
		Summary:     "Have the files scanned anew that the scanner could not look at",
		Description: "At most 200 at a time; `left` says how many remain.",
		Errors:      []*errs.Error{store.ErrNoScanner},
	}, d.postRescanFailed)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/attachments/{uuid}/release", ID: "release_attachment", Access: web.Scope(store.QuarantineScope),
		Summary:     "Give out an attachment that was quarantined by mistake",
		Description: "With all its versions. Who did it and why is in the history of the attachment and in the audit trail.",
		Errors:      []*errs.Error{store.ErrNotFound, state.ErrNotAllowed, state.ErrNotYours, state.ErrMoved},
	}, d.postRelease)
}

type rescanInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
}

func (d *Desk) postRescan(ctx context.Context, in *rescanInput) (*web.Resource[files.Body], error) {
	row, err := d.Rescan(ctx, in.UUID, in.IfMatch)
	if err != nil {
		return nil, err
	}

	return files.Answer(row), nil
}

type rescannedOutput struct{ Body rescannedBody }

type rescannedBody struct {
	Begun int64 `json:"begun" doc:"How many files are being scanned anew."`
	Left  int64 `json:"left" doc:"How many are left."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (rescannedBody) SchemaName() string { return "AttachmentsRescanned" }

func (d *Desk) postRescanFailed(ctx context.Context, _ *struct{}) (*rescannedOutput, error) {
	begun, left, err := d.rescanFailed(ctx)

	return &rescannedOutput{Body: rescannedBody{Begun: begun, Left: left}}, err
}

type releaseInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the attachment."`
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Why it is harmless."`
	}
}

func (d *Desk) postRelease(ctx context.Context, in *releaseInput) (*web.Resource[files.Body], error) {
	row, err := d.release(ctx, in.UUID, in.IfMatch, in.Body.Reason)
	if err != nil {
		return nil, err
	}

	return files.Answer(row), nil
}
