package store

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// The failures of the area.
var (
	ErrNotFound    = errs.New(errs.NotFound, "attachments.not_found", "There is no such attachment.")
	ErrVersion     = errs.New(errs.NotFound, "attachments.version_not_found", "The attachment has no such version.")
	ErrUploadLink  = errs.New(errs.NotFound, "attachments.upload_link_not_found", "There is no such upload link.")
	ErrShare       = errs.New(errs.NotFound, "attachments.link_not_found", "The attachment has no such link.")
	ErrInvalid     = errs.New(errs.Invalid, "attachments.invalid", "The given data was invalid.")
	ErrType        = errs.New(errs.Invalid, "attachments.type_refused", "Files of this type are not accepted.")
	ErrTooLarge    = errs.New(errs.TooLarge, "attachments.too_large", "The file is too large.")
	ErrEmpty       = errs.New(errs.Invalid, "attachments.empty", "The file has no content: it has 0 bytes. Check that it was saved, and send it again.")
	ErrDigest      = errs.New(errs.Invalid, "attachments.digest_mismatch", "The content does not match the digest that was sent. Send the file again.")
	ErrQuota       = errs.New(errs.Conflict, "attachments.quota_exceeded", "The company's file storage is full. Delete files, or ask for more storage.")
	ErrVersions    = errs.New(errs.Conflict, "attachments.too_many_versions", "The attachment has the maximum number of versions. Add a new attachment instead.")
	ErrHeld        = errs.New(errs.Conflict, "attachments.held", "The attachment is on hold, for example as a document under signature. It can be neither changed nor deleted.")
	ErrNotReady    = errs.New(errs.Conflict, "attachments.not_ready", "The content of the attachment is not available in its present state.")
	ErrQuarantined = errs.New(errs.Conflict, "attachments.quarantined", "The attachment is in quarantine because the scanner found it to be dangerous.")
	ErrNotScanned  = errs.New(errs.Unavailable, "attachments.not_scanned", "The file could not be scanned for viruses, so it was not kept. Please try again.").WithRetryAfter(time.Minute)
	ErrNoScanner   = errs.New(errs.Conflict, "attachments.no_scanner", "The service has no scanner: set modules.attachments.scan.clamd.")
	ErrArchive     = errs.New(errs.TooLarge, "attachments.archive_too_large", "The files are too many or too large for one archive. Name fewer files.")
	ErrThumbnail   = errs.New(errs.NotFound, "attachments.thumbnail_not_found", "The attachment has no thumbnail: it is not an image, or its thumbnail is not ready yet.")
	ErrTooOften    = errs.New(errs.TooMany, "attachments.too_often", "Too many requests by this link.")
)

// ConcealLinkError hides from people with a link what they may not know of the file or the link behind it.
func ConcealLinkError(err error) error {
	for _, own := range []error{ErrNotFound, ErrUploadLink, ErrNotReady, ErrQuarantined} {
		if errors.Is(err, own) {
			return ErrLinkVoid
		}
	}

	return err
}

// ParseID reads an id of another area's; what is none is not there.
func ParseID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return id, ErrNotFound
	}

	return id, nil
}
