// Package tus has what requests of tus 1.0 (https://tus.io/protocols/resumable-upload) consist of.
package tus

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// Request is what every request has.
type Request struct {
	Version string `header:"Tus-Resumable" doc:"Version of the protocol: 1.0.0." example:"1.0.0"`
}

// Begin is a request that begins an upload.
type Begin struct {
	upload.Upload
	Request

	Length   string `header:"Upload-Length" doc:"Size of the file in bytes."`
	Defer    string `header:"Upload-Defer-Length" doc:"Not taken here: the size must be known."`
	Metadata string `header:"Upload-Metadata" doc:"What the file is: pairs of a key and its value in Base64, separated by commas."`
	Checksum string `header:"Upload-Checksum" doc:"Of the body, if there is one: sha256 or sha1, and the checksum in Base64."`
}

// More is a request with more of a file.
type More struct {
	upload.Upload
	Request

	UUID     uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the upload."`
	Offset   string    `header:"Upload-Offset" doc:"Where the body belongs in the file: how much has arrived."`
	Checksum string    `header:"Upload-Checksum" doc:"Of the body: sha256 or sha1, and the checksum in Base64."`
}
