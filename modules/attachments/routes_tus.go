package attachments

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/tus"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/uploadpage"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

const (
	tusAbout = "This is tus 1.0 (https://tus.io), for which there are clients in many languages: a file is sent bit by bit, and after an interruption " +
		"from where it stopped. "
	tusKeys = "The keys of Upload-Metadata are `filename`, `owner_type`, `owner_uuid`, `category`, `visibility`, `title`, `expires_at` and `sha256`."
)

// transferRoutes are the operations on files that are sent bit by bit, with a token.
func transferRoutes(r *web.Router, t *transfers) {
	register := tusRoutes{router: r, path: "/tus", id: "transfer", access: web.Write, max: t.settings, errors: item.Errors}
	web.Register(r, register.discovery("discover_transfers"), t.discover)
	web.Register(r, register.creation("Begin to send a file bit by bit", tusAbout+tusKeys), t.postTransfer)
	web.Register(r, register.reading(), t.getTransfer)
	web.Register(r, register.sending(), t.patchTransfer)
	web.Register(r, register.termination(), t.deleteTransfer)
}

// tusRoutes declares the operations of the protocol below a path.
type tusRoutes struct {
	router   *web.Router
	path, id string
	access   web.Access
	max      settings.Settings
	errors   []*errs.Error
}

func (t tusRoutes) discovery(id string) web.Operation {
	return web.Operation{
		Method: http.MethodOptions, Path: t.path, ID: id, Access: web.Public, Headers: tus.Headers,
		Summary: "Ask what of tus is spoken", Errors: []*errs.Error{database.ErrUnavailable},
	}
}

func (t tusRoutes) creation(summary, description string) web.Operation {
	return web.Operation{
		Method: http.MethodPost, Path: t.path, ID: "create_" + t.id, Access: t.access, Headers: tus.Headers, Status: http.StatusCreated,
		Summary: summary, Description: description, Errors: uploadErrors(append(t.errors, store.ErrTusVersion, store.ErrTusHeader, store.ErrChecksum, store.ErrTooManyTransfers)...),
		MaxBody: t.max.MaxSize, Consumes: []string{tus.MediaType}, BodyOptional: true,
	}
}

func (t tusRoutes) reading() web.Operation {
	return web.Operation{
		Method: http.MethodGet, Path: t.path + "/{uuid}", ID: "read_" + t.id, Access: t.access, Headers: tus.Headers,
		Summary: "Ask how much of a file has arrived", Description: "The answer is in the headers, so HEAD does.",
		Errors: append(t.errors, store.ErrTransfer, store.ErrTusVersion, store.ErrTransferEnding),
	}
}

func (t tusRoutes) sending() web.Operation {
	return web.Operation{
		Method: http.MethodPatch, Path: t.path + "/{uuid}", ID: "continue_" + t.id, Access: t.access, Headers: tus.Headers,
		Summary: "Send more of a file", Description: "What has arrived when the connection breaks stays, unless the request has an Upload-Checksum. " +
			"The request that brings the end is answered when the file is stored.",
		Errors:  uploadErrors(append(t.errors, store.ErrTransfer, store.ErrTusVersion, store.ErrTusHeader, store.ErrChecksum, store.ErrOffset, store.ErrTransferEnding, store.ErrTooManyParts)...),
		MaxBody: t.max.MaxSize, Consumes: []string{tus.MediaType}, BodyOptional: true,
	}
}

func (t tusRoutes) termination() web.Operation {
	return web.Operation{
		Method: http.MethodDelete, Path: t.path + "/{uuid}", ID: "delete_" + t.id, Access: t.access, Headers: tus.Headers,
		Summary: "Give up sending a file", Description: "What has arrived is removed. A file that has arrived whole stays.",
		Errors: append(t.errors, store.ErrTransfer, store.ErrTusVersion),
	}
}

type tusOptions struct {
	Extension string `header:"Tus-Extension"`
	MaxSize   int64  `header:"Tus-Max-Size"`
	Checksums string `header:"Tus-Checksum-Algorithm"`
}

