// Package attachmentsapi is what other areas may know of the attachments area: how to store files and
// to read them, and its events.
package attachmentsapi

import (
	"cmp"
	"context"
	"io"
	"net/url"
	"time"
)

// Area is the id of the area.
const Area = "attachments"

// Item is the type of attachments as items.
const Item = "attachments.attachment"

// Visibility is for whom a file is meant. It is kept and shown; whoever shows files to customers and
// carriers goes by it.
type Visibility string

// The visibilities; Internal is that of a file that says none.
const (
	Internal Visibility = "internal"
	Customer Visibility = "customer"
	Carrier  Visibility = "carrier"
	Public   Visibility = "public"
)

// NewFile is what a file is made of, beside its content.
type NewFile struct {
	// UUID is the file's id, where the caller has chosen it before: Put of an id that is there stores nothing, and
	// returns that file. "" has one chosen.
	UUID string
	// OwnerType and OwnerUUID name the item that the file belongs to; both may be "".
	OwnerType, OwnerUUID string
	// Category is a word of the owner's ("insurance", "pod_photo"): lower case letters, digits and underscores.
	Category   string
	Visibility Visibility
	Title      string
	// FileName is what people call the file; it is cleaned of folders and of what cannot be seen.
	FileName string
	// ExpiresAt is when the file is deleted; the zero time is never.
	ExpiresAt time.Time
	// Types are the media types that are let in, such as image/*; none is what the company allows.
	Types []string
}

// File is a file as it is stored.
type File struct {
	UUID                 string
	OwnerType, OwnerUUID string
	Category             string
	Visibility           Visibility
	Title, FileName      string
	// MediaType is what the content is, found by looking at it.
	MediaType string
	Size      int64
	// SHA256 is of the content, in hexadecimal digits.
	SHA256 string
	// State is uploading, scanning, ready, quarantined or deleted. Only the content of ready files can be read.
	State     string
	CreatedAt time.Time
}

// Name is what people call the file: its title, or else its file name.
func (f File) Name() string { return cmp.Or(f.Title, f.FileName) }

// Ready reports whether the content of the file can be read.
func (f File) Ready() bool { return f.State == "ready" }

// Files stores and finds files of the caller's company. All errors are errs of the attachments area,
// of platform/blob or of platform/item; those of content are returned as they are.
type Files interface {
	// Put stores content to its end, with the limits of an upload, and returns the file. It is not
	// called in a transaction.
	Put(ctx context.Context, n NewFile, content io.Reader) (File, error)
	// Open returns a file and its content, which the caller closes.
	Open(ctx context.Context, uuid string) (File, io.ReadSeekCloser, error)
	// Find returns those of the files that there are and that are not deleted, by their ids; 200 at most.
	Find(ctx context.Context, uuids ...string) (map[string]File, error)
	// OfOwner returns the files of an item that are not deleted, the oldest first, 200 at most.
	OfOwner(ctx context.Context, ownerType, ownerUUID string) ([]File, error)
}

// Image is a picture in small. SHA256 is of its content.
type Image struct {
	MediaType, SHA256 string
	Content           io.ReadSeeker
}

// Previews has files that are images in small, for those who are to see no more of them: without what cameras write into files, such as where a photo
// was taken.
type Previews interface {
	// Preview returns an image whose longer side has 1,200 pixels at most. Errors: attachments.attachment_not_found, and attachments.thumbnail_not_found for
	// what is no image, or was not made small yet.
	Preview(ctx context.Context, uuid string) (Image, error)
}

// Share is how a link to a file is to be.
type Share struct {
	// ExpiresAt is when the link ends; the zero time is after an hour.
	ExpiresAt time.Time
	// MaxUses is how often it can be used; 0 is any number.
	MaxUses int
	// Inline has browsers show the file, where it is of a kind that is safe.
	Inline bool
}

// Links makes links by which somebody without a token reads a file.
type Links interface {
	// Link returns the address of a new link. It joins the caller's transaction.
	Link(ctx context.Context, uuid string, s Share) (url string, err error)
}

// Holds keep files from being deleted or changed, such as documents under signature. A file may have
// several holds; each is named by the item for whose sake it is, so repeating a call changes nothing.
// Both join the caller's transaction.
type Holds interface {
	Hold(ctx context.Context, uuid, holderType, holderUUID string) error
	// Release ends a hold. One that is not there is no error.
	Release(ctx context.Context, uuid, holderType, holderUUID string) error
}

// Upload is what an upload link asks somebody without a token for. Files that come by it belong to the owner.
type Upload struct {
	OwnerType, OwnerUUID string
	Category, Title      string
	// Message and Brand are shown to anyone with the link.
	Message, Brand string
	// MaxUploads is how many files may come; 0 is one. MaxSize 0 and no Types are what the company allows.
	MaxUploads int
	MaxSize    int64
	Types      []string
	// ExpiresAt is when the link ends; the zero time is in seven days.
	ExpiresAt time.Time
}

// UploadLink is an upload link. Nobody can find out its URL later.
type UploadLink struct{ UUID, URL string }

// Uploads makes links by which somebody without a token sends files. Both methods join the caller's transaction.
type Uploads interface {
	Invite(ctx context.Context, u Upload) (UploadLink, error)
	// Revoke ends a link. Ending it again changes nothing.
	Revoke(ctx context.Context, uuid string) error
}

// BackTo returns the address of an upload link whose page leads back to a page of the service, which is a path: it is in the address
// alone, since the text of a link must not be stored.
func BackTo(uploadURL, path string) string { return uploadURL + "?back=" + url.QueryEscape(path) }
