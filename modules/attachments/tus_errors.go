package attachments

import "github.com/dispatchd/dispatchd/platform/errs"

var (
	errTransfer = errs.New(errs.NotFound, "attachments.transfer_not_found", "There is no such upload, or not any more. Please begin again.")
	errTus      = errs.New(errs.Stale, "attachments.tus_version", "The request must have the header Tus-Resumable: 1.0.0.")
	errHeader   = errs.New(errs.Malformed, "attachments.tus_header", "A header of the upload cannot be read.")
	errOffset   = errs.New(errs.Conflict, "attachments.offset_conflict", "The upload goes on at another offset.")
	errChecksum = errs.New(errs.Corrupted, "attachments.checksum_mismatch", "The bytes that arrived are not those of the Upload-Checksum. They were not kept.")
	errEnding   = errs.New(errs.Locked, "attachments.transfer_ending", "All has arrived, and is being put together. Please look again in a moment.")
	errParts    = errs.New(errs.Conflict, "attachments.too_many_parts", "The upload came in too many pieces. Please begin again, and send more at a time.")
	errOpen     = errs.New(errs.Conflict, "attachments.too_many_transfers", "Too many uploads have begun and not ended. Please end some, or wait.")
)