func (t *transfers) discover(context.Context, *struct{}) (*tusOptions, error) {
	return &tusOptions{Extension: tus.Extensions, MaxSize: int64(t.settings.MaxSize), Checksums: tus.ChecksumAlgorithms}, nil
}

// checkTus refuses requests of other versions of the protocol.
func checkTus(in tus.Request) error {
	if in.Version != tus.Version {
		return store.ErrTusVersion
	}

	return nil
}

// parseAnnouncement reads what the file is to be; keys are those that the metadata may have.
func parseAnnouncement(b *tus.Begin, keys ...string) (announcement, error) {
	var a announcement
	if err := checkTus(b.Request); err != nil {
		return a, err
	}
	if b.Defer != "" || b.Length == "" {
		return a, store.ErrTusHeader.WithMessage("The Upload-Length must say how many bytes the file has.")
	}
	length, err := tus.ParseNumber("Upload-Length", b.Length)
	if err != nil {
		return a, err
	}
	fields, err := tus.ParseMetadata(b.Metadata, keys...)
	if err != nil {
		return a, err
	}
	sums, err := receiving.Digests{}.Expected(true, fields["sha256"])
	if err != nil {
		return a, err
	}
	if len(sums) > 0 {
		a.sha256 = sums[0]
	}
	a.length, a.metadata = length, b.Metadata
	fields["file_name"] = fields["filename"]
	a.Description, err = form{upload: &upload.Upload{}, fields: fields}.describe()

	return a, err
}

type begunOutput struct {
	Location   string    `header:"Location" doc:"Where the file is sent to."`
	Offset     int64     `header:"Upload-Offset" doc:"How many bytes have arrived."`
	Expires    time.Time `header:"Upload-Expires" doc:"Until when it waits for more."`
	Attachment string    `header:"Attachment-UUID" doc:"The attachment that it has become, if all has arrived."`
	Body       transferBody
}

// start makes a transfer and takes in what the request has of it. What is refused leaves nothing behind.
func (t *transfers) start(ctx context.Context, a announcement, in *tus.Begin, location string) (*begunOutput, error) {
	sum, err := tus.ParseChecksum(in.Checksum)
	if err != nil {
		return nil, err
	}
	row, err := t.begin(ctx, a)
	if err != nil {
		return nil, err
	}
	id := row.ID
	if row.Complete() {
		row, err = t.end(ctx, row)
	} else {
		row, err = t.goOn(ctx, row, 0, &in.Upload, sum)
	}
	if err != nil {
		if isPermanent(err) {
			_ = t.pending.discard(ctx, id) //nolint:errcheck // it may be gone; what is not is swept
		}

		return nil, err
	}

	body, err := t.body(ctx, row)

	return &begunOutput{
		Location: location + "/" + id.String(), Offset: row.Received, Expires: row.ExpiresAt, Attachment: row.AttachmentUUID(), Body: body,
	}, err
}

// body shows a transfer, with what became of its file.
func (t *transfers) body(ctx context.Context, row store.Transfer) (transferBody, error) {
	b := transferBody{UUID: row.ID, FileName: row.FileName, Received: row.Received, Size: row.Length, Status: "arriving", ExpiresAt: row.ExpiresAt}
	if row.AttachmentID == nil {
		return b, nil
	}
	if row.UploadLinkID == nil {
		b.AttachmentUUID = row.AttachmentID
	}
	file, err := t.pending.file(ctx, row) // what was purged was received
	if err != nil {
		return b, err
	}
	b.Status = uploadpage.SentOf(file).Status

	return b, nil
}

func (t *transfers) postTransfer(ctx context.Context, in *tus.Begin) (*begunOutput, error) {
	a, err := parseAnnouncement(in, "filename", "owner_type", "owner_uuid", "category", "visibility", "title", "expires_at", "sha256")
	if err != nil {
		return nil, err
	}

	return t.start(ctx, a, in, store.Base+"/tus")
}

