package moduletest

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"testing"

	"github.com/stretchr/testify/require"
)

// SendForm sends a file as browsers do, after the fields of the form, which come in pairs. The media type that it names is never right.
func (a *App) SendForm(t testing.TB, token, path, name string, content []byte, fields ...string) Response {
	t.Helper()
	body, media := Form(t, name, content, fields...)

	return a.Call(t, token, http.MethodPost, path, body, "Content-Type", media)
}

// Form is the body that SendForm sends, and its media type.
func Form(t testing.TB, name string, content []byte, fields ...string) (body []byte, media string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i+1 < len(fields); i += 2 {
		require.NoError(t, w.WriteField(fields[i], fields[i+1]))
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="` + name + `"`}, "Content-Type": {"application/x-unknown"},
	})
	require.NoError(t, err)
	_, err = part.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())

	return b.Bytes(), w.FormDataContentType()
}
