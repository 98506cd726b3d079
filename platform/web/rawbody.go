package web

import "bytes"

// RawJSON is the input of an operation whose body its handler decodes: one with keys that are not
// known when the service is built. Embed it in the input, and describe the body in
// Operation.RequestSchema. The media type, the size and that there is a body are checked before
// the handler; the handler reads it with Decode.
type RawJSON struct {
	// RawBody is the body. It belongs to the handler, also after it returned.
	RawBody []byte `contentType:"application/json"`
}

// Decode is DecodeJSON of the body.
func (r *RawJSON) Decode(into any) error { return DecodeJSON(r.RawBody, into) }

// rawInput is an input with RawJSON.
type rawInput interface{ own() }

// own copies the body: Huma takes its buffer back when the handler returns.
func (r *RawJSON) own() { r.RawBody = bytes.Clone(r.RawBody) }
