package uploadpage

import (
	"time"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
)

// Asked is an upload link as a stranger sees it: what its maker chose to say.
type Asked struct {
	Brand       string    `json:"brand" doc:"Who asks; empty if the link does not say."`
	Title       string    `json:"title"`
	Message     string    `json:"message"`
	MaxSize     int64     `json:"max_size" doc:"Largest file in bytes."`
	Types       []string  `json:"types" nullable:"false" doc:"Media types that files may have; none is all that are taken."`
	UploadsLeft int64     `json:"uploads_left"`
	Refused     []string  `json:"refused" nullable:"false" doc:"Names of files that came by the link and were refused when they were scanned; 20 at most."`
	ExpiresAt   time.Time `json:"expires_at"`
	Back        string    `json:"back,omitempty" doc:"Page of the service that the page leads back to."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Asked) SchemaName() string { return "UploadAsked" }

// Sent is a file as whoever sent it by a link is told of it.
type Sent struct {
	FileName  string `json:"file_name"`
	MediaType string `json:"media_type"`
	Size      int64  `json:"size"`
	SHA256    string `json:"sha256"`
	Status    string `json:"status" enum:"received,checking,refused" doc:"Whether the file was taken, is still being scanned, or was refused because it is dangerous."`
	Back      string `json:"back,omitempty" doc:"Page of the service that the page leads back to."`
}

// Back is the page of the service from which somebody came to send files.
type Back struct {
	Back string `query:"back" maxLength:"500" pattern:"^/[a-z_]+/api/v[0-9]+/[A-Za-z0-9_/-]+([?][A-Za-z0-9_=&-]*)?$" patternDescription:"a path of the service" doc:"Page of the service, as a path, that the page leads back to."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Sent) SchemaName() string { return "UploadedFile" }

// SentOf is a file in words for whoever has sent it: what was found in it is the company's to know.
func SentOf(row store.Attachment) Sent {
	b := Sent{FileName: row.FileName, MediaType: row.MediaType, Size: row.Size, SHA256: row.SHA256, Status: "received"}
	switch row.State {
	case store.Scanning:
		b.Status = "checking"
	case store.Quarantined:
		b.Status = "refused"
	case store.Uploading, store.Ready, store.Deleted:
	}

	return b
}