type transferInput struct {
	tus.Request

	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the upload."`
}

type transferOutput struct {
	Offset     int64     `header:"Upload-Offset" doc:"How many bytes have arrived."`
	Length     int64     `header:"Upload-Length" doc:"Size of the file in bytes."`
	Metadata   string    `header:"Upload-Metadata" doc:"As it was sent."`
	Expires    time.Time `header:"Upload-Expires" doc:"Until when it waits for more."`
	Attachment string    `header:"Attachment-UUID" doc:"The attachment that it has become, if all has arrived."`
	Body       transferBody
}

type transferBody struct {
	UUID           uuid.UUID  `json:"uuid"`
	FileName       string     `json:"file_name"`
	Received       int64      `json:"received" doc:"How many bytes have arrived."`
	Size           int64      `json:"size" doc:"How many bytes the file has."`
	Status         string     `json:"status" enum:"arriving,received,checking,refused" doc:"Whether the file arrives, was taken, is still being scanned, or was refused because it is dangerous."`
	AttachmentUUID *uuid.UUID `json:"attachment_uuid" doc:"The attachment that it has become; null before all has arrived, and for who has a link."`
	ExpiresAt      time.Time  `json:"expires_at" doc:"Until when it waits for more."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (transferBody) SchemaName() string { return "Transfer" }

// showTransfer says how far a transfer is. One that waits to be put together is at neither place: a client would
// take it for done.
func (t *transfers) showTransfer(ctx context.Context, row store.Transfer) (*transferOutput, error) {
	if row.Complete() && row.AttachmentID == nil {
		return nil, store.ErrTransferEnding
	}

	body, err := t.body(ctx, row)

	return &transferOutput{
		Offset: row.Received, Length: row.Length, Metadata: row.Metadata, Expires: row.ExpiresAt, Attachment: row.AttachmentUUID(), Body: body,
	}, err
}

func (t *transfers) getTransfer(ctx context.Context, in *transferInput) (*transferOutput, error) {
	if err := checkTus(in.Request); err != nil {
		return nil, err
	}
	row, err := t.pending.find(ctx, in.UUID, nil)
	if err != nil {
		return nil, err
	}

	return t.showTransfer(ctx, row)
}

type moreOutput struct {
	Offset     int64     `header:"Upload-Offset" doc:"How many bytes have arrived."`
	Expires    time.Time `header:"Upload-Expires" doc:"Until when it waits for more."`
	Attachment string    `header:"Attachment-UUID" doc:"The attachment that it has become, if all has arrived."`
}

// appendPart takes in what a request has.
func (t *transfers) appendPart(ctx context.Context, in *tus.More, link *uuid.UUID) (*moreOutput, error) {
	if err := checkTus(in.Request); err != nil {
		return nil, err
	}
	offset, err := tus.ParseNumber("Upload-Offset", in.Offset)
	if err != nil {
		return nil, err
	}
	sum, err := tus.ParseChecksum(in.Checksum)
	if err != nil {
		return nil, err
	}
	row, err := t.pending.find(ctx, in.UUID, link)
	if err != nil {
		return nil, err
	}
	if row, err = t.goOn(ctx, row, offset, &in.Upload, sum); err != nil {
		web.SetHeader(ctx, "Upload-Offset", strconv.FormatInt(row.Received, 10))

		return nil, err
	}

	return &moreOutput{Offset: row.Received, Expires: row.ExpiresAt, Attachment: row.AttachmentUUID()}, nil
}

func (t *transfers) patchTransfer(ctx context.Context, in *tus.More) (*moreOutput, error) {
	return t.appendPart(ctx, in, nil)
}

func (t *transfers) deleteTransfer(ctx context.Context, in *transferInput) (*struct{}, error) {
	if err := checkTus(in.Request); err != nil {
		return nil, err
	}
	if _, err := t.pending.find(ctx, in.UUID, nil); err != nil {
		return nil, err
	}

	return nil, t.pending.discard(ctx, in.UUID)
}
