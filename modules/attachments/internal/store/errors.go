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
	ErrType        = errs.New(errs.Invalid, "attachments.type_refused", "Files of this type are not taken.")
	ErrTooLarge    = errs.New(errs.TooLarge, "attachments.too_large", "The file is larger than it may be.")
	ErrEmpty       = errs.New(errs.Invalid, "attachments.empty", "The file has no content: it has 0 bytes. Check that it was saved, and send it again.")
	ErrDigest      = errs.New(errs.Invalid, "attachments.digest_mismatch", "The content that arrived is not the one whose digest was sent.")
	ErrQuota       = errs.New(errs.Conflict, "attachments.quota_exceeded", "The company has as many bytes of files as it may have. Delete some, or ask for more room.")
	ErrVersions    = errs.New(errs.Conflict, "attachments.too_many_versions", "The attachment has as many versions as it may have. Add a new attachment instead.")
	ErrHeld        = errs.New(errs.Conflict, "attachments.held", "The attachment is held, such as a document under signature: it can be neither deleted nor changed.")
	ErrNotReady    = errs.New(errs.Conflict, "attachments.not_ready", "The content of the attachment cannot be read in its present state.")
	ErrQuarantined = errs.New(errs.Conflict, "attachments.quarantined", "The attachment was found to be dangerous. It is not given out.")
	ErrNotScanned  = errs.New(errs.Unavailable, "attachments.not_scanned", "The file could not be scanned for viruses, so it was not kept. Please try again.").WithRetryAfter(time.Minute)
	ErrNoScanner   = errs.New(errs.Conflict, "attachments.no_scanner", "The service has no scanner: set modules.attachments.scan.clamd.")
	ErrArchive     = errs.New(errs.TooLarge, "attachments.archive_too_large", "The files are more than an archive may have.")
	ErrThumbnail   = errs.New(errs.NotFound, "attachments.thumbnail_not_found", "There is no thumbnail of the attachment: it is no image that can be shown in small, or the thumbnail is not made yet.")
	ErrTooOften    = errs.New(errs.TooMany, "attachments.too_often", "This link is used too often.")
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
