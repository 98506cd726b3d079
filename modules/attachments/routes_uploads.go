package attachments

import (
	"context"
	"errors"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/filetype"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/limits"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/uploadpage"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// uploads take files from people who have an upload link.
type uploads struct {
	settings   settings.Settings
	repository *store.Repository
	intake     *files.Intake
	quota      *limits.Quota
	door       *door
}

func newUploads(s settings.Settings, r *store.Repository, i *files.Intake, q *limits.Quota, d *door) *uploads {
	return &uploads{settings: s, repository: r, intake: i, quota: q, door: d}
}

// uploadRoutes are the operations of people who have an upload link.
func uploadRoutes(r *web.Router, u *uploads) {
	show := uploadpage.New()
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/uploads/{link}", ID: "read_upload", Access: web.Public,
		Summary:     "Read what an upload link asks for",
		Description: "Browsers, which ask for text/html, get a page by which people send files.",
		Errors:      append(link.Refusals, store.ErrLinkVoid, store.ErrTooOften), Page: show.Form,
	}, u.getUpload)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/uploads/{link}", ID: "upload", Access: web.Public,
		Summary:     "Send a file by an upload link",
		Description: "A form (multipart/form-data) with the file as its last field; `file_name` and `sha256` may stand before it. The answer says nothing of the company.",
		Errors:      append(uploadErrors(link.Refusals...), store.ErrLinkVoid, store.ErrTooOften),
		MaxBody:     u.settings.MaxSize + formRoom, Consumes: []string{filetype.Form}, Page: show.Result,
	}, u.postUpload)
}

type uploadInput struct {
	uploadpage.Back

	Link string `path:"link" maxLength:"200" doc:"The text of the link."`
}

type uploadOutput struct {
	Body uploadpage.Asked
}

func (u *uploads) getUpload(ctx context.Context, in *uploadInput) (*uploadOutput, error) {
	if err := u.door.limitRate(ctx, "look "+in.Link); err != nil {
		return nil, err
	}
	ctx, row, err := u.door.enter(ctx, in.Link)
	if err != nil {
		if expected, ok := errors.AsType[*errs.Error](err); ok && expected.Code == usedUp {
			err = u.outcome(ctx, in.Link, expected)
		}

		return nil, err
	}
	bound, err := u.quota.Apply(ctx, receiving.Incoming{MaxSize: row.MaxSize})
	if err != nil {
		return nil, err
	}

	refused, err := u.repository.QuarantinedNames(ctx, row.ID, openPerLink)
	if err != nil {
		return nil, err
	}
	if len(row.Types) == 0 {
		row.Types = append(row.Types, bound.Limits.Types...)
	}

	return &uploadOutput{Body: uploadpage.Asked{
		Brand: row.Brand, Title: row.Title, Message: row.Message, MaxSize: u.settings.MaxSizeWithin(row.MaxSize, bound.Limits.MaxSize), Types: row.Types,
		UploadsLeft: row.MaxUploads - row.Uploads, Refused: refused, ExpiresAt: row.ExpiresAt, Back: in.Back.Back,
	}}, nil
}

// usedUp is the code of the refusal of a link that has no uses left.
const usedUp = "link.used_up"

// outcome adds to the refusal of a link that is used up what became of what was sent, as long as the link lives.
func (u *uploads) outcome(ctx context.Context, text string, refusal *errs.Error) error {
	ctx, row, err := u.door.look(ctx, text)
	if err != nil {
		return err
	}
	if u.door.ended(row) {
		return refusal
	}
	names, err := u.repository.QuarantinedNames(ctx, row.ID, openPerLink)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return refusal
	}

	return refusal.WithDetail("refused", names)
}

type postUploadInput struct {
	upload.Upload
	uploadpage.Back

	Link       string `path:"link" maxLength:"200" doc:"The text of the link."`
	ReprDigest string `header:"Repr-Digest" doc:"SHA-256 of the file, as sha-256=:…: (RFC 9530)."`
}

type sentOutput struct{ Body uploadpage.Sent }

func (u *uploads) postUpload(ctx context.Context, in *postUploadInput) (*sentOutput, error) {
	if err := u.door.limitRate(ctx, "send "+in.Link); err != nil {
		return nil, err
	}
	f, err := openForm(&in.Upload, "file_name", "sha256")
	if err != nil {
		return nil, err
	}
	sums, err := receiving.Digests{Repr: in.ReprDigest}.Expected(true, f.fields["sha256"])
	if err != nil {
		return nil, err
	}
	row, err := u.send(ctx, in.Link, receiving.Incoming{Content: f, FileName: f.fileName(), Digests: sums})
	if err != nil {
		return nil, err
	}

	out := &sentOutput{Body: uploadpage.SentOf(row)}
	out.Body.Back = in.Back.Back

	return out, nil
}

// send stores a file that somebody sends by a link. The use counts with the row of the file, so nothing
// is used up by an upload that fails, and no more get through than may.
func (u *uploads) send(ctx context.Context, text string, in receiving.Incoming) (store.Attachment, error) {
	ctx, row, err := u.door.enter(ctx, text)
	if err != nil {
		return store.Attachment{}, err
	}
	in.MaxSize, in.Types = row.MaxSize, row.Types
	made, err := u.intake.Store(ctx, descriptionBy(row, in.FileName), in, func(ctx context.Context, file *store.Attachment) error {
		file.UploadLinkID = &row.ID

		return u.door.use(ctx, text, row.ID)
	})

	return made, err
}

// descriptionBy is what a file is that comes by the link.
func descriptionBy(row store.UploadLink, name string) files.Description {
	return files.Description{Owner: row.Owner(), Category: row.Category, Visibility: row.Visibility, Title: row.Title, FileName: name}
}
