package attachmentsapi

// Stored says that there is a new file, and that it can be read.
type Stored struct {
	Attachment string `json:"attachment_uuid"`
	OwnerType  string `json:"owner_type,omitempty"`
	Owner      string `json:"owner_uuid,omitempty"`
	Category   string `json:"category,omitempty"`
	MediaType  string `json:"media_type"`
	Size       int64  `json:"size"`
	SHA256     string `json:"sha256"`
	// UploadLink is set if somebody without a token has sent it.
	UploadLink string `json:"upload_link_uuid,omitempty"`
}

// EventName implements events.Event.
func (Stored) EventName() string { return "attachments.attachment.stored" }

// Replaced says that a file has new content.
type Replaced struct {
	Attachment string `json:"attachment_uuid"`
	// Number is that of the version which is new.
	Number    int64  `json:"number"`
	MediaType string `json:"media_type"`
	Size      int64  `json:"size"`
	SHA256    string `json:"sha256"`
}

// EventName implements events.Event.
func (Replaced) EventName() string { return "attachments.attachment.replaced" }

// Updated says that something else about a file has changed.
type Updated struct {
	Attachment string `json:"attachment_uuid"`
}

// EventName implements events.Event.
func (Updated) EventName() string { return "attachments.attachment.updated" }

// Quarantined says that a file was found to be dangerous: nobody can read it.
type Quarantined struct {
	Attachment string `json:"attachment_uuid"`
	Reason     string `json:"reason"`
}

// EventName implements events.Event.
func (Quarantined) EventName() string { return "attachments.attachment.quarantined" }

// Deleted says that a file was deleted; until it is purged it can be restored.
type Deleted struct {
	Attachment string `json:"attachment_uuid"`
	OwnerType  string `json:"owner_type,omitempty"`
	Owner      string `json:"owner_uuid,omitempty"`
}

// EventName implements events.Event.
func (Deleted) EventName() string { return "attachments.attachment.deleted" }

// EventItem implements events.Named.
func (e Deleted) EventItem() (itemType, id string) { return e.OwnerType, e.Owner }

// Restored says that a deleted file is back.
type Restored struct {
	Attachment string `json:"attachment_uuid"`
}

// EventName implements events.Event.
func (Restored) EventName() string { return "attachments.attachment.restored" }

// Purged says that a deleted file is gone for good.
type Purged struct {
	Attachment string `json:"attachment_uuid"`
}

// EventName implements events.Event.
func (Purged) EventName() string { return "attachments.attachment.purged" }

// Released says that a file which was quarantined can be read: somebody has said so, or a newer scan.
type Released struct {
	Attachment string `json:"attachment_uuid"`
	// Reason is why it was quarantined; Why is what was said for the release, "" for a scan's.
	Reason string `json:"reason"`
	Why    string `json:"why,omitempty"`
}

// EventName implements events.Event.
func (Released) EventName() string { return "attachments.attachment.released" }
